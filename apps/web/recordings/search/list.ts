import type { Recording } from '../recordings.ts';
import type { Found } from './search.ts';

export type Match = Found['matches'][number];

/** A recording of the list, with the lines that have the text. */
export interface Listed {
  readonly recording: Recording;
  readonly matches: readonly Match[];
}

const NO_MATCHES: readonly Match[] = [];

/** Recordings with the text in their names, and those whose terminals showed it: each once, the newest first. */
export function joinFound(named: readonly Recording[], found: readonly Found[]): readonly Listed[] {
  const by_id = new Map<number, Listed>();
  for (const recording of named) by_id.set(recording.id, { recording, matches: NO_MATCHES });
  for (const { recording, matches } of found) {
    const known = by_id.get(recording.id)?.recording ?? recording;
    by_id.set(recording.id, { recording: known, matches });
  }
  if (found.length === 0) return [...by_id.values()];
  return [...by_id.values()].sort(
    (one, other) => Date.parse(other.recording.started_at) - Date.parse(one.recording.started_at),
  );
}
