import type { FilePlace } from '../accounts/tickets.ts';
import { type AuditTrail, serverLabel } from '../audit/trail.ts';
import { portable } from '../lib/paths/path-bytes.ts';
import { nameOf, normalizePath, parentOf } from '../lib/paths/posix-path.ts';
import { createRecent } from '../lib/time/recent.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { ZipInput } from '../model/files/file-change.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { assertMay } from '../policy/account.ts';
import type { ArchiveRoot, ByteRange } from '../ports/files.ts';
import type { Meter } from '../ports/meter.ts';
import type { Clock } from '../ports/runtime.ts';
import { isAbsent } from './absent.ts';
import type { FileAccess } from './access.ts';
import { archiveRoots } from './archive-names.ts';
import type { DownloadSlot, DownloadSlots } from './download-slots.ts';
import { sized } from './sized-file.ts';

const SAME_DOWNLOAD_MS = 10 * 60_000;

/** A remote file ready to send. Call exactly one of `stream` and `close`. */
export interface Download {
  readonly name: string;
  readonly size: number;
  readonly modified: string;
  /** A quoted ETag from size and modification time. */
  readonly etag: string;
  stream(range: ByteRange): ReadableStream<Uint8Array>;
  close(): Promise<void>;
}

interface Content {
  readonly path: string;
  readonly etag: string;
  readonly is_continued: boolean;
}

export interface Archive {
  /** File name, including `.zip`. */
  readonly name: string;
  readonly stream: ReadableStream<Uint8Array>;
}

export interface DownloadOptions {
  /** A HEAD request: refused like a download, but neither recorded nor counted, since it transfers nothing. */
  readonly is_head: boolean;
}

export interface FileDownloadOptions extends DownloadOptions {
  /** The client asks for a later part of the file, such as new lines of a log. */
  readonly is_continued: boolean;
}

/** Sends file contents to the caller. */
export interface Downloads {
  download(caller: Caller, place: FilePlace, options: FileDownloadOptions): Promise<Download>;
  archive(
    caller: Caller,
    input: ZipInput & { readonly server_id: number },
    options: DownloadOptions,
  ): Promise<Archive>;
  /** Throws for paths that the caller may never download, without asking the host. */
  assertMayAsk(caller: Caller, server_id: number, paths: readonly string[]): Promise<void>;
}

interface Deps {
  readonly access: FileAccess;
  readonly slots: DownloadSlots;
  readonly trail: AuditTrail;
  readonly clock: Clock;
  readonly meter: Pick<Meter, 'add'>;
}

