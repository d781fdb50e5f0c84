import { isOutcomeUnknown } from '../../audit/outcome.ts';
import { type AuditTrail, serverLabel } from '../../audit/trail.ts';
import { Fault } from '../../errors.ts';
import { joinPath } from '../../lib/paths/posix-path.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { Uploaded } from '../../model/files/file-change.ts';
import type { InForce } from '../../model/settings/setting.ts';
import type { FileSession } from '../../ports/files.ts';
import type { Meter } from '../../ports/meter.ts';
import { uploadEvent } from '../../webhooks/events.ts';
import type { FileAccess, Granted } from '../access.ts';
import { assertNameFree, type Replacements } from '../replacements.ts';
import { type FileTurn, placeSeveral, type UploadedFile } from './several.ts';

export type { ByteSource } from '../../ports/files.ts';
export type { UploadedFile } from './several.ts';

const ENVELOPE_BYTES = 1024 * 1024; // names and boundaries of the maximum number of files

export interface UploadRequest {
  readonly server_id: number;
  /** The target directory. */
  readonly path: string;
  readonly overwrite: boolean;
  /** Size of the whole request, if the sender declares it. */
  readonly content_length?: number | undefined;
  /** Aborts when the sender disconnects. */
  readonly signal: AbortSignal;
}

/** Uploads sent in a single request. */
export interface Uploads {
  upload(caller: Caller, request: UploadRequest, files: AsyncIterable<UploadedFile>): Promise<Uploaded>;
}

interface Deps {
  readonly access: FileAccess;
  readonly replacements: Replacements;
  readonly trail: AuditTrail;
  readonly meter: Pick<Meter, 'add'>;
  /** Files of one request. */
  readonly settings: InForce<'max_upload_size'>;
}

interface Placing {
  readonly request: UploadRequest;
  readonly granted: Granted<'upload'>;
  /** By position in the request. */
  readonly placed: Placed[];
  /** Files that may have been placed in spite of a failure. */
  readonly unsure: string[];
  /** Undefined without a limit. */
  readonly max_bytes: number | undefined;
}

interface Placed {
  /** The directory as the caller wrote it, and the name. */
  readonly path: string;
  readonly real_path: string;
}

export function createUploads({ access, replacements, trail, meter, settings }: Deps): Uploads {
  /** Adds each placed file to `placed`; a later failure does not undo it. */
  async function placeOne(
    caller: Caller,
    { request, granted, placed, unsure, max_bytes }: Placing,
    { nth, name, ...content }: FileTurn,
  ): Promise<number> {
    const { server, session, shown } = granted;
    const { real_path, present } = await lookAt(granted, name);
    if (!present) await assertNameFree(session, joinPath(shown.path, name), request.overwrite);
    const put = replacements.put(session, server, {
      ...content,
      user_id: caller.user_id,
      target_path: real_path,
      present,
      overwrite: request.overwrite,
      onWritten: (bytes) => meter.add('bytes_up', bytes),
    });
    const { size } = await put.catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'upload_too_large') throw uploadTooLarge(max_bytes);
      if (isOutcomeUnknown(error)) unsure.push(`${real_path}: ${error.code}`);
      throw error;
    });
    placed[nth] = { path: joinPath(shown.path, name), real_path };
    meter.add('uploads');
    return size;
  }

  return {
    upload: async (caller, request, files) => {
      const { server_id, path, content_length = 0, signal } = request;
      const max_bytes = settings.values.max_upload_size || undefined;
      const longest = (max_bytes ?? Number.POSITIVE_INFINITY) + ENVELOPE_BYTES;
      if (content_length > longest) {
        await access.assertMayAsk({ caller, server_id, operation: 'upload', paths: [path] });
        throw uploadTooLarge(max_bytes);
      }
      return access.act(
        { caller, server_id, operation: 'upload', paths: { path }, signal },
        async (granted) => {
          await assertDirectory(granted.session, granted.real.path);
          const placed: Placed[] = [];
          const unsure: string[] = [];
          try {
            const placing = { request, granted, placed, unsure, max_bytes };
            const place = (file: FileTurn) => placeOne(caller, placing, file);
            await placeSeveral(files, { signal: granted.signal, max_bytes, place });
          } finally {
            const arrived = placed.flatMap((one) => one.real_path); // without the gaps of those that failed
            const items = [...arrived, ...unsure];
            const label = `${serverLabel(granted.server)}: `;
            const event = uploadEvent(caller, granted.server, arrived);
            await trail.recordAll(caller, 'sftp_upload', { label, items }, { event });
          }
          return { uploaded: placed.map((one) => one.path), count: placed.length };
        },
      );
    },
  };
}

/** Refuses the files of one request together, or one resumable upload. */
export function uploadTooLarge(max_bytes: number | undefined): Fault {
  const limit = max_bytes === undefined ? '' : `${max_bytes} bytes, which `;
  return new Fault('upload_too_large', `The upload is larger than ${limit}SERVICE_MAX_UPLOAD_SIZE allows`);
}

/** Without rules, only a link leads out of a directory that has been resolved. */
async function lookAt({ server, session, real, shown, judge }: Granted<'upload'>, name: string) {
  if (server.sftp_allowed_paths.length === 0) {
    const real_path = joinPath(real.path, name);
    const stat = await session.statOf(real_path);
    if (stat?.kind !== 'symlink') return { real_path, present: { stat } };
  }
  const { path: real_path } = await judge({ path: joinPath(shown.path, name) });
  return { real_path, present: undefined };
}

/** Checked before the body is read. */
async function assertDirectory(session: FileSession, real_path: string): Promise<void> {
  const found = await session.statOf(real_path);
  if (!found) throw new Fault('file_not_found');
  if (found.kind !== 'directory') throw new Fault('not_a_directory');
}
