/** Monotonic counters. */
export const COUNTED = [
  'uploads',
  'downloads',
  'copies',
  'bytes_up',
  'bytes_down',
  'bytes_copied',
  'terminal_bytes_in',
  'terminal_bytes_out',
  'logins',
  'failed_logins',
  'webhook_delivered',
  'webhook_retried',
  'webhook_failed',
  'monitor_checks',
  'monitor_failures',
] as const;
export type Counted = (typeof COUNTED)[number];

/** Counts what this process does; the overview and `/metrics` read it. */
export interface Meter {
  add(what: Counted, by?: number): void;
  total(what: Counted): number;
}
