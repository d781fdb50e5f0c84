import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEd25519Key, createKey, keptKey, writeKey } from './key-pairs.ts';

export type HostKeyKind = 'ed25519' | 'ecdsa' | 'rsa';

const BITS: Record<HostKeyKind, string[]> = { ed25519: [], ecdsa: ['-b', '256'], rsa: ['-b', '2048'] };

const optionsOf = (kind: HostKeyKind) => ['-t', kind, ...BITS[kind], '-N', ''];

/** The host keys of one sshd; every sshd shares the first RSA key. */
export interface HostKeyFiles {
  /** The sshd_config lines for these key types; missing keys are generated. */
  present(kinds: readonly HostKeyKind[]): Promise<string[]>;
  /** New keys of every type. */
  renew(): Promise<void>;
  /** `SHA256:…`, as OpenSSH prints it. */
  fingerprint(kind: HostKeyKind): Promise<string>;
}

export function hostKeyFiles(folder: string): HostKeyFiles {
  const made = new Set<HostKeyKind>();
  const pathOf = (kind: HostKeyKind) => join(folder, `host_${kind}`);

  async function make(kind: HostKeyKind): Promise<void> {
    const made_key = kind === 'ed25519' ? createEd25519Key() : await createKey(optionsOf(kind));
    await writeKey(pathOf(kind), made_key);
  }

  async function makeFirst(kind: HostKeyKind): Promise<void> {
    made.add(kind);
    if (kind === 'rsa') await writeKey(pathOf(kind), await keptKey('host_rsa', optionsOf(kind)));
    else await make(kind);
  }

  return {
    async present(kinds) {
      await Promise.all(kinds.filter((kind) => !made.has(kind)).map(makeFirst));
      return kinds.map((kind) => `HostKey ${pathOf(kind)}`);
    },
    async renew() {
      await Promise.all([...made].map(make));
    },
    async fingerprint(kind) {
      const [, blob = ''] = (await readFile(`${pathOf(kind)}.pub`, 'utf8')).split(' ');
      const digest = createHash('sha256').update(blob, 'base64').digest('base64');
      return `SHA256:${digest.replace(/=+$/, '')}`;
    },
  };
}
