import { Fault } from '../../errors.ts';
import { toBase64, utf8 } from '../../lib/bytes/bytes.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import type { RevokedHostKeyRow } from '../../model/hosts/revoked-host-key.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { PresentedHostKey } from '../../ports/ssh.ts';
import {
  createKnownHostMatcher,
  fingerprintOf,
  type KnownHost,
  type Revocation,
  readNames,
} from './parse.ts';

export const MAX_REVOKED_HOST_KEYS = 10_000;
const MOST_STEPS = 2_000_000; // of one judgement: a tenth of a second
const SSH_PORT = 22;

export interface HostAddress {
  readonly hostname: string;
  readonly port: number;
}

/** The keys that `known_hosts` files have revoked: refused whatever is pinned. */
export interface RevokedKeys {
  isRevoked(address: HostAddress, key: PresentedHostKey): Promise<boolean>;
  /** The keys that are not revoked for the address. */
  without<K extends PresentedHostKey>(address: HostAddress, keys: readonly K[]): Promise<K[]>;
  /** Returns how many are new. Throws `too_many_imports` when there would be too many. */
  add(revocations: readonly Revocation[]): Promise<number>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'revoked_host_keys'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createRevokedKeys({ repositories, clock }: Deps): RevokedKeys {
  const { revoked_host_keys: keys } = repositories;

  async function isRevoked(
    address: HostAddress,
    { host_key, fingerprint }: PresentedHostKey,
  ): Promise<boolean> {
    const rows = (await keys.ofKey(fingerprint)).filter((row) => row.host_key === host_key);
    return rows.length > 0 && concerns(rows, address);
  }

  return {
    isRevoked,

    async without(address, presented) {
      const kept = [];
      for (const key of presented) if (!(await isRevoked(address, key))) kept.push(key);
      return kept;
    },

    async add(revocations) {
      const stored = await keys.list();
      const known = new Set(stored.map(({ digest }) => digest));
      const created_at = clock.now().toISOString();
      const giveWay = createGiveWay();
      const rows = new Map<string, NewRevokedHostKey>();
      for (const { names, host_key } of revocations) {
        await giveWay();
        const digest = await digestOfRevocation({ names, host_key });
        if (!known.has(digest)) rows.set(digest, await revokedRow({ names, host_key, created_at }));
      }
      if (stored.length + rows.size > MAX_REVOKED_HOST_KEYS) {
        throw new Fault(
          'too_many_imports',
          `There can be at most ${MAX_REVOKED_HOST_KEYS} revoked host keys`,
        );
      }
      return keys.insertAll([...rows.values()]);
    },
  };
}

/** True also if the names are too many to match: a revoked key is better refused too often. */
async function concerns(
  rows: readonly RevokedHostKeyRow[],
  { hostname, port }: HostAddress,
): Promise<boolean> {
  const entries = rows.flatMap((row): KnownHost[] => {
    const hosts = readNames(row.names);
    return typeof hosts === 'string'
      ? []
      : [{ line: row.id, key_type: '', host_key: row.host_key, ...hosts }];
  });
  const effort = { steps_left: MOST_STEPS, giveWay: createGiveWay() };
  const matcher = await createKnownHostMatcher(entries, effort);
  // A line without a port concerns the host at any port that has no key of its own, as in ssh.
  for (const at of port === SSH_PORT ? [port] : [port, SSH_PORT]) {
    const found = await matcher.keysOf({ hostname, port: at });
    if (!found || found.length > 0) return true;
  }
  return false;
}

export type NewRevokedHostKey = Omit<RevokedHostKeyRow, 'id'>;

export async function revokedRow(
  stored: Pick<NewRevokedHostKey, 'names' | 'host_key' | 'created_at'>,
): Promise<NewRevokedHostKey> {
  const [fingerprint, digest] = [await fingerprintOf(stored.host_key), await digestOfRevocation(stored)];
  return { ...stored, fingerprint, digest };
}

/** The same names and key have the same digest. */
export async function digestOfRevocation({
  names,
  host_key,
}: Pick<NewRevokedHostKey, 'names' | 'host_key'>): Promise<string> {
  return toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(`${names} ${host_key}`))));
}
