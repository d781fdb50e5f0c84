import { createHash } from 'node:crypto';
import type { ParsedKey } from 'ssh2';
import type { KeyAsker } from '#core/ports/ssh.ts';
import { type KeyOpener, type SshKey, toSshKey } from './key-object.ts';
import type { KeyProcesses } from './key-processes.ts';
import { type KeyText, recognizeKey, unopened } from './key-text.ts';
import { opensshOpener } from './openssh-keys.ts';
import { pemOpener } from './pem-keys.ts';
import { puttyOpener } from './putty.ts';
import { createSharedWork } from './shared-work.ts';
import { createSigning, type Hash, type Sign } from './signing.ts';

const MAX_REMEMBERED = 64;

export interface PrivateKey {
  /** Its `sign` blocks the event loop; use the other one. */
  readonly parsed: ParsedKey;
  /** The hash is for RSA; other kinds have one of their own. */
  sign(data: Buffer, hash: Hash): Promise<Buffer>;
}

export interface PrivateKeyReader {
  /** The decrypted key; throws `unreadable_private_key` with its format and the reason. */
  read(private_key: string, passphrase: string, asker?: KeyAsker): Promise<PrivateKey>;
}

const OPENERS: Readonly<Record<KeyText['kind'], KeyOpener>> = {
  openssh: opensshOpener,
  pem: pemOpener,
  putty: puttyOpener,
};

/** Caches decrypted keys in memory, by digest, because decryption is slow. */
export function createPrivateKeyReader(processes: Pick<KeyProcesses, 'decrypterFor'>): PrivateKeyReader {
  const signing = createSigning();
  const remembered = new Map<string, SshKey>();
  const share = createSharedWork<SshKey>();

  function remember(digest: string, key: SshKey): void {
    remembered.delete(digest);
    remembered.set(digest, key);
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size > MAX_REMEMBERED) remembered.delete(oldest);
  }

  function readEncrypted(key_text: KeyText, passphrase: string, asker: KeyAsker): Promise<SshKey> {
    if (passphrase === '')
      throw unopened(key_text, ', encrypted: it needs its passphrase', 'This key needs its passphrase');
    const digest = digestOf(key_text.text, passphrase);
    const known = remembered.get(digest);
    if (known) remember(digest, known);
    if (known) return Promise.resolve(known);
    const { user_id } = asker;
    return share(`${user_id} ${digest}`, asker.signal, async (signal) => {
      const decrypt = processes.decrypterFor({ user_id, signal });
      const pair = await OPENERS[key_text.kind].decrypt(key_text, passphrase, decrypt);
      const key = await toSshKey(key_text, pair, signing.signerFor({ user_id, signal }));
      remember(digest, key);
      return key;
    });
  }

  return {
    async read(private_key, passphrase, asker = {}) {
      const key_text = recognizeKey(private_key);
      const opener = OPENERS[key_text.kind];
      const signRsa = signing.signerFor(asker);
      const key = opener.isEncrypted(key_text)
        ? await readEncrypted(key_text, passphrase, asker)
        : await toSshKey(key_text, opener.readPlain(key_text), signRsa);
      return { parsed: key.parsed, sign: (data, hash) => signWith(key, { signRsa, hash, data }) };
    },
  };
}

interface Signing {
  readonly signRsa: Sign;
  readonly hash: Hash;
  readonly data: Buffer;
}

async function signWith({ parsed, private_key }: SshKey, { signRsa, hash, data }: Signing): Promise<Buffer> {
  if (parsed.type === 'ssh-rsa') return signRsa(private_key, hash, data);
  const signature: Buffer | Error = parsed.sign(data); // the other kinds take a millisecond
  if (signature instanceof Error) throw signature;
  return signature;
}

function digestOf(text: string, passphrase: string): string {
  return createHash('sha256')
    .update(JSON.stringify([text, passphrase]))
    .digest('base64');
}
