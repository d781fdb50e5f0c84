import type { AuditSeal } from '../crypto/audit-seal.ts';
import { randomToken } from '../lib/bytes.ts';
import type { AuditChainRow } from '../model/audit.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import { witnessOf } from './witness.ts';

const TRIES = 20; // other instances that start at the same moment may take the number

export interface AuditChainDeps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly seal: AuditSeal;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly instance_id: string;
}

/** Begins a chain, vouching for where the others are. */
export async function openAuditChain({
  repositories: { audit },
  seal,
  clock,
  log,
  instance_id,
}: AuditChainDeps): Promise<AuditChainRow> {
  for (let round = 0; round < TRIES; round += 1) {
    const chains = await audit.chains();
    const roll = await audit.roll();
    const is_genuine = roll !== undefined && (await seal.isGenuineRoll(roll));
    if (roll && !is_genuine) {
      log.warn({}, 'The audit log was signed with another secret key: was SERVICE_SECRET_KEY changed?');
    }
    const number = is_genuine ? roll.chains + 1 : numberWithoutRoll(chains, roll !== undefined);
    const chain = await seal.signHead({
      id: randomToken(16),
      number,
      instance_id,
      started_at: clock.now().toISOString(),
      entries: 0,
      last_hash: '',
      witness: witnessOf(chains),
    });
    if (await audit.openChain(chain, await seal.signRoll(number))) return chain;
  }
  throw new Error('No number for an audit chain could be had');
}

/** A roll that is missing or forged is not made good silently: the number that is left out tells of it. */
function numberWithoutRoll(chains: readonly AuditChainRow[], is_forged: boolean): number {
  const last = chains.at(-1)?.number ?? 0;
  return last > 0 || is_forged ? last + 2 : 1;
}
