import { Fault } from '../../errors.ts';
import { namesToBytes } from '../../lib/paths/path-bytes.ts';
import { isPartPath } from '../../policy/part-path.ts';

export const MAX_DEPTH = 100;
const MAX_NAME_BYTES = 255;
const PARENT = /^\.\.[. ]*$/; // Windows ignores dots and spaces at the end

/**
 * The names from the target down to a member. Refuses what could lead elsewhere on any system, and the names of part
 * files, which are removed later. Empty for the top level itself.
 */
export function safeNames(name: string): string[] {
  if (/^[/\\]|^[A-Za-z]:|[\\\0]/.test(name)) throw new Fault('member_name');
  const names = name.split('/').filter((one) => one !== '' && one !== '.');
  if (names.some((one) => PARENT.test(one)) || names.length > MAX_DEPTH) throw new Fault('member_name');
  if (names.some((one) => isPartPath(`/${one}`))) throw new Fault('member_name');
  if (names.some((one) => namesToBytes(one).length > MAX_NAME_BYTES)) throw new Fault('name_too_long');
  return names;
}

/** `notes (2).txt` where `notes.txt` is taken. */
export function unusedName(name: string, isTaken: (name: string) => boolean): string {
  const dot = name.lastIndexOf('.');
  const [stem, suffix] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let nth = 2; ; nth += 1) {
    const numbered = `${stem} (${nth})${suffix}`;
    if (!isTaken(numbered)) return numbered;
  }
}