export function createDownloads({ access, slots, trail, clock, meter }: Deps): Downloads {
  const recent = createRecent(clock, SAME_DOWNLOAD_MS);

  /** A player or a resumed download sends many range requests, which count as one download. */
  async function recordDownload(caller: Caller, server: ServerRow, content: Content): Promise<void> {
    const { path, etag, is_continued } = content;
    const file = JSON.stringify([caller.user_id, caller.ip_address, server.id, path]);
    const version = `${file} ${etag}`;
    if (recent.has(is_continued ? file : version)) return; // a file that is followed changes all the time
    await trail.record(caller, 'sftp_download', `${serverLabel(server)}: ${path}`, { retry: false });
    recent.add(file);
    recent.add(version); // after recording: a failed record is tried again
  }

  async function download(
    caller: Caller,
    { server_id, path }: FilePlace,
    { slot, is_continued, is_head }: FileDownloadOptions & { slot: DownloadSlot },
  ): Promise<Download> {
    const request = { caller, server_id, operation: 'download' as const, paths: { path } };
    return access.act(request, async ({ server, session, real, shown }) => {
      const file = await sized(await session.openRead(real.path));
      const { size, modified } = file.stat;
      const etag = `"${Date.parse(modified).toString(36)}-${size.toString(36)}"`;
      try {
        if (!is_head) await recordDownload(caller, server, { path: real.path, etag, is_continued });
      } catch (error) {
        await file.close();
        throw error;
      }
      return {
        name: portable(nameOf(shown.path)),
        size,
        modified,
        etag,
        stream(range) {
          if (range.start === 0) meter.add('downloads'); // a player sends many range requests
          return slot.stream(server, () => file.stream(range, { reuses: true }));
        },
        close() {
          slot.leave();
          return file.close();
        },
      };
    });
  }

  async function recordArchive(caller: Caller, server: ServerRow, items: readonly string[]): Promise<void> {
    const label = `${serverLabel(server)}: `;
    await trail.recordAll(caller, 'sftp_zip', { label, items }, { retry: false });
    meter.add('downloads');
  }

  /** Lists broken links and forbidden entries in the archive as skipped; throws for a path that does not exist. */
  async function problemOf(caller: Caller, place: FilePlace, error: unknown): Promise<Place> {
    if (!isAbsent(error)) throw error;
    const request = { caller, server_id: place.server_id, operation: 'stat' as const };
    const entry = await access.act({ ...request, paths: { path: place.path } }, ({ session, real }) =>
      session.statOf(real.path),
    );
    if (!entry) throw error;
    return { problem: error.detail };
  }

  async function archive(caller: Caller, wanted: Wanted, slot: DownloadSlot): Promise<Archive> {
    const { server_id, paths, base_path, is_head, passed = [] } = wanted;
    const path = paths[passed.length] ?? '/';
    const request = { caller, server_id, operation: 'zip' as const, paths: { path } };
    let has_begun = false;
    const opened = access.act(request, async ({ server, session, real, judge }) => {
      has_begun = true;
      const others = await mapInOrder(paths.slice(passed.length + 1), (other) =>
        judge({ path: other }).catch((error: unknown) =>
          problemOf(caller, { server_id, path: other }, error),
        ),
      );
      const places: readonly Place[] = [...passed, real, ...others];
      const names = archiveRoots(paths, base_path);
      const roots = places.map((place, index): ArchiveRoot => ({ name: names[index] ?? '', ...place }));
      const items = places.flatMap((place) => ('path' in place ? [place.path] : []));
      if (!is_head) await recordArchive(caller, server, items);
      const stream = slot.stream(server, (signal) => session.archive(roots, { signal }));
      return { name: `${portable(archiveName(paths, base_path)) || server.name}.zip`, stream };
    });
    return opened.catch(async (error: unknown) => {
      if (has_begun || passed.length + 1 >= paths.length) throw error; // otherwise the archive would be empty
      const problem = await problemOf(caller, { server_id, path }, error);
      return archive(caller, { ...wanted, passed: [...passed, problem] }, slot);
    });
  }

  async function withSlot<T>(caller: Caller, work: (slot: DownloadSlot) => Promise<T>): Promise<T> {
    assertMay(caller, 'read_files');
    const slot = slots.begin(caller);
    try {
      return await work(slot);
    } catch (error) {
      slot.leave();
      throw error;
    }
  }

  return {
    download: (caller, place, options) =>
      withSlot(caller, (slot) => download(caller, place, { slot, ...options })),

    archive: (caller, input, options) =>
      withSlot(caller, (slot) => archive(caller, { ...input, ...options }, slot)),

    async assertMayAsk(caller, server_id, paths) {
      await access.assertMayAsk({
        caller,
        server_id,
        operation: 'download',
        paths,
        action: 'get_file_ticket',
      });
    },
  };
}

type Place = { readonly path: string } | { readonly problem: string };

interface Wanted extends ZipInput, DownloadOptions {
  readonly server_id: number;
  /** The first paths of the archive, for the audit entry. */
  readonly passed?: readonly Place[];
}

async function mapInOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** Named after its only entry, or the common directory. */
function archiveName(paths: readonly string[], base_path: string | undefined): string {
  const [first = '/'] = paths;
  if (base_path !== undefined) return nameOf(normalizePath(base_path));
  const path = normalizePath(first);
  return paths.length === 1 ? nameOf(path) : nameOf(parentOf(path));
}
