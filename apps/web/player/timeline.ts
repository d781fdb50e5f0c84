/** Milliseconds from the start, kind, content. */
export type CastEvent = readonly [shown_ms: number, code: 'o' | 'r', data: string];

export interface Marker {
  readonly shown_ms: number;
  readonly label: string;
}

interface Pause {
  /** The time of the next event. */
  readonly end_ms: number;
  readonly length_ms: number;
}

const MARKED_PAUSE_MS = 60_000;
const MOST_MARKERS = 100;

/** Where activity resumes after a long pause; only the longest pauses, if there are many. */
export function markersOf(events: readonly CastEvent[], label: (pause: Pause) => string): Marker[] {
  const pauses = events.map(([end_ms], index): Pause => {
    const [before_ms] = events[index - 1] ?? [0];
    return { end_ms, length_ms: end_ms - before_ms };
  });
  return pauses
    .filter(({ length_ms }) => length_ms > MARKED_PAUSE_MS)
    .sort((a, b) => b.length_ms - a.length_ms)
    .slice(0, MOST_MARKERS)
    .sort((a, b) => a.end_ms - b.end_ms)
    .map((pause) => ({ shown_ms: pause.end_ms, label: label(pause) }));
}

/** Maps events and positions between playback time, which may shorten pauses, and session time. */
export interface Timeline {
  readonly duration_ms: number;
  /** The playback time of an event. */
  at(index: number): number;
  /** The number of events up to this time. */
  countAt(player_ms: number): number;
  toShown(player_ms: number): number;
  toPlayer(shown_ms: number): number;
}

export function createTimeline(events: readonly CastEvent[], limit_ms: number): Timeline {
  const times = new Float64Array(events.length);
  let last_ms = 0;
  let now_ms = 0;
  for (const [index, [shown_ms]] of events.entries()) {
    now_ms += Math.min(shown_ms - last_ms, limit_ms);
    last_ms = shown_ms;
    times[index] = now_ms;
  }
  const at = (index: number) => times[index] ?? now_ms;
  const shownAt = (index: number) => events[index]?.[0] ?? 0;
  const countBy = (isBefore: (index: number) => boolean) =>
    firstWhere(events.length, (index) => !isBefore(index));
  const countAt = (player_ms: number) => countBy((index) => at(index) <= player_ms);
  return {
    duration_ms: now_ms,
    at,
    countAt,
    toShown(player_ms) {
      const last = countAt(player_ms) - 1;
      return last < 0 ? player_ms : shownAt(last) + player_ms - at(last);
    },
    toPlayer(shown_ms) {
      const count = countBy((index) => shownAt(index) <= shown_ms);
      const since_ms = count === 0 ? shown_ms : at(count - 1) + shown_ms - shownAt(count - 1);
      return Math.min(since_ms, at(count)); // within a shortened pause
    },
  };
}

/** Binary search: the first index for which the predicate holds. */
function firstWhere(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
