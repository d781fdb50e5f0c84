const SETTLING_MS = 3000; // smoothing time of the rate
const ESTIMATED_AFTER_MS = 3000;
const ESTIMATED_AFTER_SHARE = 0.01;

export interface Meter {
  /** Takes the bytes sent so far and returns the smoothed rate in bytes per second. */
  read(sent_bytes: number, now_ms: number): number;
  /** How long the rate has been measured. */
  measured_ms(): number;
}

export function createMeter(): Meter {
  let rate = 0;
  let measured_ms = 0;
  let last: { readonly sent_bytes: number; readonly now_ms: number } | undefined;
  return {
    read(sent_bytes, now_ms) {
      const before = last;
      last = { sent_bytes, now_ms };
      if (!before || now_ms <= before.now_ms) return rate;
      const passed_ms = now_ms - before.now_ms;
      measured_ms += passed_ms;
      // A retry restarts from what the host has, which is not a negative rate.
      const present = (Math.max(0, sent_bytes - before.sent_bytes) * 1000) / passed_ms;
      const weight = rate === 0 ? 1 : 1 - Math.exp(-passed_ms / SETTLING_MS);
      rate += (present - rate) * weight;
      return rate;
    },
    measured_ms: () => measured_ms,
  };
}

export interface Measured {
  readonly sent_bytes: number;
  /** Undefined while unknown. */
  readonly total_bytes: number | undefined;
  readonly bytes_per_second: number;
  readonly measured_ms: number;
}

/** Undefined until it can be estimated: the small files at the beginning say nothing about the rest. */
export function secondsLeft({
  sent_bytes,
  total_bytes = 0,
  bytes_per_second,
  measured_ms,
}: Measured): number | undefined {
  if (measured_ms < ESTIMATED_AFTER_MS || sent_bytes < total_bytes * ESTIMATED_AFTER_SHARE) return undefined;
  if (bytes_per_second < 1 || sent_bytes >= total_bytes) return undefined;
  return Math.ceil((total_bytes - sent_bytes) / bytes_per_second);
}
