import { invalidField } from '../../errors.ts';
import { fromBase64, toBase64 } from '../../lib/bytes/bytes.ts';

/** Host key types that can be pinned, best first. */
export const HOST_KEY_TYPES: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
];

const LONGEST_TEXT = 8192; // an RSA key of 16,384 bits, OpenSSH's largest, has 2,800 characters
const ED25519_BYTES = 32;
const RSA_BYTES = 128; // OpenSSH refuses a modulus below 1,024 bits
const UNCOMPRESSED = 4; // SEC 1 §2.3.3
const POINT_BYTES = new Map([
  ['nistp256', 65],
  ['nistp384', 97],
  ['nistp521', 133],
]);

/** A key as a `known_hosts` file writes it: type and base64. */
export function hostKeyText(host_key: string): string {
  const [type = new Uint8Array()] = stringsIn(decodeBase64(host_key));
  return `${latin1(type)} ${host_key}`;
}

/** The key blob of a text such as `ssh-ed25519 AAAA…`; a comment may follow. Throws a `validation` Fault. */
export function readHostKeyText(text: string): string {
  const [type = '', host_key = ''] = text.trim().split(/\s+/);
  const problem = problemOfHostKey(type, host_key);
  if (problem === undefined) return host_key;
  throw invalidField('host_key', `Not a host key such as \`ssh-ed25519 AAAA…\`: ${problem}`);
}

/** Why a host key cannot be pinned; undefined when it can. */
export function problemOfHostKey(key_type: string, text: string): string | undefined {
  if (!HOST_KEY_TYPES.includes(key_type)) return 'keys of this type are not supported';
  const [type, ...numbers] = stringsIn(decodeBase64(text));
  if (!type) return 'the key is not readable';
  if (latin1(type) !== key_type) return 'the key is of another type than the line says';
  return isComplete(key_type, numbers) ? undefined : 'the key is not complete';
}

/** Undefined unless the text is canonical base64 and not longer than a key. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length > LONGEST_TEXT) return undefined;
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = fromBase64(text);
  return toBase64(bytes) === text ? bytes : undefined;
}

function isComplete(type: string, [first, second, ...others]: readonly Uint8Array[]): boolean {
  if (!first || others.length > 0) return false;
  if (type === 'ssh-ed25519') return first.length === ED25519_BYTES && !second;
  if (!second) return false;
  if (type === 'ssh-rsa') return first.length > 0 && second.length >= RSA_BYTES;
  const curve = latin1(first);
  return (
    type === `ecdsa-sha2-${curve}` && second.length === POINT_BYTES.get(curve) && second[0] === UNCOMPRESSED
  );
}

/** A key blob is a sequence of strings (RFC 4251 §5, RFC 4253 §6.6); empty when the blob is malformed. */
function stringsIn(blob: Uint8Array<ArrayBuffer> = new Uint8Array()): Uint8Array[] {
  const view = new DataView(blob.buffer);
  const strings: Uint8Array[] = [];
  for (let at = 0; at < blob.length; ) {
    const start = at + 4;
    if (start > blob.length) return [];
    at = start + view.getUint32(at);
    if (at > blob.length) return [];
    strings.push(blob.subarray(start, at));
  }
  return strings;
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 64)); // longer than any type name
}
