import { type AuditTrail, serverLabel } from '../../audit/trail.ts';
import { Fault } from '../../errors.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { ServerRow } from '../../model/hosts/server.ts';
import type { ImportedHostKeys } from '../../model/hosts/server-transfer.ts';
import { assertMay } from '../../policy/account.ts';
import type { CheckedServer } from '../../ports/repositories/hosts.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { PresentedHostKey } from '../../ports/ssh.ts';
import { knownKeys } from '../host-keys.ts';
import {
  createKnownHostMatcher,
  fingerprintOf,
  hashedWork,
  type KnownHost,
  preferredFirst,
  type Revocation,
  readKnownHosts,
} from '../known-hosts/parse.ts';
import type { RefusedServers } from '../known-hosts/refused-servers.ts';
import type { RevokedKeys } from '../known-hosts/revoked.ts';
import type { Repointing } from '../repointing.ts';
import { createWarnings } from './warning-list.ts';
import { withPhrases } from './warning-phrases.ts';

const MOST_HASHES = 250_000; // three or four seconds
const MOST_STEPS = 100_000_000; // a second or two; more than 20,000 servers with 300 wildcards need
const MOST_TOLD = 20; // revoked keys in one audit entry
const MOST_KEYS = 20; // per host; a real host has one of each kind

/** Imports pins from a `known_hosts` file, so that hosts an administrator already trusts need no first use. */
export interface HostKeyImports {
  importAll(caller: Caller, text: string): Promise<ImportedHostKeys>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly revoked: RevokedKeys;
  readonly refused_servers: RefusedServers;
  readonly repointing: Repointing;
  readonly trail: AuditTrail;
}

interface Found {
  readonly server: ServerRow;
  /** What allows to pin its keys. */
  readonly checked?: CheckedServer;
  readonly host_keys: readonly string[];
}

interface Pinned {
  readonly kind: 'pinned';
  readonly server: ServerRow;
  readonly fingerprint: string;
}

type Outcome =
  | Pinned
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly warning: string };

export function createHostKeyImports(deps: Deps): HostKeyImports {
  const { revoked: revoked_keys, refused_servers, repointing, trail } = deps;
  const { servers } = deps.repositories;

  async function pin({ server, host_keys, checked }: Found): Promise<Outcome> {
    if (host_keys.length === 0) return { kind: 'unknown' };
    if (knownKeys(server).some((key) => host_keys.includes(key))) return { kind: 'unchanged' };
    if (host_keys.length > MOST_KEYS)
      return refused(server, `the file has more than ${MOST_KEYS} keys for it`);
    const [first, ...others] = await Promise.all(host_keys.map(presented));
    const is_pinned =
      first &&
      server.host_key === null &&
      (await servers.replaceHostKeys({
        server_id: server.id,
        hostname: server.hostname,
        port: server.port,
        instead_of: null,
        ...first,
        announced_host_keys: others,
        ...(checked && { checked }),
      }));
    if (is_pinned) return { kind: 'pinned', server, fingerprint: first.fingerprint };
    return refused(server, 'another key is pinned than the file has; clear it first if the file is right');
  }

  /** A pin decides which host receives the credential. */
  async function assertMayPin(caller: Caller, found: readonly Found[]): Promise<Found[]> {
    const allowed: Found[] = [];
    for (const one of found) {
      const is_new = one.host_keys.length > 0 && one.server.host_key === null;
      allowed.push(is_new ? { ...one, checked: await repointing.assertMayRepin(caller, one.server) } : one);
    }
    return allowed;
  }

  async function pinAll(caller: Caller, found: readonly Found[]): Promise<Outcome[]> {
    const giveWay = createGiveWay();
    const outcomes: Outcome[] = [];
    for (const one of found) {
      await giveWay();
      const outcome = await pin(one);
      if (outcome.kind === 'pinned') await trail.record(caller, 'host_key_import', labelOf(outcome));
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /** Keys that an earlier file has revoked. */
  async function withoutRevoked(found: readonly Found[]): Promise<Found[]> {
    const kept: Found[] = [];
    for (const { server, host_keys } of found) {
      const keys = await Promise.all(host_keys.slice(0, MOST_KEYS).map(presented));
      const fine = await revoked_keys.without(server, keys);
      const others = host_keys.slice(MOST_KEYS); // so many are refused anyway
      kept.push({ server, host_keys: [...fine.map(({ host_key }) => host_key), ...others] });
    }
    return kept;
  }

  async function revoke(caller: Caller, revocations: readonly Revocation[]): Promise<void> {
    if (revocations.length === 0) return;
    const added = await revoked_keys.add(revocations);
    const fingerprints = await Promise.all(
      revocations.slice(0, MOST_TOLD).map(({ host_key }) => fingerprintOf(host_key)),
    );
    await trail.record(caller, 'host_key_revoke', `${added}: ${[...new Set(fingerprints)].join(', ')}`);
  }

  /** The pins stay, since they are no longer enough. */
  async function refusePinned(revoked: ReadonlySet<string>): Promise<string[]> {
    return (await refused_servers.disconnect(revoked)).map(
      ({ name }) =>
        `${name}: one of its accepted keys is now revoked; connections that present it are refused`,
    );
  }

  return {
    async importAll(caller, text) {
      assertMay(caller, 'administer');
      const warnings = createWarnings();
      const { entries, revoked, revocations } = await readKnownHosts(text, warnings);
      const rows = await servers.list();
      const found = await assertMayPin(caller, await withoutRevoked(await findKeys(rows, entries)));
      await revoke(caller, revocations);
      const outcomes = await pinAll(caller, found);
      warnings.addFirst(...(await refusePinned(revoked)));
      warnings.add(...outcomes.flatMap((one) => (one.kind === 'refused' ? [one.warning] : [])));
      return {
        pinned: outcomes.flatMap((one) => (one.kind === 'pinned' ? [toPinned(one)] : [])),
        unchanged: outcomes.filter(({ kind }) => kind === 'unchanged').length,
        ...withPhrases(warnings.list()),
      };
    },
  };
}

/** The file's keys for each server, best first; throws before anything is pinned. */
async function findKeys(rows: readonly ServerRow[], entries: readonly KnownHost[]): Promise<Found[]> {
  if (hashedWork(entries, rows) > MOST_HASHES) throw new Fault('too_many_imports');
  const giveWay = createGiveWay();
  const matcher = await createKnownHostMatcher(entries, { steps_left: MOST_STEPS, giveWay });
  const found: Found[] = [];
  for (const server of rows) {
    await giveWay();
    const keys = await matcher.keysOf(server);
    if (!keys)
      throw new Fault('too_many_imports', 'Too many names in this file for so many servers: import in parts');
    found.push({ server, host_keys: [...new Set(preferredFirst(keys).map(({ host_key }) => host_key))] });
  }
  return found;
}

function refused({ name }: ServerRow, why: string): Outcome {
  return { kind: 'refused', warning: `${name}: ${why}` };
}

function labelOf({ server, fingerprint }: Pinned): string {
  return `${serverLabel(server)}: ${fingerprint}`;
}

function toPinned({ server: { id, name }, fingerprint }: Pinned): ImportedHostKeys['pinned'][number] {
  return { server_id: id, name, fingerprint };
}

async function presented(host_key: string): Promise<PresentedHostKey> {
  return { host_key, fingerprint: await fingerprintOf(host_key) };
}
