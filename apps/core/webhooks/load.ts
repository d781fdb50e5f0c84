import type { DeliveryShare } from '../ports/repositories/webhooks.ts';

const AT_ONCE = 20; // in this process
const EACH = 4; // per webhook that answers quickly
const SILENT_AT_ONCE = 10; // for all unproven webhooks together, so that they do not delay the others
const QUICK_MS = 3000; // a busy gateway may itself add a second

/** Deliveries in progress, and room for more. */
export interface WebhookLoad {
  has(delivery_id: number): boolean;
  begin(delivery_id: number, webhook_id: number): void;
  end(delivery_id: number): void;
  /** How long the receiver took to answer. */
  note(webhook_id: number, took_ms: number, has_answered: boolean): void;
  /** In total. */
  room(): number;
  /** Room per webhook, least recently served first. */
  shares(webhook_ids: readonly number[]): DeliveryShare[];
}

export function createWebhookLoad(): WebhookLoad {
  const under_way = new Map<number, number>(); // delivery → webhook
  const quick = new Set<number>();
  const slow = new Set<number>(); // slow but answering: goes before those that never answer
  const turns = new Map<number, number>(); // webhook → sequence number of its last delivery
  let turn = 0;

  const busy = (webhook_id: number) => [...under_way.values()].filter((id) => id === webhook_id).length;
  const isQuick = (webhook_id: number) => quick.has(webhook_id);
  const room = () => AT_ONCE - under_way.size;

  return {
    room,
    has: (delivery_id) => under_way.has(delivery_id),
    begin(delivery_id, webhook_id) {
      turn += 1;
      turns.set(webhook_id, turn);
      under_way.set(delivery_id, webhook_id);
    },
    end: (delivery_id) => void under_way.delete(delivery_id),

    note(webhook_id, took_ms, has_answered) {
      if (has_answered) slow.add(webhook_id);
      else slow.delete(webhook_id);
      if (took_ms < QUICK_MS) quick.add(webhook_id);
      else quick.delete(webhook_id);
    },

    shares(webhook_ids) {
      if (room() <= 0) return [];
      const isSilent = (id: number) => !isQuick(id) && !slow.has(id);
      const waited_for = [...under_way.values()].filter((id) => !isQuick(id));
      const silent_under_way = waited_for.filter(isSilent).length;
      const in_turn = webhook_ids.toSorted((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0));
      const proven = in_turn
        .filter(isQuick)
        .map((webhook_id) => ({ webhook_id, most: EACH - busy(webhook_id) }));
      const unproven = in_turn.filter((id) => !isQuick(id) && busy(id) === 0);
      const silent = unproven.filter(isSilent).slice(0, Math.max(0, SILENT_AT_ONCE - silent_under_way));
      const one_each = [...unproven.filter((id) => !isSilent(id)), ...silent]
        .slice(0, Math.max(0, AT_ONCE - EACH - waited_for.length)) // the rest is for quick webhooks
        .map((webhook_id) => ({ webhook_id, most: 1 }));
      return [...one_each, ...proven.filter(({ most }) => most > 0)].slice(0, room());
    },
  };
}
