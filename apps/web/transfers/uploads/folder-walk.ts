import { joinPath } from '../names.ts';
import { type DirectoryNode, type FileNode, sizeOf } from './drop-tree.ts';
import type { FolderHost } from './folder-host.ts';
import type { FolderJobInput } from './folder-job.ts';
import type { FolderTally } from './folder-tally.ts';
import type { Lane } from './lane.ts';
import { type SendingState, sendWhole, type UploadTools } from './sending.ts';

interface Options {
  readonly tally: FolderTally;
  readonly host: FolderHost;
  readonly onState: (state: SendingState, why?: unknown) => void;
}

interface Run {
  readonly signal: AbortSignal;
  readonly lane: Lane;
}

export type FolderWalk = (node: DirectoryNode, directory: string, run: Run) => Promise<void>;

/** Makes the directories of a tree in turn, and adds what is to be sent to the lane. */
export function createFolderWalk(tools: UploadTools, input: FolderJobInput, options: Options): FolderWalk {
  const { tally, host, onState } = options;
  const { id: job_id, batch, place } = input;

  async function send(source: FileNode, directory: string, signal: AbortSignal): Promise<void> {
    const path = joinPath(directory, source.name);
    await tally.track(path, signal, async (onSent) => {
      const file = await source.open();
      const { server_id } = place;
      const sending = { job_id, server_id, directory, file, name: source.name, batch, onState, onSent };
      const { outcome } = await sendWhole(tools, sending, signal);
      if (outcome === 'sent') input.onPlaced(directory);
      return { outcome, size: file.size };
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
