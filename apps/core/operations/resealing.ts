import type { AuditTrail } from '../audit/trail.ts';
import type { AuditSeal } from '../crypto/audit-seal.ts';
import type { Vault } from '../crypto/vault.ts';
import { SEALED_PLACES, type SealedPlace, type SealedValue } from '../ports/operations.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Log } from '../ports/runtime.ts';

const AT_ONCE = 100;
const TOLD_EACH = 1000;
const NAMED = 20; // in one line of the log
const NOBODY = { user_id: null, username: '', ip_address: '' };

/** After a change of the secret key: what the previous one sealed and signed is sealed and signed by the present one. */
export interface Resealing {
  /** One look at everything; what changed meanwhile stays as it is. To be repeated: others may still seal as before. */
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'sealed' | 'audit' | 'servers' | 'users' | 'webhooks'>;
  readonly vault: Vault;
  readonly seal: AuditSeal;
  readonly trail: AuditTrail;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

export function createResealing({ repositories, vault, seal, trail, log }: Deps): Resealing {
  const { sealed: values, audit } = repositories;
  let told_lost = '';
  let has_told = false;

  /** False where neither key opens it. */
  async function reseal(value: SealedValue): Promise<boolean> {
    const secret = await vault.open(value.sealed, value.place).catch(() => undefined);
    if (secret === undefined) return false;
    await values.replace(value, await vault.seal(secret, value.place));
    return true;
  }

  async function resealAll(signal: AbortSignal): Promise<{ done: number; lost: SealedValue[] }> {
    const lost: SealedValue[] = [];
    let done = 0;
    for (const place of SEALED_PLACES) {
      for (let after_id = 0, more = true; more && !signal.aborted; ) {
        const found = await values.foreign(place, vault.key_id, after_id, AT_ONCE);
        for (const value of found) {
          if (!(await reseal(value))) lost.push(value);
          else if (++done % TOLD_EACH === 0) log.info({ done }, 'Re-sealing stored secrets');
        }
        after_id = found.at(-1)?.id ?? after_id;
        more = found.length === AT_ONCE;
      }
    }
    return { done, lost };
  }

  /** Of chains that other runs have written, and of the roll. */
  async function resignAll(): Promise<number> {
    const renewed: boolean[] = [];
    for (const chain of await audit.chains()) {
      const signature = await seal.renewedHead(chain);
      if (signature !== undefined) renewed.push(await audit.resign(chain, signature));
    }
    const roll = await audit.roll();
    const signature = roll && (await seal.renewedRoll(roll));
    if (roll && signature !== undefined) await audit.resignRoll(roll, signature);
    return renewed.filter(Boolean).length;
  }

  /** A lost key is the problem of whose secret it was, by name; said once as long as it stays the same. */
  async function tellLost(lost: readonly SealedValue[]): Promise<void> {
    const of = new Set(await Promise.all(lost.map((value) => ownerOf(value, repositories))));
    const names = [...of].sort();
    if (names.join() === told_lost) return;
    told_lost = names.join();
    if (names.length > 0) log.warn({ count: names.length, of: names.slice(0, NAMED) }, LOST);
  }

  return {
    async run(signal) {
      const chains = await resignAll();
      const { done, lost } = await resealAll(signal);
      await tellLost(lost);
      if (done + chains === 0) return;
      log.info({ secrets: done, audit_chains: chains }, 'Sealed anew under the present secret key');
      if (done === 0 && has_told) return; // an instance that goes on with the previous key signs with it all the time
      has_told = true;
      await trail.record(NOBODY, 'secrets_reseal', `${done} secrets, ${chains} chains of the audit log`);
    },
  };
}

const LOST =
  'Stored secrets cannot be decrypted: enter them again, or start with SERVICE_SECRET_KEY_PREVIOUS set to the key that sealed them';

const NAMERS: Record<
  SealedPlace,
  (id: number, repositories: Deps['repositories']) => Promise<string | undefined>
> = {
  'users.totp_secret': async (id, { users }) => (await users.byId(id))?.username,
  'servers.password': nameOfServer,
  'servers.private_key': nameOfServer,
  'servers.passphrase': nameOfServer,
  'webhooks.secret': nameOfWebhook,
  'webhooks.previous_secret': nameOfWebhook,
};

async function nameOfServer(id: number, { servers }: Deps['repositories']): Promise<string | undefined> {
  return (await servers.byId(id))?.name;
}

async function nameOfWebhook(id: number, { webhooks }: Deps['repositories']): Promise<string | undefined> {
  return (await webhooks.byId(id))?.name;
}

async function ownerOf({ place, id }: SealedValue, repositories: Deps['repositories']): Promise<string> {
  const [table = '', field = ''] = place.split('.');
  const name = await NAMERS[place](id, repositories);
  return `${field} of ${table.slice(0, -1)} ${name ?? '?'} (#${id})`;
}
