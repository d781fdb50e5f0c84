import type { Budget } from './budget.ts';

export const MIN_CHUNK_BYTES = 32 * 1024;
export const MAX_CHUNK_BYTES = 254 * 1024; // what any OpenSSH takes in one packet of 256 KiB
const CHUNK_MS = 4; // of transmission time, so that one chunk does not delay the others
const INITIAL_WINDOW_BYTES = 256 * 1024; // until the first measurement
const MAX_WINDOW_BYTES = 12 * 1024 * 1024; // more gained nothing at 20 ms and 350 MB/s

/** Congestion control for one direction of a connection, shared by its transfers. */
export interface FlowControl {
  join(): Flow;
}

/** One transfer in one direction. */
export interface Flow {
  /** How much to keep in flight. */
  window_bytes(): number;
  chunk_bytes(): number;
  /** Starts a measurement; the returned function ends it with the bytes delivered, 0 on failure. */
  sent(): (bytes: number) => void;
  /** The largest request the host handles. */
  limitChunk(bytes: number): void;
  leave(): void;
}

/**
 * The window is, as in BBR (draft-cardwell-iccrg-bbr-congestion-control-02), twice the bandwidth-delay product, from the
 * shortest round trip and the highest rate: enough to fill the path and notice when it gets faster, while other requests
 * wait at most one round trip.
 */
export function createFlowControl(budget: Budget, now: () => number = () => performance.now()): FlowControl {
  const rate = createRate(now);
  let max_chunk_bytes = MAX_CHUNK_BYTES;
  let active = 0;

  function chunk_bytes(): number {
    const wanted = Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, rate.bytes_per_ms() * CHUNK_MS));
    return Math.min(max_chunk_bytes, wanted - (wanted % 1024));
  }
  function total_bytes(): number {
    const held = rate.bytes_per_ms() * rate.shortest_ms();
    if (held === 0) return INITIAL_WINDOW_BYTES;
    return Math.min(MAX_WINDOW_BYTES, (rate.is_probing() ? held / 2 : held * 2) + 4 * chunk_bytes());
  }

  return {
    join() {
      const share = budget.join();
      let in_flight = 0;
      return {
        chunk_bytes,
        window_bytes: () => Math.min(share.bytes(), total_bytes() / Math.max(1, active)),
        sent() {
          if (in_flight === 0) active += 1;
          in_flight += 1;
          const delivered = rate.sent();
          return (bytes) => {
            in_flight -= 1;
            if (in_flight === 0) active -= 1;
            if (bytes > 0) delivered(bytes);
          };
        },
        limitChunk(bytes) {
          max_chunk_bytes = Math.min(max_chunk_bytes, bytes);
        },
        leave: () => share.leave(),
      };
    },
  };
}

const PROBE_INTERVAL_MS = 10_000; // the route may have changed, but our own queue must not be mistaken for a longer path
const MEMORY_ROUNDS = 10; // in round trips, for the highest rate
const MIN_MEMORY_MS = 200;
const MIN_SAMPLE_MS = 0.05;

/** The highest recent rate and the shortest round trip. */
export interface Rate {
  /** Starts a measurement; the returned function ends it with the bytes delivered. */
  sent(): (bytes: number) => void;
  bytes_per_ms(): number;
  shortest_ms(): number;
  /** The round trip is being measured again, so little should be in flight. */
  is_probing(): boolean;
}

export function createRate(now: () => number): Rate {
  const best = createMaxFilter(now);
  let delivered_bytes = 0;
  let shortest_ms = Number.POSITIVE_INFINITY;
  let measured_ms = 0;
  let probe_from_ms = Number.POSITIVE_INFINITY;

  function measure(round_trip_ms: number, sent_ms: number): void {
    const is_new = sent_ms >= probe_from_ms; // the earlier queue has drained
    if (round_trip_ms <= shortest_ms || is_new) {
      shortest_ms = round_trip_ms;
      measured_ms = now();
      probe_from_ms = Number.POSITIVE_INFINITY;
    } else if (now() - measured_ms > PROBE_INTERVAL_MS && probe_from_ms === Number.POSITIVE_INFINITY) {
      probe_from_ms = now() + round_trip_ms;
    }
  }
  return {
    sent() {
      const sent_ms = now();
      const before_bytes = delivered_bytes;
      return (bytes) => {
        delivered_bytes += bytes;
        const round_trip_ms = Math.max(MIN_SAMPLE_MS, now() - sent_ms);
        measure(round_trip_ms, sent_ms);
        best.add((delivered_bytes - before_bytes) / round_trip_ms, shortest_ms * MEMORY_ROUNDS);
      };
    },
    bytes_per_ms: () => best.value(),
    shortest_ms: () => (Number.isFinite(shortest_ms) ? shortest_ms : 0),
    is_probing: () => Number.isFinite(probe_from_ms),
  };
}

/** The highest value of the last one to two time spans. */
function createMaxFilter(now: () => number) {
  let present = 0;
  let past = 0;
  let since_ms = now();
  return {
    value: () => Math.max(present, past),
    add(value: number, span_ms: number): void {
      if (now() - since_ms > Math.max(MIN_MEMORY_MS, span_ms)) {
        past = present;
        present = 0;
        since_ms = now();
      }
      present = Math.max(present, value);
    },
  };
}
