import { z } from 'zod';
import type { AuditChainRow } from '../model/audit.ts';

/** Somebody who kept an old head of a chain could put it back and cut the entries behind it; not past this. */
export interface Milestone {
  readonly chain_id: string;
  readonly seq: number;
  readonly hash: string;
}

const Witness = z.array(z.tuple([z.string(), z.int(), z.string()]));

/** Where the chains are now, leaving out what one of them says already. */
export function witnessOf(chains: readonly AuditChainRow[]): string {
  const said = new Set(milestonesOf(chains).map(textOf));
  const now = chains
    .filter(({ entries }) => entries > 0)
    .map(({ id, entries, last_hash }) => ({ chain_id: id, seq: entries, hash: last_hash }));
  return witnessTextOf(now.filter((one) => !said.has(textOf(one))));
}

export function witnessTextOf(milestones: readonly Milestone[]): string {
  return JSON.stringify(milestones.map(toTuple));
}

/** Where chains were seen; what is not in our format says nothing, and its signature will not fit. */
export function milestonesOf(chains: readonly Pick<AuditChainRow, 'witness'>[]): Milestone[] {
  return chains.flatMap(({ witness }) => parse(witness));
}

function parse(witness: string): Milestone[] {
  try {
    return Witness.parse(JSON.parse(witness)).map(([chain_id, seq, hash]) => ({ chain_id, seq, hash }));
  } catch {
    return [];
  }
}

function toTuple({ chain_id, seq, hash }: Milestone): [string, number, string] {
  return [chain_id, seq, hash];
}

function textOf(milestone: Milestone): string {
  return JSON.stringify(toTuple(milestone));
}
