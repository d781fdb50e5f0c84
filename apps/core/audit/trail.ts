import { wellFormed } from '../lib/text.ts';
import type { AuditAction } from '../model/audit.ts';
import type { Caller } from '../model/caller.ts';
import type { GatewayEvent } from '../model/event.ts';
import type { Clock } from '../ports/runtime.ts';
import type { AuditChain } from './writer.ts';

const DETAIL_LENGTH = 10_000; // two paths as long as they may be, and who they belong to
const NAME_LENGTH = 150;
const TYPED_NAME_LENGTH = 64; // of a failed sign-in: it may be anything

/** Who did it: a caller, or somebody who is not signed in (yet). */
export type Actor = Pick<Caller, 'username' | 'ip_address'> & { readonly user_id: number | null };

/** Acts on its own, or on the command line. */
export const THE_GATEWAY: Actor = { user_id: null, username: '', ip_address: '' };

export interface RecordOptions {
  /** What webhooks are to hear of it. */
  readonly event?: GatewayEvent | undefined;
  /** False for what does not go on when it cannot be recorded, or is recorded anew. */
  readonly owed?: boolean | undefined;
}

/** Where verbs write down what they did: their last line. */
export interface AuditTrail {
  /**
   * Resolves when it is stored: what can't be recorded does not go on unseen. While the database is away it fails, and
   * is written late.
   */
  record(actor: Actor, action: AuditAction, detail: string, options?: RecordOptions): Promise<void>;
  /** All of what it was done to, in as many entries as that takes; each begins with `label`. */
  recordAll(
    actor: Actor,
    action: AuditAction,
    about: { label: string; items: readonly string[] },
    options?: RecordOptions,
  ): Promise<void>;
  /** What webhooks are to hear of a deed that has its entry already. */
  tell(event: GatewayEvent): Promise<void>;
}

export function createAuditTrail({
  chain,
  clock,
}: {
  chain: Pick<AuditChain, 'append' | 'tell'>;
  clock: Pick<Clock, 'now'>;
}): AuditTrail {
  const now = () => clock.now().toISOString();
  const record: AuditTrail['record'] = (actor, action, detail, { event, owed } = {}) => {
    const { user_id, username, ip_address } = actor;
    const created_at = now();
    return chain.append(
      {
        user_id,
        username: wellFormed(username, user_id === null ? TYPED_NAME_LENGTH : NAME_LENGTH),
        action,
        detail: wellFormed(detail, DETAIL_LENGTH),
        ip_address: wellFormed(ip_address, 100),
        created_at,
      },
      { event: event && { event, fired_at: created_at }, owed },
    );
  };
  return {
    record,
    async recordAll(actor, action, { label, items }, { event, owed } = {}) {
      const details = inDetails(items, DETAIL_LENGTH - label.length);
      // All at once: when the first fails, the others are owed as well.
      await Promise.all(
        details.map((detail, index) =>
          record(actor, action, label + detail, { event: index === 0 ? event : undefined, owed }),
        ),
      );
    },
    tell: (event) => chain.tell({ event, fired_at: now() }),
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
