import { Fault } from '../errors.ts';
import {
  createKnownHostMatcher,
  fingerprintOf,
  hashedWork,
  preferredFirst,
  readKnownHosts,
} from '../lib/known-hosts.ts';
import type { Caller } from '../model/caller.ts';
import type { ServerRow } from '../model/server.ts';
import type { ImportedHostKeys } from '../model/server-transfer.ts';
import { assertAdmin } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { PresentedHostKey } from '../ports/ssh.ts';
import { type AuditTrail, serverLabel } from './audit-trail.ts';

const MOST_HASHES = 250_000; // three or four seconds of work

/** Pins from a `known_hosts` file: what an administrator already trusts need not be trusted at first sight. */
export interface HostKeyImports {
  importAll(caller: Caller, text: string): Promise<ImportedHostKeys>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly trail: AuditTrail;
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

export function createHostKeyImports({ repositories: { servers }, trail }: Deps): HostKeyImports {
  async function pin(server: ServerRow, keys: readonly PresentedHostKey[]): Promise<Outcome> {
    const [first, ...others] = keys;
    if (!first) return { kind: 'unknown' };
    if (keys.some(({ host_key }) => host_key === server.host_key)) return { kind: 'unchanged' };
    const is_pinned =
      server.host_key === null &&
      (await servers.replaceHostKeys({
        server_id: server.id,
        hostname: server.hostname,
        port: server.port,
        instead_of: null,
        ...first,
        announced_host_keys: others,
      }));
    if (is_pinned) return { kind: 'pinned', server, fingerprint: first.fingerprint };
    const warning = `${server.name}: another key is pinned than the file has; clear it first if the file is right`;
    return { kind: 'refused', warning };
  }

  return {
    async importAll(caller, text) {
      assertAdmin(caller);
      const { entries, warnings } = readKnownHosts(text);
      const rows = await servers.list('all', {});
      if (hashedWork(entries, rows) > MOST_HASHES) throw new Fault('too_many_imports');
      const matcher = createKnownHostMatcher(entries);
      const outcomes: Outcome[] = [];
      for (const server of rows) {
        const found = preferredFirst(await matcher.keysOf(server));
        const outcome = await pin(server, await withFingerprints(found));
        if (outcome.kind === 'pinned') await trail.record(caller, 'host_key_import', labelOf(outcome));
        outcomes.push(outcome);
      }
      return {
        pinned: outcomes.flatMap((one) => (one.kind === 'pinned' ? [toPinned(one)] : [])),
        unchanged: outcomes.filter(({ kind }) => kind === 'unchanged').length,
        warnings: [...warnings, ...outcomes.flatMap((one) => (one.kind === 'refused' ? [one.warning] : []))],
      };
    },
  };
}

function labelOf({ server, fingerprint }: Pinned): string {
  return `${serverLabel(server)}: ${fingerprint}`;
}

function toPinned({ server: { id, name }, fingerprint }: Pinned): ImportedHostKeys['pinned'][number] {
  return { server_id: id, name, fingerprint };
}

function withFingerprints(keys: readonly { readonly host_key: string }[]): Promise<PresentedHostKey[]> {
  const distinct = [...new Set(keys.map(({ host_key }) => host_key))];
  return Promise.all(
    distinct.map(async (host_key) => ({ host_key, fingerprint: await fingerprintOf(host_key) })),
  );
}
