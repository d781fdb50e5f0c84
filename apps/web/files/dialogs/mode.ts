/** Permission bits, highest first, as in `ls -l`. */
export const WHO = ['owner', 'group', 'others'] as const;
export const WHAT = ['read', 'write', 'execute'] as const;
export const SPECIAL = ['setuid', 'setgid', 'sticky'] as const;
export type Who = (typeof WHO)[number];
export type What = (typeof WHAT)[number];
export type Special = (typeof SPECIAL)[number];

export function bitOf(who: Who, what: What): number {
  return (0o400 >> (3 * WHO.indexOf(who))) >> WHAT.indexOf(what);
}

export function specialBit(special: Special): number {
  return 0o4000 >> SPECIAL.indexOf(special);
}

/** Parses `drwxr-sr-t`; undefined for other formats. */
export function modeOf(permissions: string): number | undefined {
  if (!/^.([r-][w-][xsS-]){2}[r-][w-][xtT-]$/.test(permissions)) return undefined;
  let mode = 0;
  for (const [at, letter] of [...permissions.slice(1)].entries()) {
    if (/[rwxst]/.test(letter)) mode |= 0o400 >> at;
    if (/[st]/i.test(letter)) mode |= 0o4000 >> Math.floor(at / 3);
  }
  return mode;
}

/** `644`, or `4755` with special bits. */
export function toOctal(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}

/** Parses three or four octal digits. */
export function fromOctal(typed: string): number | undefined {
  return /^[0-7]{3,4}$/.test(typed.trim()) ? Number.parseInt(typed.trim(), 8) : undefined;
}

/** Whether this mode locks the owner out of a directory. */
export function locksOwnerOut(mode: number): boolean {
  return (mode & 0o500) !== 0o500;
}
