import { fromBase64, toBase64 } from '../../lib/bytes/bytes.ts';
import { createGiveWay, type GiveWay } from '../../lib/concurrency/give-way.ts';
import { type Effort, isLiteral, isTooLong, matchingLists } from '../../lib/text/glob.ts';
import { quoted, type Warnings } from '../imports/warning-list.ts';
import { createHashedNames, type HashedName, saltCount } from './hashed-names.ts';
import { decodeBase64, HOST_KEY_TYPES, problemOfHostKey } from './host-key-blob.ts';

const SHA1_BYTES = 20;
const STEPS_PER_FIND = 100; // each matching line costs time and memory

/** One usable line of a `known_hosts` file, for the hosts in `hashed` or `patterns`. */
export interface KnownHost {
  readonly line: number;
  readonly key_type: string;
  /** Base64 of the key blob (RFC 4253 §6.6). */
  readonly host_key: string;
  readonly hashed?: HashedName;
  /** In lower case. */
  readonly patterns?: readonly string[];
}

/** A `@revoked` line. */
export interface Revocation extends KnownHost {
  /** The first field of the line, as the file has it. */
  readonly names: string;
}

export interface KnownHosts {
  /** Without the revoked keys. */
  readonly entries: KnownHost[];
  readonly revoked: ReadonlySet<string>;
  /** What a gateway refuses from now on: the revoked keys with their hosts. */
  readonly revocations: readonly Revocation[];
}

interface Address {
  readonly hostname: string;
  readonly port: number;
}

export async function readKnownHosts(text: string, warnings: Warnings): Promise<KnownHosts> {
  const giveWay = createGiveWay();
  const revoked = new Set<string>();
  const revocations: Revocation[] = [];
  const entries: KnownHost[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    await giveWay();
    const words = raw.trim().split(/[ \t]+/);
    const [first = ''] = words;
    if (first === '' || first.startsWith('#')) continue;
    const line = index + 1;
    const entry = first.startsWith('@') ? readMarked(line, words) : readEntry(line, words);
    if (typeof entry === 'string') warnings.add(`Line ${line} is left out: ${entry}.`);
    else if (isRevocation(entry)) {
      warnings.add(`Line ${line} revokes a key: hosts that present it are refused.`);
      revocations.push(entry);
      revoked.add(entry.host_key);
    } else entries.push(entry);
  }
  return { entries: entries.filter((entry) => !isRevoked(entry, revoked, warnings)), revoked, revocations };
}

function isRevocation(entry: KnownHost | Revocation): entry is Revocation {
  return 'names' in entry;
}

/** A revocation, or why a line with a marker is skipped. */
function readMarked(
  line: number,
  [marker = '', names = '', key_type = '', host_key = '']: readonly string[],
): Revocation | string {
  if (marker === '@cert-authority') return 'certificate authorities are not supported';
  if (marker !== '@revoked') return `the marker ${quoted(marker)} is not known`;
  if (!decodeBase64(host_key)) return `the revoked key of type ${quoted(key_type)} is not readable`;
  const hosts = readNames(names);
  return typeof hosts === 'string' ? hosts : { line, names, key_type, host_key, ...hosts };
}

function readEntry(
  line: number,
  [names = '', key_type = '', host_key = '']: readonly string[],
): KnownHost | string {
  const problem = problemOfHostKey(key_type, host_key);
  if (problem !== undefined) return `${problem} (${quoted(key_type)})`;
  const hosts = readNames(names);
  return typeof hosts === 'string' ? hosts : { line, key_type, host_key, ...hosts };
}

/** The first field of a line; the reason if it is not usable. */
export function readNames(names: string): Pick<KnownHost, 'hashed' | 'patterns'> | string {
  if (!names.startsWith('|')) {
    const patterns = names.toLowerCase().split(',');
    const is_too_long = patterns.some((pattern) => isTooLong(pattern) && !isLiteral(pattern));
    return is_too_long ? 'a pattern is too long' : { patterns };
  }
  const hashed = readHashed(names);
  return hashed ? { hashed } : 'the hashed name is not readable';
}

