import { randomToken } from '../lib/bytes/bytes.ts';
import { joinPath, nameOf, parentOf } from '../lib/paths/posix-path.ts';

const TOKEN_BYTES = 9;
const PART_NAME = /^\.sallyport-[\w-]{12}\.part$/;

/** The part file of an upload: next to its target, so that completing it is a rename. */
export function partPathFor(target_path: string): string {
  return joinPath(parentOf(target_path), `.sallyport-${randomToken(TOKEN_BYTES)}.part`);
}

export function isPartPath(path: string): boolean {
  return PART_NAME.test(nameOf(path));
}
