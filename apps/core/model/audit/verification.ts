import { z } from 'zod';
import { Instant } from '../fields.ts';
import { AuditVerdict } from './audit.ts';

export const VerificationStart = z.enum(['start', 'checkpoint']);
export type VerificationStart = z.infer<typeof VerificationStart>;

export const AuditVerificationQuery = z.object({
  from: VerificationStart.default('start').describe(
    '`start`: reads the whole log. `checkpoint`: reads only what the last verification has not; the whole log if it ' +
      'found a fault, or if there was none',
  ),
});

export const AuditVerified = z
  .object({
    entries: z.int().describe('Number of entries found intact, from the beginning of each chain'),
    began_at: Instant.describe('When the first of them was read; changes since then may have gone unnoticed'),
    verified_at: Instant.describe('When the last of them was read'),
    is_complete: z.boolean().describe('False when the verification was interrupted; it can be continued'),
  })
  .meta({ id: 'AuditVerified' });
export type AuditVerified = z.infer<typeof AuditVerified>;

export const AuditVerificationStatus = z
  .object({
    verified: AuditVerified.nullable().describe(
      'Null when none was recorded, or when the last one found a fault',
    ),
    total: z.int().describe('Number of entries in the log now'),
  })
  .meta({ id: 'AuditVerificationStatus' });
export type AuditVerificationStatus = z.infer<typeof AuditVerificationStatus>;

export interface VerificationProgress {
  /** Includes what an earlier verification read. */
  readonly checked: number;
  readonly total: number;
}

/** How far a verification is; then the result, or why it ended. */
export const AuditVerificationEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('progress'),
      checked: z.int().describe('Includes what an earlier verification read, if this one continues it'),
      total: z.int(),
    }),
    z.object({ type: z.literal('result'), result: AuditVerdict }),
    z.object({ type: z.literal('failed'), detail: z.string(), code: z.string() }),
  ])
  .meta({ id: 'AuditVerificationEvent', 'x-extensible': true });
export type AuditVerificationEvent = z.infer<typeof AuditVerificationEvent>;

/** The signed record of how far a verification got. */
export interface AuditVerifiedRow extends AuditVerified {
  /** The most removed entries that a verified entry counts. */
  readonly removed: number;
  /** The last verified entry of each chain, with its hash. */
  readonly places: string;
  /** Covers all of the above. */
  readonly signature: string;
}

/** Picks every field by name, so that a new column never leaks. */
export function toAuditVerified({
  entries,
  began_at,
  verified_at,
  is_complete,
}: AuditVerifiedRow): AuditVerified {
  return { entries, began_at, verified_at, is_complete };
}
