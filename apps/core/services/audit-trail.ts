import { wellFormed } from '../lib/text.ts';
import type { AuditAction } from '../model/audit.ts';
import type { Caller } from '../model/caller.ts';
import type { Clock } from '../ports/runtime.ts';
import type { AuditChain } from './audit-chain.ts';

const DETAIL_LENGTH = 10_000; // two paths as long as they may be, and who they belong to
const NAME_LENGTH = 150;
const TYPED_NAME_LENGTH = 64; // of a failed sign-in: it may be anything

/** Who did it: a caller, or somebody who is not signed in (yet). */
export type Actor = Pick<Caller, 'username' | 'ip_address'> & { readonly user_id: number | null };

/** Where verbs write down what they did: their last line. */
export interface AuditTrail {
  /** Resolves when it is stored: what can't be recorded does not go on unseen. */
  record(actor: Actor, action: AuditAction, detail: string): Promise<void>;
  /** All of what it was done to, in as many entries as that takes; each begins with `label`. */
  recordAll(
    actor: Actor,
    action: AuditAction,
    about: { label: string; items: readonly string[] },
  ): Promise<void>;
}

export function createAuditTrail({ chain, clock }: { chain: AuditChain; clock: Clock }): AuditTrail {
  const record: AuditTrail['record'] = ({ user_id, username, ip_address }, action, detail) =>
    chain.append({
      user_id,
      username: wellFormed(username, user_id === null ? TYPED_NAME_LENGTH : NAME_LENGTH),
      action,
      detail: wellFormed(detail, DETAIL_LENGTH),
      ip_address: wellFormed(ip_address, 100),
      created_at: clock.now().toISOString(),
    });
  return {
    record,
    async recordAll(actor, action, { label, items }) {
      for (const detail of inDetails(items, DETAIL_LENGTH - label.length)) {
        await record(actor, action, label + detail);
      }
    },
  };
}

/** Joined as long as it fits; one that is longer alone keeps its beginning and its end. */
export function inDetails(items: readonly string[], max: number): string[] {
  const details: string[] = [];
  for (const item of items.map((one) => shortened(one, max))) {
    const joined = `${details.at(-1)}, ${item}`;
    if (details.length > 0 && joined.length <= max) details.splice(-1, 1, joined);
    else details.push(item);
  }
  return details;
}

function shortened(item: string, max: number): string {
  const half = Math.floor((max - 1) / 2);
  return item.length <= max ? item : `${item.slice(0, half)}…${item.slice(-half)}`;
}

/** How entries name a server: names change, ids stay. */
export function serverLabel({ id, name }: { readonly id: number; readonly name: string }): string {
  return `${name} (#${id})`;
}