/** `|1|salt|hash`, where 1 is HMAC-SHA1. */
function readHashed(names: string): HashedName | undefined {
  const [, version, salt = '', hash = '', ...others] = names.split('|');
  const bytes = { salt: decodeBase64(salt), hash: decodeBase64(hash) };
  if (version !== '1' || others.length > 0) return undefined;
  if (bytes.salt?.length !== SHA1_BYTES || bytes.hash?.length !== SHA1_BYTES) return undefined;
  return { salt: bytes.salt, hash: bytes.hash };
}

function isRevoked({ line, host_key }: KnownHost, revoked: ReadonlySet<string>, warnings: Warnings): boolean {
  if (!revoked.has(host_key)) return false;
  warnings.add(`Line ${line} is left out: another line revokes its key.`);
  return true;
}

type Listed = KnownHost & Required<Pick<KnownHost, 'patterns'>>;

/** The entries for an address, in file order; undefined when the budget is used up. */
export async function createKnownHostMatcher(entries: readonly KnownHost[], effort: Effort) {
  const listed = entries.filter((entry): entry is Listed => entry.patterns !== undefined);
  const spelled = await bySpelling(listed.filter(isSpelledOut), effort.giveWay);
  const matched = listed.filter((entry) => !isSpelledOut(entry));
  const hashedEntriesOf = createHashedNames(entries);
  return {
    async keysOf(address: Address): Promise<KnownHost[] | undefined> {
      const names = namesOf(address);
      const [name = ''] = names; // the other form is always literal
      const matching = await matchingLists(matched, name, effort);
      const hashed = await Promise.all(names.map(hashedEntriesOf));
      const literal = names.flatMap((spelling) => [...(spelled.get(spelling) ?? [])]);
      const found = new Set([...literal, ...(matching ?? []), ...hashed.flat()]);
      effort.steps_left -= found.size * STEPS_PER_FIND;
      if (!matching || effort.steps_left <= 0) return undefined;
      return [...found].sort((one, other) => one.line - other.line);
    },
  };
}

function isSpelledOut({ patterns }: Listed): boolean {
  return patterns.every(isLiteral);
}

async function bySpelling(
  entries: readonly Listed[],
  giveWay: GiveWay,
): Promise<Map<string, Set<KnownHost>>> {
  const spelled = new Map<string, Set<KnownHost>>();
  for (const entry of entries) {
    for (const name of entry.patterns) {
      spelled.set(name, (spelled.get(name) ?? new Set()).add(entry));
      await giveWay();
    }
  }
  return spelled;
}

/** The number of HMACs needed to look up these addresses. */
export function hashedWork(entries: readonly KnownHost[], addresses: readonly Address[]): number {
  const names = addresses.reduce((sum, address) => sum + namesOf(address).length, 0);
  return saltCount(entries) * names;
}

/** The names under which OpenSSH writes an address; for port 22 also the one with the port, which other tools write. */
function namesOf({ hostname, port }: Address): string[] {
  const host = hostname.toLowerCase();
  return port === 22 ? [host, `[${host}]:22`] : [`[${host}]:${port}`];
}

/** `SHA256:` and unpadded base64, as OpenSSH prints it. */
export async function fingerprintOf(host_key: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', fromBase64(host_key));
  return `SHA256:${toBase64(new Uint8Array(hash)).replace(/=+$/, '')}`;
}

/** The key type to pin: the one that current `ssh` prefers. */
export function preferredFirst<Key extends { readonly key_type: string }>(keys: readonly Key[]): Key[] {
  const rankOf = ({ key_type }: Key) => HOST_KEY_TYPES.indexOf(key_type);
  return [...keys].sort((one, other) => rankOf(one) - rankOf(other));
}
