import type { AuditSeal } from '../../crypto/audit-seal.ts';
import { randomToken } from '../../lib/bytes/bytes.ts';
import type { AuditChainRow } from '../../model/audit/audit.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Clock, Log } from '../../ports/runtime.ts';
import { uncoveredCheckpoints, witnessText } from './witness.ts';

const OPEN_ATTEMPTS = 20; // instances that start at the same moment compete for the next chain number

interface Deps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly seal: AuditSeal;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly instance_id: string;
}

/**
 * Opens a chain whose head records how far the other chains are. `ended` is the head of this process's last chain, as
 * it was written: the stored one may be older.
 */
export async function openChain(deps: Deps, ended?: AuditChainRow): Promise<AuditChainRow> {
  const { seal, clock, log, instance_id } = deps;
  const { audit } = deps.repositories;
  for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt += 1) {
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
      witness: witnessText(uncoveredCheckpoints(chains, ended)),
    });
    if (await audit.openChain(chain, await seal.signRoll(number))) return chain;
  }
  throw new Error('Could not reserve a number for the audit chain');
}

/** The stored head of the chain, if it is `known` or ends with one of these hashes, and its signature is genuine. */
export async function storedHead(
  { seal, repositories, log }: Deps,
  known: AuditChainRow,
  hashes: readonly string[],
): Promise<AuditChainRow | undefined> {
  const row = await repositories.audit.chain(known.id);
  const is_own = row && [known.last_hash, ...hashes].includes(row.last_hash);
  if (is_own && (await seal.isGenuineHead(row))) return row;
  log.error({ chain: known.number, entries: known.entries, stored: row?.entries ?? 0 }, CHAIN_CHANGED);
  return undefined;
}

const CHAIN_CHANGED =
  'The audit chain of this gateway was changed or set back in the database: a new one is opened. Run sallyport audit verify';

/** Skips a number when the roll is missing or forged, so that verification reports the gap. */
function numberWithoutRoll(chains: readonly AuditChainRow[], is_forged: boolean): number {
  const last = chains.at(-1)?.number ?? 0;
  return last > 0 || is_forged ? last + 2 : 1;
}
