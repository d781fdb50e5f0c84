import { recordOutcome } from '../../audit/outcome.ts';
import { type AuditTrail, serverLabel } from '../../audit/trail.ts';
import { Fault, isDatabaseDown } from '../../errors.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { UploadEntry, UploadRow, UploadState } from '../../model/files/upload.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Clock } from '../../ports/runtime.ts';
import { uploadEvent } from '../../webhooks/events.ts';
import type { Granted } from '../access.ts';
import { createFinishedUploads } from './finished.ts';
import type { PartKeeper } from './part-keeper.ts';

export const UPLOAD_KEPT_MS = 24 * 60 * 60_000; // with no new bytes

/** An upload that the caller may continue. */
export interface OwnUpload extends Pick<Granted<'upload'>, 'server' | 'session' | 'signal'> {
  readonly caller: Caller;
  readonly row: UploadRow;
}

/** Part files of resumable uploads. */
export interface UploadParts {
  /** An empty upload is complete at once. */
  make(own: OwnUpload, options: { is_private: boolean }): Promise<void>;
  /** Undefined when the part is gone or too long. */
  offsetOf(own: OwnUpload): Promise<UploadOffset | undefined>;
  /** One request at a time; discards a part that is gone or too long and throws `upload_not_found`. */
  standsAt(own: OwnUpload): Promise<UploadOffset>;
  /** One request at a time; renames a complete part, unless that has been done. */
  settle(own: OwnUpload, turn: AbortSignal): Promise<UploadState>;
  /** An upload that an instance has recently completed. */
  finished(upload_id: string): Promise<UploadRow | undefined>;
  /** One request at a time; removes the part. A completed upload stays. */
  discard(own: OwnUpload): Promise<void>;
}

interface UploadOffset {
  readonly offset: number;
  readonly is_finished: boolean;
}

export interface UploadPartDeps {
  readonly repositories: Pick<Repositories, 'uploads'>;
  readonly keeper: PartKeeper;
  readonly trail: AuditTrail;
  readonly clock: Clock;
}

export function createUploadParts({ repositories, keeper, trail, clock }: UploadPartDeps): UploadParts {
  const finished = createFinishedUploads(repositories, clock);

  async function offsetOf({ session, row }: OwnUpload): Promise<UploadOffset | undefined> {
    const at_its_end = { offset: lengthOf(row), is_finished: true };
    if (finished.here(row.id)) return at_its_end;
    const size = await session.partSize(row.part_path).catch((error: unknown) => goneIfMissing(error));
    if (size === undefined) return (await finished.find(row.id)) && at_its_end;
    return size <= lengthOf(row) ? { offset: size, is_finished: false } : undefined;
  }

  async function standsAt(own: OwnUpload): Promise<UploadOffset> {
    const stands_at = await offsetOf(own);
    if (stands_at) return stands_at;
    await keeper.discard(own.session, own.row);
    throw new Fault('upload_not_found');
  }

  async function place({ caller, server, session, row }: OwnUpload): Promise<void> {
    const { part_path, target_path, overwrite } = row;
    let is_placed = false;
    const placed = session.placePart(part_path, target_path, { overwrite }).then(() => {
      is_placed = true;
    });
    try {
      await recordOutcome(placed, (ending) => {
        const event = ending === '' ? uploadEvent(caller, server, [target_path]) : undefined;
        const detail = `${serverLabel(server)}: ${target_path}${ending}`;
        return trail.record(caller, 'sftp_upload', detail, { event });
      });
    } catch (error) {
      // The audit entry may be late: a retry must not get 404.
      if (is_placed && isDatabaseDown(error)) finished.add(row);
      throw error;
    }
    finished.add(row);
    await keeper.finish(row);
  }

  return {
    offsetOf,
    standsAt,
    finished: finished.find,

    async discard({ session, row }) {
      finished.forget(row.id);
      await keeper.discard(session, row);
    },

    async make(own, options) {
      const { session, row } = own;
      try {
        await session.createPart(row.part_path, options);
        if (lengthOf(row) === 0) await place(own);
      } catch (error) {
        await keeper.discard(session, row);
        throw error;
      }
    },

    async settle(own, turn) {
      const { row, signal } = own;
      const { offset, is_finished } = await standsAt(own);
      if (offset !== row.length || is_finished) return stateOf(row, offset);
      await keeper.prolong(row, UPLOAD_KEPT_MS);
      AbortSignal.any([signal, turn]).throwIfAborted();
      await place(own);
      return stateOf(row, offset);
    },
  };
}

export function entryOf(row: UploadRow): UploadEntry {
  const { id, shown_path, expires_at } = row;
  return { id, path: shown_path, length: lengthOf(row), expires_at };
}

export function stateOf(row: UploadRow, offset: number): UploadState {
  return { ...entryOf(row), offset, metadata: row.metadata };
}

/** Only resumable parts have a length. */
export function lengthOf({ length }: UploadRow): number {
  return length ?? 0;
}

function goneIfMissing(error: unknown): undefined {
  if (error instanceof Fault && error.code === 'file_not_found') return undefined;
  throw error;
}
