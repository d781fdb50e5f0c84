const SETTLING_MS = 3000; // smoothing time of the rate

export interface Meter {
  /** Takes the bytes sent so far and returns the smoothed rate in bytes per second. */
  read(sent_bytes: number, now_ms: number): number;
}

export function createMeter(): Meter {
  let rate = 0;
  let last: { readonly sent_bytes: number; readonly now_ms: number } | undefined;
  return {
    read(sent_bytes, now_ms) {
      const before = last;
      last = { sent_bytes, now_ms };
      if (!before || now_ms <= before.now_ms) return rate;
      const passed_ms = now_ms - before.now_ms;
      // A retry restarts from what the host has, which is not a negative rate.
      const present = (Math.max(0, sent_bytes - before.sent_bytes) * 1000) / passed_ms;
      const weight = rate === 0 ? 1 : 1 - Math.exp(-passed_ms / SETTLING_MS);
      rate += (present - rate) * weight;
      return rate;
    },
  };
}

/** Undefined until it can be estimated. */
export function secondsLeft(left_bytes: number, bytes_per_second: number): number | undefined {
  if (bytes_per_second < 1) return undefined;
  return Math.ceil(left_bytes / bytes_per_second);
}
