import { wellFormed } from '../lib/text.ts';
import type { AuditAction } from '../model/audit.ts';
import type { Caller } from '../model/caller.ts';
import type { Clock } from '../ports/runtime.ts';
import type { AuditChain } from './audit-chain.ts';

const DETAIL_LENGTH = 2000;
const NAME_LENGTH = 150;
const TYPED_NAME_LENGTH = 64; // of a failed sign-in: it may be anything

/** Who did it: a caller, or somebody who is not signed in (yet). */
export type Actor = Pick<Caller, 'username' | 'ip_address'> & { readonly user_id: number | null };

/** Where verbs write down what they did: their last line. */
export interface AuditTrail {
  /** Resolves when it is stored: what can't be recorded does not go on unseen. */
  record(actor: Actor, action: AuditAction, detail: string): Promise<void>;
}

export function createAuditTrail({ chain, clock }: { chain: AuditChain; clock: Clock }): AuditTrail {
  return {
    record: ({ user_id, username, ip_address }, action, detail) =>
      chain.append({
        user_id,
        username: wellFormed(username, user_id === null ? TYPED_NAME_LENGTH : NAME_LENGTH),
        action,
        detail: wellFormed(detail, DETAIL_LENGTH),
        ip_address: wellFormed(ip_address, 100),
        created_at: clock.now().toISOString(),
      }),
  };
}

/** How entries name a server: names change, ids stay. */
export function serverLabel({ id, name }: { readonly id: number; readonly name: string }): string {
  return `${name} (#${id})`;
}
