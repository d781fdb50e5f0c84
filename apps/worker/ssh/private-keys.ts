import ssh2, { type ParsedKey } from 'ssh2';
import { Fault } from '#core/errors.ts';
import type { PrivateKeys } from '#core/ports/ssh.ts';
import { isPkcs8, rewritePkcs8 } from './pkcs8.ts';

export const private_keys: PrivateKeys = {
  assertReadable(private_key, passphrase) {
    readPrivateKey(private_key, passphrase);
  },
};

/** The key, decrypted; throws `unreadable_private_key` with the reason. */
export function readPrivateKey(private_key: string, passphrase: string): ParsedKey {
  const text = private_key.trim();
  if (!looksPrivate(text)) throw unreadable('This is not a private key');
  const encrypted = isEncrypted(text);
  if (encrypted && passphrase === '') throw unreadable('The private key needs its passphrase');
  const key = parse(text, passphrase);
  if (key instanceof Error) throw unreadable(reasonFor(text, encrypted), key);
  if (!key.isPrivateKey()) throw unreadable('This is a public key, not a private one');
  return key;
}

function parse(text: string, passphrase: string): ParsedKey | Error {
  try {
    const known = isPkcs8(text) ? rewritePkcs8(text, passphrase) : text;
    const parsed: ParsedKey | ParsedKey[] | Error = ssh2.utils.parseKey(known, passphrase || undefined);
    return Array.isArray(parsed) ? (parsed[0] ?? new Error('No key in the file')) : parsed;
  } catch (error) {
    return error instanceof Error ? error : new Error('Unreadable', { cause: error });
  }
}

function looksPrivate(text: string): boolean {
  return /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text) || text.startsWith('PuTTY-User-Key-File-');
}

function isEncrypted(text: string): boolean {
  if (text.startsWith('-----BEGIN ENCRYPTED ') || text.includes('Proc-Type: 4,ENCRYPTED')) return true;
  const putty = /^Encryption: (\S+)/m.exec(text)?.[1];
  if (putty !== undefined) return putty !== 'none';
  return text.startsWith('-----BEGIN OPENSSH ') && opensshCipher(text) !== 'none';
}

const OPENSSH_MAGIC = 'openssh-key-v1\0';

/** The cipher named in an `openssh-key-v1` blob, its first string after the magic. */
function opensshCipher(text: string): string {
  const blob = Buffer.from(text.replace(/-----[^-]+-----/g, ''), 'base64');
  const start = OPENSSH_MAGIC.length;
  if (!blob.toString('latin1').startsWith(OPENSSH_MAGIC) || blob.length < start + 4) return 'none';
  return blob.toString('latin1', start + 4, start + 4 + blob.readUInt32BE(start));
}

function reasonFor(text: string, encrypted: boolean): string {
  if (text.startsWith('PuTTY-User-Key-File-3')) {
    return 'PuTTY version 3 keys are not supported: export the key in OpenSSH format';
  }
  if (text.startsWith('PuTTY-User-Key-File-') && !/^PuTTY-User-Key-File-2: ssh-(rsa|dss)/.test(text)) {
    return 'Of PuTTY keys only RSA and DSA are supported: export the key in OpenSSH format';
  }
  if (encrypted) return 'The passphrase is wrong, or the private key is encrypted in an unsupported way';
  return 'The private key is damaged or of an unsupported format';
}

function unreadable(detail: string, cause?: Error): Fault {
  return new Fault('unreadable_private_key', detail, { cause });
}
