import type { ClientError } from '#client/transport/client-error.ts';
import { joinPath } from '../../lib/paths.ts';
import type { Batch } from '../conflicts.ts';
import { createRunner, type Job, type Tell } from '../job.ts';
import { discardParts } from './aim.ts';
import { type DirectoryNode, type FileNode, measureTree, sizeOf } from './drop-tree.ts';
import type { UploadPlace } from './file-job.ts';
import { createFolderHost, type FolderHost } from './folder-host.ts';
import { createFolderTally, type FolderTally } from './folder-tally.ts';
import { createLane, type Lane } from './lane.ts';
import { sendWhole } from './sending.ts';
import type { SendingState, UploadTools } from './upload.ts';

const LANES = 6; // open files per folder: more than are sent at once, since some may wait for the user

export interface FolderJobInput {
  readonly id: string;
  /** A root without a name uploads its content directly to the destination. */
  readonly root: DirectoryNode;
  readonly place: UploadPlace;
  readonly batch: Batch;
  /** Skip existing files of the same size, which were sent before a reload. */
  readonly compare: boolean;
  readonly onPlaced: (directory: string) => void;
}

/** Uploads a tree while walking it, so its file list is never in memory. Each run walks it again and skips finished files. */
export function createFolderJob(tools: UploadTools, input: FolderJobInput, tell: Tell): Job {
  const { root, place, compare, onPlaced } = input;
  const base = root.name === '' ? place.directory : joinPath(place.directory, root.name);
  const onState = (state: SendingState, error?: unknown) => {
    if (state !== 'queued') tell({ state, error });
  };
  const onRetry = (failure: ClientError) => onState('retrying', failure);
  const tally = createFolderTally(tell);
  const host = createFolderHost(tools.client, { place, compare, onRetry, onPlaced });
  const walk = createFolderWalk(tools, input, { tally, host, onState });
  const measure = createMeasure(root, tell);

  async function work(outer: AbortSignal): Promise<void> {
    const signal = tally.begin(outer);
    const lane = createLane(LANES);
    tell({ state: 'running', error: undefined });
    measure(signal).catch(() => undefined); // unreadable files are reported when they are sent
    try {
      await walk(root, base, { signal, lane });
    } finally {
      await lane.drained();
    }
    signal.throwIfAborted();
    tally.end();
  }

  const runner = createRunner(work, tell);
  return {
    ...runner,
    sent: tally.sent,
    async discard() {
      runner.stop();
      await discardParts(tools, input.id);
    },
  };
}

/** Counts the total once, while the first files are being sent. */
function createMeasure(root: DirectoryNode, tell: Tell): (signal: AbortSignal) => Promise<void> {
  let is_over = false;
  return async (signal) => {
    if (is_over) return;
    await measureTree(root, signal, ({ files, bytes }) => tell({ total_files: files, total_bytes: bytes }));
    is_over = true;
  };
}

interface WalkOptions {
  readonly tally: FolderTally;
  readonly host: FolderHost;
  readonly onState: (state: SendingState, why?: unknown) => void;
}

interface WalkRun {
  readonly signal: AbortSignal;
  readonly lane: Lane;
}

type FolderWalk = (node: DirectoryNode, directory: string, run: WalkRun) => Promise<void>;

/** Creates the directories of a tree in order and queues its files in the lane. */
function createFolderWalk(tools: UploadTools, input: FolderJobInput, options: WalkOptions): FolderWalk {
  const { tally, host, onState } = options;
  const { id: job_id, batch, place } = input;

  async function send(source: FileNode, directory: string, signal: AbortSignal): Promise<void> {
    const path = joinPath(directory, source.name);
    await tally.track(path, signal, async (onSent) => {
      const file = await source.open();
      const { server_id } = place;
      const sending = { job_id, server_id, directory, file, name: source.name, batch, onState, onSent };
      const { outcome, settled } = await sendWhole(tools, sending, signal);
      if (outcome === 'sent') input.onPlaced(directory);
      return { outcome, settled, size: file.size };
    });
  }

  async function isThere(
    child: FileNode,
    path: string,
    sizes: ReadonlyMap<string, number>,
  ): Promise<boolean> {
    const there = sizes.get(child.name);
    if (there === undefined || (await sizeOf(child)) !== there) return false;
    tally.found(path, there);
    return true;
  }

  return async function walk(node, directory, run) {
    const { signal, lane } = run;
    await host.makeDirectory(directory, signal);
    const sizes = await host.sizesIn(directory, signal);
    for await (const child of node.children()) {
      signal.throwIfAborted();
      const path = joinPath(directory, child.name);
      if (child.kind === 'directory') await tally.attempt(path, signal, () => walk(child, path, run));
      else if (!tally.isDone(path) && !(await isThere(child, path, sizes)))
        await lane.add(() => send(child, directory, signal));
    }
  };
}
