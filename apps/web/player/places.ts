/** A seek target: seconds, a player shortcut, a fraction of the length, or a marker. */
export type Place = number | string | { readonly marker: number | 'prev' | 'next' };

interface Tape {
  readonly present_ms: number;
  readonly duration_ms: number;
  /** In chronological order. */
  readonly markers_ms: readonly number[];
}

const STEP_MS = 5000;
const NEAR_MS = 1000; // this soon after a marker, go to the one before

export function placeOn(tape: Tape, where: Place): number {
  const wanted = wantedOn(tape, where);
  return Math.min(Math.max(0, wanted), tape.duration_ms);
}

function wantedOn(tape: Tape, where: Place): number {
  if (typeof where === 'number') return where * 1000;
  return typeof where === 'string' ? byKey(tape, where) : byMarker(tape, where.marker);
}

function byKey({ present_ms, duration_ms }: Tape, key: string): number {
  const steps: Readonly<Record<string, number>> = {
    '<<': -STEP_MS,
    '>>': STEP_MS,
    '<<<': -duration_ms / 10,
    '>>>': duration_ms / 10,
  };
  const part = /^([\d.]+)%$/.exec(key)?.[1];
  return part === undefined ? present_ms + (steps[key] ?? 0) : (Number(part) / 100) * duration_ms;
}

function byMarker({ present_ms, duration_ms, markers_ms }: Tape, marker: number | 'prev' | 'next'): number {
  if (marker === 'next') return markers_ms.find((at) => at > present_ms) ?? duration_ms;
  if (marker === 'prev') return markers_ms.findLast((at) => at < present_ms - NEAR_MS) ?? 0;
  return markers_ms[marker] ?? present_ms;
}
