import type { Abortable, FileSession, Walked } from '#core/ports/files.ts';
import { onLane, openLane } from '../pool/leased-channel.ts';
import type { SessionWork } from '../pool/session-work.ts';
import { toFileStat } from '../protocol/attributes.ts';
import { openArchive } from '../zip/archive.ts';
import { changeTreeMode } from './mode.ts';
import { lookUp, makeDirectory, movePath } from './move.ts';
import { removeTree } from './remove.ts';
import { searchTree } from './search.ts';
import { walkSteps } from './walk.ts';
import { toWalked } from './walk-step.ts';

type TreeWork = Pick<
  FileSession,
  'statOf' | 'makeDirectory' | 'rename' | 'remove' | 'changeMode' | 'search' | 'walk' | 'archive'
>;

/** What concerns directories with all that is in them. */
export function createTreeWork(work: SessionWork): TreeWork {
  return {
    statOf: (path) =>
      work.ask(path, async (channel) => {
        const attributes = await lookUp(channel, path);
        return attributes && toFileStat(attributes);
      }),
    makeDirectory: (path) => work.change(path, (channel) => makeDirectory(channel, path)),
    rename: (from, to, { overwrite }) =>
      work.change(from, (channel) => movePath(channel, { from, to, overwrite })),
    remove: (path, { signal }) =>
      onLane(work, { path, signal }, (channel) => removeTree(channel, path, signal)),
    changeMode: (path, mode, { recursive, signal }) =>
      onLane(work, { path, signal }, (channel) => changeTreeMode(channel, { path, mode, recursive, signal })),
    search: (path, options) =>
      onLane(work, { path, signal: options.signal }, (channel) => searchTree(channel, path, options)),
    walk: (path, options) => walk(work, path, options),
    archive: (roots, { signal }) => openArchive(work, roots, signal),
  };
}

async function* walk(work: SessionWork, path: string, { signal }: Abortable): AsyncGenerator<Walked> {
  const { channel, release } = await openLane(work);
  try {
    for await (const steps of walkSteps(channel, path, { signal, order: 'depth' })) {
      yield* steps.map(toWalked);
    }
  } finally {
    release();
  }
}
