import { wellFormed } from '../lib/text/printable.ts';
import type { Caller, Transport } from '../model/accounts/caller.ts';
import type { AuditAction } from '../model/audit/audit.ts';
import type { GatewayEvent } from '../model/webhooks/event.ts';
import type { Clock } from '../ports/runtime.ts';
import type { AuditChain } from './chain/appends.ts';

const DETAIL_LENGTH = 10_000; // fits two paths of maximum length and their owner
const NAME_LENGTH = 150;
const TYPED_NAME_LENGTH = 64; // of a failed sign-in: arbitrary input

/** Who acted: a caller, or somebody who is not signed in yet. */
export interface Actor extends Pick<Caller, 'username' | 'ip_address'> {
  readonly user_id: number | null;
  /** Null when the gateway acts by itself. */
  readonly via: Transport | null;
}

/** Acts on its own, or on the command line. */
export const THE_GATEWAY: Actor = { user_id: null, username: '', ip_address: '', via: null };

export interface RecordOptions {
  /** Delivered to webhooks. */
  readonly event?: GatewayEvent | undefined;
  /** False when the action does not happen without its entry, or when the caller records it again. */
  readonly retry?: boolean | undefined;
  /** Names the action: an entry of that name is stored once, whichever process records it again. */
  readonly once?: string | undefined;
}

/** Records actions; usually the last line of a verb. */
export interface AuditTrail {
  /**
   * Resolves when the entry is stored, so that no action goes unrecorded. Rejects while the database is down; the
   * entry is then written late.
   */
  record(actor: Actor, action: AuditAction, detail: string, options?: RecordOptions): Promise<void>;
  /** Records all items, in as many entries as needed; each begins with `label`. */
  recordAll(
    actor: Actor,
    action: AuditAction,
    about: { label: string; items: readonly string[] },
    options?: RecordOptions,
  ): Promise<void>;
  /** Delivers an event whose action already has its entry. */
  fire(event: GatewayEvent): Promise<void>;
}

export function createAuditTrail({
  chain,
  clock,
}: {
  chain: Pick<AuditChain, 'append' | 'fire'>;
  clock: Pick<Clock, 'now'>;
}): AuditTrail {
  const now = () => clock.now().toISOString();
  const record: AuditTrail['record'] = (actor, action, detail, { event, retry, once } = {}) => {
    const { user_id, username, ip_address, via } = actor;
    const created_at = now();
    return chain.append(
      {
        user_id,
        username: wellFormed(username, user_id === null ? TYPED_NAME_LENGTH : NAME_LENGTH),
        action,
        detail: wellFormed(detail, DETAIL_LENGTH),
        ip_address: wellFormed(ip_address, 100),
        via,
        created_at,
      },
      { event: event && { event, fired_at: created_at }, retry, once },
    );
  };
  return {
    record,
    async recordAll(actor, action, { label, items }, { event, retry } = {}) {
      const details = inDetails(items, DETAIL_LENGTH - label.length);
      // Together, so that the others are written late even if the first fails.
      await Promise.all(
        details.map((detail, index) =>
          record(actor, action, label + detail, { event: index === 0 ? event : undefined, retry }),
        ),
      );
    },
    fire: (event) => chain.fire({ event, fired_at: now() }),
  };
}

/** Joins items up to `max` characters per entry; a longer item keeps its beginning and end. */
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

/** Names a server in entries by name and id, because names change. */
export function serverLabel({ id, name }: { readonly id: number; readonly name: string }): string {
  return `${name} (#${id})`;
}
