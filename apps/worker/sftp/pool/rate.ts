const LOOK_AGAIN_MS = 10_000; // a way may have become longer; a queue of our own must not pass for that
const MEMORY_ROUNDS = 10; // of round trips, for the highest rate
const LEAST_MEMORY_MS = 200;
const SHORTEST_SAMPLE_MS = 0.05;

/** The highest rate of late, and the shortest round trip. */
export interface Rate {
  /** Starts a watch; the returned function says that so many bytes have come through. */
  sent(): (bytes: number) => void;
  bytes_per_ms(): number;
  shortest_ms(): number;
  /** The round trip is being measured anew: little should be under way. */
  is_looking(): boolean;
}

export function createRate(now: () => number): Rate {
  const best = createBest(now);
  let came_bytes = 0;
  let shortest_ms = Number.POSITIVE_INFINITY;
  let measured_ms = 0;
  let look_from_ms = Number.POSITIVE_INFINITY;

  function measure(round_trip_ms: number, sent_ms: number): void {
    const is_new = sent_ms >= look_from_ms; // the queue from before has run off
    if (round_trip_ms <= shortest_ms || is_new) {
      shortest_ms = round_trip_ms;
      measured_ms = now();
      look_from_ms = Number.POSITIVE_INFINITY;
    } else if (now() - measured_ms > LOOK_AGAIN_MS && look_from_ms === Number.POSITIVE_INFINITY) {
      look_from_ms = now() + round_trip_ms;
    }
  }
  return {
    sent() {
      const sent_ms = now();
      const before_bytes = came_bytes;
      return (bytes) => {
        came_bytes += bytes;
        const round_trip_ms = Math.max(SHORTEST_SAMPLE_MS, now() - sent_ms);
        measure(round_trip_ms, sent_ms);
        best.add((came_bytes - before_bytes) / round_trip_ms, shortest_ms * MEMORY_ROUNDS);
      };
    },
    bytes_per_ms: () => best.value(),
    shortest_ms: () => (Number.isFinite(shortest_ms) ? shortest_ms : 0),
    is_looking: () => Number.isFinite(look_from_ms),
  };
}

/** The highest value of the last one to two spans. */
function createBest(now: () => number) {
  let present = 0;
  let past = 0;
  let since_ms = now();
  return {
    value: () => Math.max(present, past),
    add(value: number, span_ms: number): void {
      if (now() - since_ms > Math.max(LEAST_MEMORY_MS, span_ms)) {
        past = present;
        present = 0;
        since_ms = now();
      }
      present = Math.max(present, value);
    },
  };
}
