import { z } from 'zod';
import type { AuditChainRow } from '../../model/audit/audit.ts';

/** Where a later chain saw this one. Restoring an old head to cut off entries fails against it. */
export interface Checkpoint {
  readonly chain_id: string;
  readonly seq: number;
  readonly hash: string;
}

const Witness = z.array(z.tuple([z.string(), z.int(), z.string()]));

/** Where the chains are now, without what one of them already records; always where the `ended` one is. */
export function uncoveredCheckpoints(chains: readonly AuditChainRow[], ended?: AuditChainRow): Checkpoint[] {
  const recorded = new Set(checkpointsOf(chains).map(keyOf));
  const uncovered = chains
    .filter(({ id, entries }) => entries > 0 && id !== ended?.id)
    .map(toCheckpoint)
    .filter((checkpoint) => !recorded.has(keyOf(checkpoint)));
  return ended ? [...uncovered, toCheckpoint(ended)] : uncovered;
}

function toCheckpoint({ id, entries, last_hash }: AuditChainRow): Checkpoint {
  return { chain_id: id, seq: entries, hash: last_hash };
}

/** The `witness` of a chain's head. */
export function witnessText(checkpoints: readonly Checkpoint[]): string {
  return JSON.stringify(checkpoints.map(toTuple));
}

/** A `witness` in another format counts as empty: its signature will not fit either. */
export function checkpointsOf(chains: readonly Pick<AuditChainRow, 'witness'>[]): Checkpoint[] {
  return chains.flatMap(({ witness }) => parse(witness));
}

function parse(witness: string): Checkpoint[] {
  try {
    return Witness.parse(JSON.parse(witness)).map(([chain_id, seq, hash]) => ({ chain_id, seq, hash }));
  } catch {
    return [];
  }
}

function toTuple({ chain_id, seq, hash }: Checkpoint): [string, number, string] {
  return [chain_id, seq, hash];
}

function keyOf(checkpoint: Checkpoint): string {
  return JSON.stringify(toTuple(checkpoint));
}
