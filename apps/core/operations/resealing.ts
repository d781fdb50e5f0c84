import { type AuditTrail, THE_GATEWAY } from '../audit/trail.ts';
import type { AuditSeal } from '../crypto/audit-seal.ts';
import type { Vault } from '../crypto/vault.ts';
import {
  SEALED_PLACES,
  type SealedPlace,
  type SealedRepository,
  type SealedValue,
} from '../ports/repositories/operations.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Log } from '../ports/runtime.ts';

const PAGE_SIZE = 100;
const LOG_EVERY = 1000; // secrets
const MAX_NAMED = 20; // owners in one log line

/** After a change of the secret key: encrypts and signs with the current key what the previous key sealed. */
export interface Resealing {
  /** One pass over everything; a value that changes during the pass is left to the next one. */
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'sealed' | 'audit'> & Namers;
  readonly vault: Vault;
  readonly seal: AuditSeal;
  readonly trail: AuditTrail;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

export function createResealing({ repositories, vault, seal, trail, log }: Deps): Resealing {
  const { sealed: values, audit } = repositories;
  let logged_owners = '';
  let has_recorded = false;

  /** False when neither key decrypts the value. */
  async function reseal(value: SealedValue): Promise<boolean> {
    const secret = await vault.open(value.sealed, value.place, value.id).catch(() => undefined);
    if (secret === undefined) return false;
    await values.replace(value, await vault.seal(secret, value.place, value.id));
    return true;
  }

  async function resealAll(signal: AbortSignal): Promise<{ done: number; lost: SealedValue[] }> {
    const lost: SealedValue[] = [];
    let done = 0;
    for await (const value of foreignValues(values, vault.prefix, signal)) {
      if (!(await reseal(value))) lost.push(value);
      else if (++done % LOG_EVERY === 0) log.info({ done }, 'Resealing stored secrets');
    }
    return { done, lost };
  }

  /** Signs the audit chains of earlier runs, and the roll, with the current key. */
  async function resignAll(): Promise<number> {
    const renewed: boolean[] = [];
    for (const chain of await audit.chains()) {
      const signature = await seal.renewedHead(chain);
      if (signature !== undefined) renewed.push(await audit.resign(chain, signature));
    }
    const roll = await audit.roll();
    const signature = roll && (await seal.renewedRoll(roll));
    if (roll && signature !== undefined) await audit.resignRoll(roll, signature);
    const trim = await audit.trim();
    const trim_signature = trim && (await seal.renewedTrim(trim));
    if (trim && trim_signature !== undefined) await audit.resignTrim(trim, trim_signature);
    return renewed.filter(Boolean).length;
  }

  /** Names the owners of unreadable secrets, and again only when they change. */
  async function logLost(lost: readonly SealedValue[]): Promise<void> {
    const owners = new Set(await Promise.all(lost.map((value) => ownerOf(value, repositories))));
    const names = [...owners].sort();
    if (names.join() === logged_owners) return;
    logged_owners = names.join();
    if (names.length > 0) log.warn({ count: names.length, of: names.slice(0, MAX_NAMED) }, LOST);
  }

  return {
    async run(signal) {
      const chains = await resignAll();
      const { done, lost } = await resealAll(signal);
      await logLost(lost);
      if (done + chains === 0) return;
      log.info({ secrets: done, audit_chains: chains }, 'Resealed with the current secret key');
      if (done === 0 && has_recorded) return; // an instance that still runs with the previous key keeps signing with it
      has_recorded = true;
      await trail.record(THE_GATEWAY, 'secrets_reseal', `secrets: ${done}, audit chains: ${chains}`);
    },
  };
}

/** Every value that does not begin with this prefix, page by page. */
export async function* foreignValues(
  values: SealedRepository,
  prefix: string,
  signal?: AbortSignal,
): AsyncGenerator<SealedValue, void> {
  for (const place of SEALED_PLACES) {
    let after_id = 0;
    let page: SealedValue[];
    do {
      if (signal?.aborted) return;
      page = await values.foreign(place, prefix, after_id, PAGE_SIZE);
      yield* page;
      after_id = page.at(-1)?.id ?? after_id;
    } while (page.length === PAGE_SIZE);
  }
}

const LOST =
  'Stored secrets cannot be decrypted: enter them again, or start with SERVICE_SECRET_KEY_PREVIOUS set to the key that sealed them. If an older version stored them, run: sallyport admin bind-secrets';

type Namers = Pick<Repositories, 'servers' | 'users' | 'webhooks' | 'part_removals'>;

const NAMERS: Record<SealedPlace, (id: number, repositories: Namers) => Promise<string | undefined>> = {
  'users.totp_secret': async (id, { users }) => (await users.byId(id))?.username,
  'servers.password': nameOfServer,
  'servers.private_key': nameOfServer,
  'servers.passphrase': nameOfServer,
  'webhooks.secret': nameOfWebhook,
  'webhooks.previous_secret': nameOfWebhook,
  'part_removals.connection': async (id, { part_removals }) =>
    (await part_removals.byServer(id))?.server_name,
  'agent_settings.config': async () => undefined,
  'agent_messages.content': async () => undefined,
};

async function nameOfServer(id: number, { servers }: Namers): Promise<string | undefined> {
  return (await servers.byId(id))?.name;
}

async function nameOfWebhook(id: number, { webhooks }: Namers): Promise<string | undefined> {
  return (await webhooks.byId(id))?.name;
}

/** `password of server alpha (#3)`. */
export async function ownerOf({ place, id }: SealedValue, repositories: Namers): Promise<string> {
  if (place === 'agent_settings.config') return 'settings of the agent';
  const [table = '', field = ''] = place.split('.');
  const name = await NAMERS[place](id, repositories);
  return `${field} of ${table.slice(0, -1)} ${name ?? '?'} (#${id})`;
}
