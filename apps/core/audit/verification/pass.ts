import { z } from 'zod';
import type { AuditSeal } from '../../crypto/audit-seal.ts';
import { type AuditChainRow, isRestored } from '../../model/audit/audit.ts';
import type {
  AuditVerifiedRow,
  VerificationProgress,
  VerificationStart,
} from '../../model/audit/verification.ts';
import type { AuditCut, AuditRepository } from '../../ports/repositories/audit.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { ChainEvidence } from '../retention/evidence.ts';

const KEEP_EVERY = 20_000; // entries: a few seconds, which a verification repeats after a crash
const REPORT_EVERY = 2_000;

const Places = z.array(z.tuple([z.string(), z.int().min(1), z.string()]));

export type Place = Pick<AuditCut, 'seq' | 'hash'>;

/** What a verification may do besides reading. */
export interface Reading {
  /** By default from the first entry. */
  readonly from?: VerificationStart | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly watch?: ((progress: VerificationProgress) => void) | undefined;
}

export interface PassDeps {
  readonly audit: AuditRepository;
  readonly seal: AuditSeal;
  /** Dates what the pass records; without it, nothing is recorded. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
}

/** A verification of all entries, by one run or by several that continue each other. */
export interface Pass {
  /** What earlier runs have verified; null when this one begins at the first entry. */
  readonly verified_before: { readonly entries: number; readonly began_at: string } | null;
  readonly removed: number;
  /** The last entry of this chain that an earlier run has verified and that is still there. */
  placeIn(chain_id: string): Place | undefined;
  /** These entries of the chain have passed. */
  passed(
    chain: AuditChainRow,
    at: Place & { readonly rows: number; readonly evidence: ChainEvidence },
  ): Promise<void>;
  /** A later run must not continue this one. */
  fail(): void;
  /** Stores how far it got before it was aborted. */
  interrupt(): Promise<void>;
  end(is_intact: boolean): Promise<void>;
}

/** Begins a pass, or continues the last one if nothing has changed the record of it. */
export async function beginPass(
  { audit, seal, clock }: PassDeps,
  { chains, cuts }: { readonly chains: readonly AuditChainRow[]; readonly cuts: ReadonlyMap<string, Place> },
  { from = 'start', watch }: Reading,
): Promise<Pass> {
  const earlier = from === 'checkpoint' ? await genuineVerified(audit, seal) : undefined;
  const places = await placesThere(audit, earlier);
  const seqOf = (of: ReadonlyMap<string, Place>, id: string) => of.get(id)?.seq ?? 0;
  const sum = (count: (chain: AuditChainRow) => number) =>
    chains.reduce((all, chain) => all + count(chain), 0);
  const total = sum(({ id, entries }) => entries - seqOf(cuts, id));
  let checked = sum(({ id }) => Math.max(0, seqOf(places, id) - seqOf(cuts, id)));
  const began_at = earlier?.began_at ?? clock?.now().toISOString() ?? '';
  const verified_before = earlier && checked > 0 ? { entries: checked, began_at } : null;
  const starts = new Map(places);
  let removed = earlier?.removed ?? 0;
  let [unkept, unreported] = [0, 0];
  let has_failed = false;
  const report = () => watch?.({ checked: Math.min(checked, total), total });
  report();

  async function keep(is_complete: boolean): Promise<void> {
    if (!clock || has_failed) return;
    const verified_at = clock.now().toISOString();
    const row = { entries: checked, began_at, verified_at, is_complete, removed, places: placesText(places) };
    await audit.keepVerified(await seal.signVerified(row));
    unkept = 0;
  }

  return {
    verified_before,
    removed,
    placeIn: (chain_id) => starts.get(chain_id),
    async passed(chain, { seq, hash, rows, evidence }) {
      places.set(chain.id, { seq, hash });
      if (!isRestored(chain)) removed = Math.max(removed, evidence.removed);
      [checked, unkept, unreported] = [checked + rows, unkept + rows, unreported + rows];
      if (unkept >= KEEP_EVERY) await keep(false);
      if (unreported < REPORT_EVERY) return;
      unreported = 0;
      report();
    },
    fail() {
      has_failed = true;
    },
    interrupt: () => keep(false),
    async end(is_intact) {
      if (is_intact) await keep(true);
      else if (clock) await audit.keepVerified(undefined);
    },
  };
}

/** What the last verification recorded; undefined when somebody else wrote it. */
export async function genuineVerified(
  audit: Pick<AuditRepository, 'verified'>,
  seal: AuditSeal,
): Promise<AuditVerifiedRow | undefined> {
  const row = await audit.verified();
  return row && (await seal.isGenuineVerified(row)) ? row : undefined;
}

/** A chain whose last verified entry was changed or removed is read again. */
async function placesThere(
  audit: AuditRepository,
  verified: AuditVerifiedRow | undefined,
): Promise<Map<string, Place>> {
  const places = Places.parse(JSON.parse(verified?.places ?? '[]')); // signed
  const hashes = new Set(await audit.storedHashes(places.map(([chain_id, seq]) => ({ chain_id, seq }))));
  const there = places.filter(([, , hash]) => hashes.has(hash));
  return new Map(there.map(([chain_id, seq, hash]) => [chain_id, { seq, hash }]));
}

function placesText(places: ReadonlyMap<string, Place>): string {
  return JSON.stringify([...places].map(([chain_id, { seq, hash }]) => [chain_id, seq, hash]));
}
