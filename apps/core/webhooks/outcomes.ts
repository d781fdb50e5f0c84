import type { DeliveryOutcome } from '../ports/repositories/webhooks.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const PAUSES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS];
const SPREAD = 0.2; // of the delay, so that deliveries that failed together are not retried together

/** The result of an attempt: an answer, or none. */
export type AttemptEnd =
  | { readonly status: number }
  | { readonly reason: string; readonly is_final: boolean };

export type TryOutcome = Omit<DeliveryOutcome, 'at'>;

/** The next state after `attempts` earlier attempts; `chance` is between 0 and 1. */
export function outcomeOf(end: AttemptEnd, attempts: number, chance: number): TryOutcome {
  const last_status = 'status' in end ? end.status : null;
  if (last_status !== null && last_status >= 200 && last_status < 300) {
    return { status: 'delivered', last_status, last_error: null, next_attempt_in_ms: null };
  }
  const last_error = 'status' in end ? describe(end.status) : end.reason;
  const pause_ms = mayPass(end) ? PAUSES_MS[attempts] : undefined;
  if (pause_ms === undefined) return { status: 'failed', last_status, last_error, next_attempt_in_ms: null };
  const next_attempt_in_ms = Math.round(pause_ms * (1 - SPREAD + 2 * SPREAD * chance));
  return { status: 'pending', last_status, last_error, next_attempt_in_ms };
}

/** Whether a retry may succeed. */
function mayPass(end: AttemptEnd): boolean {
  return 'status' in end ? end.status === 429 || end.status >= 500 : !end.is_final;
}

function describe(status: number): string {
  const is_redirect = status >= 300 && status < 400;
  return is_redirect
    ? `The receiver answered ${status}; redirects are not followed`
    : `The receiver answered ${status}`;
}
