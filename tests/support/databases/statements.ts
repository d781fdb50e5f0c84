import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Clock } from '#core/ports/runtime.ts';
import { STATEMENTS } from '#db/statements.ts';
import { systemClock } from '#server/lib/clock.ts';

/** Counts what this process sends to its databases. */
export interface CountedStatements {
  readonly texts: readonly string[];
  /** How many calls these are: SQLite runs a transaction within one, PostgreSQL is sent each of its statements. */
  calls(dialect: 'sqlite' | 'postgres'): number;
  stop(): void;
}

export function countStatements(): CountedStatements {
  const texts: string[] = [];
  const keep = (text: unknown) => {
    if (!String(text).includes('pg_notify')) texts.push(String(text)); // the keep-alive of the listener
  };
  subscribe(STATEMENTS, keep);
  return {
    texts,
    calls: (dialect) => (dialect === 'postgres' ? texts.length : withoutTransactions(texts)),
    stop: () => void unsubscribe(STATEMENTS, keep),
  };
}

/** Nothing comes between the statements of a transaction: SQLite holds the event loop until it is over. */
function withoutTransactions(texts: readonly string[]): number {
  let calls = 0;
  let is_within = false;
  for (const text of texts) {
    if (!is_within) calls += 1;
    if (text === 'begin') is_within = true;
    if (text === 'commit') is_within = false;
  }
  return calls;
}

/** Nothing happens after a longer delay than this. */
export function clockUntil(longest_ms: number): Clock {
  return {
    ...systemClock,
    after: (delay_ms, run) => (delay_ms <= longest_ms ? systemClock.after(delay_ms, run) : () => undefined),
  };
}

const SHORTER_THAN_ROUNDS_MS = 499;

/** Without the rounds of a gateway, whose statements would be counted too. */
export const roundless = clockUntil(SHORTER_THAN_ROUNDS_MS);
