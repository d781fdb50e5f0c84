import { isAbsolute, resolve, sep } from 'node:path';
import { Fault } from '#core/errors.ts';

/** Of a recording's file; undefined for a path that is none below `dir`. */
export function placeOf(dir: string, path: string): string | undefined {
  if (path === '' || path.includes('\0') || isAbsolute(path)) return undefined;
  const file = resolve(dir, path);
  return file.startsWith(resolve(dir) + sep) ? file : undefined;
}

/** Of one that should be there. */
export function existingPlace(dir: string, path: string): string {
  const file = placeOf(dir, path);
  if (file === undefined) throw new Fault('recording_file_missing');
  return file;
}

/** `recording_file_missing` for what the system says of a file that is not there. */
export function readFault(cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const is_missing = code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
  return new Fault(is_missing ? 'recording_file_missing' : 'internal', undefined, { cause });
}
