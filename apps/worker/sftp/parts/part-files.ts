import { Fault } from '#core/errors.ts';
import { parentOf } from '#core/lib/paths/posix-path.ts';
import type { PartFiles } from '#core/ports/files.ts';
import { explainingPath, type SessionWork } from '../pool/session-work.ts';
import { kindOf } from '../protocol/attributes.ts';
import { lstatIfExists } from '../protocol/failures.ts';
import { isRefusal, refusalsOf } from '../protocol/refusals.ts';
import { appendPart } from './append.ts';
import { createPart } from './open.ts';
import { placePart } from './place.ts';
import { putPart } from './put.ts';

export function createPartFiles(work: SessionWork): PartFiles {
  return {
    refusals: (path) => work.query(path, (channel) => refusalsOf(channel, parentOf(path))),
    createPart: (path, options) => work.change(path, (channel) => createPart(channel, path, options)),
    partSize: (path) =>
      work.query(path, async (channel) => {
        const stats = await channel.lstat(path);
        if (kindOf(stats) !== 'file') throw new Fault('not_a_file');
        return stats.size;
      }),
    putPart: async (path, source, options) =>
      explainingPath(path, putPart(await work.lease(), { path, source, ...options })),
    appendPart: async (path, offset, source, options) =>
      explainingPath(path, appendPart(await work.lease(), { path, offset, source, ...options })),
    placePart: (path, target, options) =>
      work.change(path, (channel) => placePart(channel, { path, target, ...options })),
    removePart: (path) =>
      work.change(path, async (channel) => {
        await channel.unlink(path).catch(async (error: unknown) => {
          if (error instanceof Fault && error.code === 'file_not_found') return;
          // A host that permits no deleting says so of what does not exist, too.
          if (!isRefusal(error) || (await lstatIfExists(channel, path))) throw error;
        });
      }),
  };
}
