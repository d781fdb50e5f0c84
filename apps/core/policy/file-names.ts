import { Fault } from '../errors.ts';
import { utf8 } from '../lib/bytes.ts';

const MOST_BYTES = 255; // of POSIX systems: told before anything is sent, not when all of it was

/** What a sender calls a file must lead nowhere else than into the directory that it is sent to. */
export function assertFileName(name: string): void {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) throw new Fault('invalid_name');
  if (utf8(name).length > MOST_BYTES) throw new Fault('name_too_long');
}
