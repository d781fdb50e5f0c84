import { Fault } from '../errors.ts';
import { joinSignals } from '../lib/joined-signal.ts';
import type { ServerRow } from '../model/server.ts';
import type { UploadRow } from '../model/upload.ts';
import type { ByteSource, FileSession, FileStat, FillOptions } from '../ports/files.ts';
import type { PartKeeper } from './uploads/part-keeper.ts';

export interface PutInput extends FillOptions {
  readonly user_id: number;
  /** Real path. */
  readonly target_path: string;
  readonly source: ByteSource;
  readonly overwrite: boolean;
  /** Mode of a new file; a replaced file keeps its mode. */
  readonly mode?: number | undefined;
  /** Called right before the replacement; throwing leaves the old file unchanged. */
  readonly beforePlace?: () => Promise<void>;
}

interface Work extends PutInput {
  readonly replaces: boolean;
}

/** Replaces the content of remote files atomically. */
export interface Replacements {
  /** Writes a part file next to the target and renames it; a failure leaves nothing behind. */
  put(session: FileSession, server: ServerRow, input: PutInput): Promise<number>;
}

export function createReplacements(keeper: PartKeeper): Replacements {
  async function fillAndPlace(session: FileSession, row: UploadRow, input: Work): Promise<number> {
    const { source, overwrite, mode, replaces, beforePlace, ...options } = input;
    const attended = keeper.attend(row);
    const { signal, leave } = joinSignals(input.signal, attended.lost);
    try {
      const is_private = replaces || mode !== undefined; // no more readable than the target
      await session.createPart(row.part_path, { is_private });
      const size = await session.fillPart(row.part_path, source, { ...options, signal });
      if (mode !== undefined && !replaces) {
        await session.changeMode(row.part_path, mode, { recursive: false, signal });
      }
      await beforePlace?.();
      signal.throwIfAborted();
      await session.placePart(row.part_path, row.target_path, { overwrite });
      return size;
    } finally {
      leave();
      attended.leave();
    }
  }

  return {
    async put(session, server, input) {
      const { user_id, target_path, overwrite } = input;
      const replaced = await session.statOf(target_path);
      assertReplaceable(replaced, overwrite);
      const row = await keeper.begin({ user_id, server_id: server.id, target_path, overwrite });
      try {
        const size = await fillAndPlace(session, row, { ...input, replaces: replaced !== undefined });
        await keeper.forget(row);
        return size;
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
  if (found.kind !== 'file' && found.kind !== 'symlink') throw new Fault('not_a_file');
}
