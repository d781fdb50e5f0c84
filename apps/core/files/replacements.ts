import { Fault } from '../errors.ts';
import { joinSignals } from '../lib/concurrency/joined-signal.ts';
import type { UploadRow } from '../model/files/upload.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { ByteSource, FileSession, FileStat, FillOptions, Placed, PutOptions } from '../ports/files.ts';
import type { PartKeeper } from './uploads/part-keeper.ts';

export interface PutInput extends FillOptions, Pick<PutOptions, 'whole'> {
  readonly user_id: number;
  /** Real path. */
  readonly target_path: string;
  readonly source: ByteSource;
  readonly overwrite: boolean;
  /** What is at the target, if that has just been looked up. */
  readonly present?: { readonly stat: FileStat | undefined } | undefined;
  /** Mode of a new file; a replaced file keeps its mode. */
  readonly mode?: number | undefined;
  readonly modified?: string | undefined;
  /** Called right before the replacement; throwing leaves the old file unchanged. */
  readonly beforePlace?: () => Promise<void>;
}

interface Work extends PutInput {
  readonly replaces: boolean;
}

/** Replaces the content of remote files: in one step, unless only the file itself can keep its rights. */
export interface Replacements {
  /** Writes a part file next to the target and places it; a failure leaves nothing behind. */
  put(session: FileSession, server: ServerRow, input: PutInput): Promise<Placed>;
}

export function createReplacements(keeper: PartKeeper): Replacements {
  async function fillAndPlace(session: FileSession, row: UploadRow, input: Work): Promise<Placed> {
    const { source, overwrite, mode, replaces, beforePlace, limit_bytes, onWritten } = input;
    const { whole, modified } = input;
    const attended = keeper.attend(row);
    const { signal, leave } = joinSignals(input.signal, attended.lost);
    try {
      return await session.putPart(row.part_path, source, {
        target: row.target_path,
        is_private: replaces || mode !== undefined, // no more readable than the target
        is_new: !replaces,
        overwrite,
        mode,
        modified,
        beforePlace,
        limit_bytes,
        onWritten,
        whole,
        signal,
      });
    } finally {
      leave();
      attended.leave();
    }
  }

  return {
    async put(session, server, input) {
      const { user_id, target_path, overwrite, present } = input;
      const replaced = present ? present.stat : await session.statOf(target_path);
      assertReplaceable(replaced, overwrite);
      const row = await keeper.begin({ user_id, server_id: server.id, target_path, overwrite });
      try {
        const placed = await fillAndPlace(session, row, { ...input, replaces: replaced !== undefined });
        await keeper.forget(row);
        return placed;
      } catch (error) {
        await keeper.discard(session, row);
        throw error;
      }
    },
  };
}

/** Checked before sending; a target created later is detected at the rename. */
export function assertReplaceable(found: FileStat | undefined, overwrite: boolean): void {
  if (!found) return;
  if (!overwrite) throw new Fault('already_exists');
  if (found.kind !== 'file') throw new Fault('not_a_file'); // the target of a link has been resolved
}

/** Without `overwrite`, a dangling link takes the name that a caller wrote, as with `O_EXCL`. */
export async function assertNameFree(session: FileSession, path: string, overwrite: boolean): Promise<void> {
  if (!overwrite && (await session.statOf(path))) throw new Fault('already_exists');
}
