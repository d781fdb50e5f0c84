import { Fault } from '../errors.ts';
import { utf8 } from '../lib/bytes/bytes.ts';

const MOST_BYTES = 255; // POSIX limit; checked before the upload rather than after it

/** An uploaded file's name must not lead outside the target directory. */
export function assertFileName(name: string): void {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) throw new Fault('invalid_name');
  if (utf8(name).length > MOST_BYTES) throw new Fault('name_too_long');
}
