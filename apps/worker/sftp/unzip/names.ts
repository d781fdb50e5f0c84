import { crc32 } from 'node:zlib';
import { createGiveWay } from '#core/lib/concurrency/give-way.ts';
import { isUtf8, nameFromBytes, namesFromBytes } from '#core/lib/paths/path-bytes.ts';
import type { ZipMember } from '#core/ports/zip.ts';
import { decodeAs, guessEncoding } from './encodings.ts';
import type { Header } from './header.ts';

const IS_UTF8 = 1 << 11; // APPNOTE 4.4.4
const EXTRA_UNICODE_PATH = 0x7075;
// APPNOTE 4.4.2: FAT, OS/2, NTFS (as Info-ZIP and as PKWARE number it), VFAT.
const SEPARATED_BY_BACKSLASHES = new Set([0, 6, 10, 11, 14]);
const MADE_ON_UNIX = new Set([3, 19]); // 19 is macOS
const SLASH = 0x2f;

export function isMadeOnUnix(made_on: number): boolean {
  return MADE_ON_UNIX.has(made_on);
}

export interface StoredName {
  readonly raw: Buffer;
  readonly flags: number;
  readonly extras: ReadonlyMap<number, Buffer>;
}

/** The name where the archive says how it is encoded; undefined where it does not, and it is not only ASCII. */
export function statedName({ raw, flags, extras }: StoredName): string | undefined {
  const name = namesFromBytes(raw);
  if ((flags & IS_UTF8) !== 0) return name;
  return (
    unicodePath(raw, extras.get(EXTRA_UNICODE_PATH)) ?? (raw.every((byte) => byte < 0x80) ? name : undefined)
  );
}

/** APPNOTE 4.6.9: counts only while the plain name is the one it was made for. */
function unicodePath(raw: Buffer, extra: Buffer | undefined): string | undefined {
  if (!extra || extra.length < 6 || extra[0] !== 1 || extra.readUInt32LE(1) !== crc32(raw)) return undefined;
  const name = nameFromBytes(extra.subarray(5));
  return isUtf8(name) ? name : undefined;
}

export interface Named {
  readonly members: ZipMember[];
  /** What the names were decoded with that the archive says nothing about. */
  readonly encoding: string | undefined;
}

/** Collects the members of a directory: how a name is read depends on all of them. */
export function createNaming(encoding: string | undefined) {
  const members: ZipMember[] = [];
  const unstated = new Map<number, { readonly raw: Buffer; readonly is_unix: boolean }>();
  let [has_slash, has_backslash, are_all_dos] = [false, false, true];

  function rename(index: number, name: string): void {
    const member = members[index];
    if (member) members[index] = renamed(member, name);
  }

  /** Undefined for bytes that stay bytes: of a host where names are bytes, or not in the encoding. */
  function decoded(raw: Buffer, is_unix: boolean, guessed: string): string | undefined {
    if (encoding !== undefined) return decodeAs(encoding, raw);
    return isUtf8(namesFromBytes(raw)) || is_unix ? undefined : decodeAs(guessed, raw);
  }

  async function decodeUnstated(): Promise<string | undefined> {
    const giveWay = createGiveWay();
    const foreign = [...unstated.values()].filter(
      ({ raw, is_unix }) => !is_unix && !isUtf8(namesFromBytes(raw)),
    );
    const guessed = guessEncoding(foreign.map(({ raw }) => raw));
    let used: string | undefined;
    for (const [index, { raw, is_unix }] of unstated) {
      await giveWay();
      const name = decoded(raw, is_unix, guessed);
      if (name === undefined) continue;
      used = encoding ?? guessed;
      has_backslash ||= name.includes('\\');
      rename(index, name);
    }
    return used;
  }

  return {
    members,

    add({ member, made_on, raw, is_stated }: Header): void {
      if (!is_stated) unstated.set(members.length, { raw: Buffer.from(raw), is_unix: isMadeOnUnix(made_on) });
      else has_backslash ||= member.name.includes('\\');
      has_slash ||= raw.includes(SLASH) || member.name.includes('/');
      are_all_dos &&= SEPARATED_BY_BACKSLASHES.has(made_on);
      members.push(member);
    },

    /** APPNOTE 4.4.17.1 forbids backslashes, so that they have no other meaning where no name has a slash. */
    async done(): Promise<Named> {
      const used = unstated.size > 0 ? await decodeUnstated() : undefined;
      const are_separators = are_all_dos && has_backslash && !has_slash;
      if (!are_separators) return { members, encoding: used };
      const giveWay = createGiveWay();
      for (const [index, { name }] of members.entries()) {
        await giveWay();
        if (name.includes('\\')) rename(index, name.replaceAll('\\', '/'));
      }
      return { members, encoding: used };
    },
  };
}

function renamed(member: ZipMember, name: string): ZipMember {
  const is_directory = name.endsWith('/') && member.kind === 'file';
  return { ...member, name: name.replace(/\/$/, ''), kind: is_directory ? 'directory' : member.kind };
}
