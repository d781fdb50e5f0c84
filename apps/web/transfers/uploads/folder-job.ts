import type { ClientError } from '#client/client-error.ts';
import type { Batch } from '../conflicts.ts';
import { createRunner, type Job, type Tell } from '../job.ts';
import { joinPath } from '../names.ts';
import { discardParts } from './aim.ts';
import { type DirectoryNode, measureTree } from './drop-tree.ts';
import type { UploadPlace } from './file-job.ts';
import { createFolderHost } from './folder-host.ts';
import { createFolderTally } from './folder-tally.ts';
import { createFolderWalk } from './folder-walk.ts';
import { createLane } from './lane.ts';
import type { SendingState, UploadTools } from './sending.ts';

const LANES = 6; // files of one folder that are open: more than are sent at once, since some may wait for an answer

export interface FolderJobInput {
  readonly id: string;
  /** Without a name: what is in it goes straight to the place. */
  readonly root: DirectoryNode;
  readonly place: UploadPlace;
  readonly batch: Batch;
  /** Files that are there already with the same size are done: some went before a reload. */
  readonly compare: boolean;
  readonly onPlaced: (directory: string) => void;
}

/** A whole tree, walked while it is sent: nothing holds all of its files. Each run walks it again and passes over what is done. */
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
    measure(signal).catch(() => undefined); // what cannot be read is told when its turn comes
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

/** How much there is, counted once while the first files are on their way. */
function createMeasure(root: DirectoryNode, tell: Tell): (signal: AbortSignal) => Promise<void> {
  let is_over = false;
  return async (signal) => {
    if (is_over) return;
    await measureTree(root, signal, ({ files, bytes }) => tell({ total_files: files, total_bytes: bytes }));
    is_over = true;
  };
}
