import { isAbsolute, resolve, sep } from 'node:path';
import { Fault, type FaultCode } from '#core/errors.ts';
import type { CastRange } from '#core/ports/casts.ts';
import type { Source } from './source.mjs';
import { WRONG_ANSWER } from './store/store-fault.ts';

const CHUNK_BYTES = 256 * 1024;

/** Streams a source on demand; the end, a cancel or an error closes it. */
export function readCast(
  openIt: () => Promise<Source>,
  { start, end = Number.POSITIVE_INFINITY }: CastRange,
): ReadableStream<Uint8Array> {
  let opened: Promise<Source> | undefined;
  let at = start;
  async function next(): Promise<Uint8Array> {
    opened ??= openIt();
    const file = await opened;
    const wanted = Math.max(0, Math.min(CHUNK_BYTES, end - at));
    const buffer = new Uint8Array(wanted);
    const { bytesRead } = await file.read(buffer, 0, wanted, at);
    at += bytesRead;
    return buffer.subarray(0, bytesRead);
  }
  const close = async () => (await opened)?.close();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const bytes = await next();
          if (bytes.length > 0) return controller.enqueue(bytes);
          await close();
          controller.close();
        } catch (error) {
          await close().catch(() => undefined); // it was never opened
          throw readFault(error);
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}

/** The file of a recording; undefined for a path outside `dir`. */
export function castPath(dir: string, path: string): string | undefined {
  if (path === '' || path.includes('\0') || isAbsolute(path)) return undefined;
  const file = resolve(dir, path);
  return file.startsWith(resolve(dir) + sep) ? file : undefined;
}

/** Like `castPath`, for a recording that should exist. */
export function existingCastPath(dir: string, path: string): string {
  const file = castPath(dir, path);
  if (file === undefined) throw new Fault('recording_file_missing');
  return file;
}

const FAULT_OF: ReadonlyMap<unknown, FaultCode> = new Map([
  ...(['ENOENT', 'ENOTDIR', 'EISDIR'] as const).map((code) => [code, 'recording_file_missing'] as const),
  ['STORE_REFUSED', 'recording_store_refused'], // of source.mjs
  ['STORE_UNREACHABLE', 'recording_store_unreachable'],
  ['STORE_WRONG', 'recording_store_refused'],
]);

/** Maps a missing file to `recording_file_missing`, errors of the store to its faults, and others to `internal`. */
export function readFault(cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const detail = code === 'STORE_WRONG' ? WRONG_ANSWER : undefined;
  return new Fault(FAULT_OF.get(code) ?? 'internal', detail, { cause });
}
