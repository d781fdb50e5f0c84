export interface Watermarks {
  readonly high_bytes: number;
  readonly low_bytes: number;
}

/** Decides about a byte producer by how much its consumer has not taken yet. */
export function flowFor(
  queued_bytes: number,
  paused: boolean,
  marks: Watermarks,
): 'pause' | 'resume' | 'keep' {
  if (!paused && queued_bytes > marks.high_bytes) return 'pause';
  if (paused && queued_bytes < marks.low_bytes) return 'resume';
  return 'keep';
}
