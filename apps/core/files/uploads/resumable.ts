import { Fault } from '../../errors.ts';
import { joinPath, normalizePath } from '../../lib/paths/posix-path.ts';
import { MAX_UPLOADS } from '../../limits.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { UploadEntry, UploadRow, UploadState } from '../../model/files/upload.ts';
import type { InForce } from '../../model/settings/setting.ts';
import { assertMay } from '../../policy/account.ts';
import { assertFileName } from '../../policy/file-names.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Background } from '../../ports/runtime.ts';
import type { FileAccess } from '../access.ts';
import type { Holds } from '../holds.ts';
import { assertNameFree, assertReplaceable } from '../replacements.ts';
import { createAppend, type UploadPiece } from './append.ts';
import { createUploadLocks } from './locks.ts';
import {
  createUploadParts,
  entryOf,
  type OwnUpload,
  stateOf,
  UPLOAD_KEPT_MS,
  type UploadPartDeps,
  type UploadParts,
} from './parts.ts';
import { uploadTooLarge } from './uploads.ts';

export interface NewUpload {
  readonly server_id: number;
  /** The target directory. */
  readonly path: string;
  readonly filename: string;
  readonly overwrite: boolean;
  readonly length: number;
  /** `Upload-Metadata` as the client sent it. */
  readonly metadata: string;
}

export interface UploadPlace {
  readonly server_id: number;
  readonly upload_id: string;
}

/** tus 1.0 (https://tus.io/protocols/resumable-upload); the offset is the size of the part file on the host. */
export interface ResumableUploads {
  /** Maximum size of a new upload; undefined without a limit. */
  readonly max_bytes: number | undefined;
  create(caller: Caller, input: NewUpload): Promise<UploadState>;
  /** The caller's resumable uploads, oldest first. */
  list(caller: Caller, server_id: number): Promise<UploadEntry[]>;
  /** Throws `upload_not_found`, also for another user's upload, or `upload_expired`. */
  show(caller: Caller, place: UploadPlace): Promise<UploadState>;
  /** The same before resuming: stops an older request first, so that the offset is stable. */
  resume(caller: Caller, place: UploadPlace): Promise<UploadState>;
  /** Throws `upload_offset` at a wrong offset; completes the upload with the last byte. */
  append(caller: Caller, place: UploadPlace, piece: UploadPiece): Promise<UploadState>;
  remove(caller: Caller, place: UploadPlace): Promise<void>;
}

interface Deps extends UploadPartDeps {
  readonly repositories: Pick<Repositories, 'uploads'>;
  readonly access: FileAccess;
  readonly holds: Holds;
  readonly meter: Pick<Meter, 'add'>;
  readonly background: Background;
  readonly settings: InForce<'max_upload_size'>;
}

export function createResumableUploads(deps: Deps): ResumableUploads {
  const { repositories, access, clock, settings } = deps;
  const parts = createUploadParts(deps);
  const append = createAppend({ ...deps, parts });
  const locks = createUploadLocks(deps.holds);
  const withOwn = createWithOwn(deps, parts);

  return {
    get max_bytes() {
      return maxBytes(settings);
    },
    create: createBeginning(deps, parts),

    async list(caller, server_id) {
      await access.assertMayAsk({ caller, server_id, operation: 'ls', paths: [], action: 'list_uploads' });
      const rows = await repositories.uploads.listOf(caller.user_id, server_id, clock.now().toISOString());
      return rows.map(entryOf);
    },

    show: (caller, place) =>
      withOwn({ caller, action: 'see_upload', ...place }, async (own) => {
        const { row } = own;
        const stands_at = await parts.offsetOf(own);
        if (stands_at && stands_at.offset !== row.length) return stateOf(row, stands_at.offset);
        // The last request may still be running, or was aborted before the rename.
        return locks.take(row.id, (signal) => parts.settle(own, signal));
      }),

    resume: (caller, place) =>
      withOwn({ caller, action: 'see_upload', ...place }, (own) =>
        locks.take(own.row.id, (signal) => parts.settle(own, signal)),
      ),

    append: (caller, place, piece) =>
      withOwn({ caller, action: 'write_files', ...place }, (own) =>
        locks.take(own.row.id, (signal) => append(own, piece, signal)),
      ),

    remove: (caller, place) =>
      withOwn({ caller, action: 'write_files', ...place }, (own) =>
        locks.take(own.row.id, () => parts.discard(own)),
      ),
  };
}

function maxBytes({ values }: Deps['settings']): number | undefined {
  return values.max_upload_size || undefined;
}

function createBeginning(
  { repositories, access, keeper, clock, settings }: Deps,
  parts: UploadParts,
): ResumableUploads['create'] {
  async function assertRoom({ user_id }: Caller): Promise<void> {
    const unfinished = await repositories.uploads.countOf(user_id, clock.now().toISOString());
    if (unfinished >= MAX_UPLOADS) throw new Fault('too_many_uploads');
  }

  return async (caller, { server_id, path, filename, ...wanted }) => {
    const { overwrite, length } = wanted;
    assertMay(caller, 'write_files');
    assertFileName(filename);
    const max_bytes = maxBytes(settings);
    if (length > (max_bytes ?? Number.POSITIVE_INFINITY)) throw uploadTooLarge(max_bytes);
    const paths = { path: joinPath(normalizePath(path), filename) };
    return access.act({ caller, server_id, operation: 'upload', paths }, async (granted) => {
      const { session, real, shown } = granted;
      await assertRoom(caller);
      const replaced = await session.statOf(real.path);
      if (!replaced) await assertNameFree(session, shown.path, overwrite);
      assertReplaceable(replaced, overwrite);
      const places = { target_path: real.path, shown_path: shown.path };
      const { user_id } = caller;
      const is_direct = !replaced && (await session.refusals(real.path)).rename;
      const part = { user_id, server_id, ...places, ...wanted, ...(is_direct && { part_path: real.path }) };
      const row = await keeper.begin(part, UPLOAD_KEPT_MS);
      await parts.make({ ...granted, caller, row }, { is_private: replaced !== undefined });
      return stateOf(row, 0);
    });
  };
}

interface OwnRequest extends UploadPlace {
  readonly caller: Caller;
  readonly action: 'see_upload' | 'write_files';
}

type WithOwn = <T>(request: OwnRequest, work: (own: OwnUpload) => Promise<T>) => Promise<T>;

/** Checks the caller’s rights again: the target must still resolve to the same path. */
function createWithOwn({ repositories, access, clock }: Deps, parts: UploadParts): WithOwn {
  async function findOwn({ caller: { user_id }, server_id, upload_id }: OwnRequest): Promise<UploadRow> {
    const row = (await repositories.uploads.find(upload_id)) ?? (await parts.finished(upload_id));
    if (!row || row.length === null || row.user_id !== user_id || row.server_id !== server_id) {
      throw new Fault('upload_not_found');
    }
    if (row.expires_at <= clock.now().toISOString()) throw new Fault('upload_expired');
    return row;
  }

  return async (request, work) => {
    const { caller, action, server_id } = request;
    const upload = { caller, action, server_id, operation: 'upload' as const };
    await access.assertMayAsk({ ...upload, paths: [] });
    const row = await findOwn(request);
    return access.act({ ...upload, paths: { path: row.shown_path } }, async (granted) => {
      if (granted.real.path !== row.target_path) throw new Fault('path_outside_allowed');
      return work({ ...granted, caller, row });
    });
  };
}
