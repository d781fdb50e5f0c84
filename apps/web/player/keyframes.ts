import type { Cast } from './load-cast.ts';
import type { CastEvent } from './timeline.ts';

const STRETCH_CHARACTERS = 1024 * 1024; // played in about 20 ms
const SHORT_CHARACTERS = 4 * STRETCH_CHARACTERS; // fast enough without keyframes

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** The screen after this many events, as output for an empty terminal of this size. */
export interface Keyframe {
  readonly count: number;
  readonly size: Size;
  readonly init: string;
}

/** The events up to the next keyframe, with outputs joined. */
export interface Stretch {
  readonly count: number;
  /** The size at the start of the cast. */
  readonly size: Size;
  readonly steps: readonly (string | Size)[];
}

export interface Keyframes {
  /** The last keyframe at or before this event that is ready. */
  before(count: number): Keyframe | undefined;
  stop(): void;
}

/** Computes keyframes in the background, so that seeking in a long cast does not replay everything before. */
export function makeKeyframes(cast: Cast): Keyframes {
  const frames: Keyframe[] = [];
  const stretches = isShort(cast.events) ? [] : stretchesOf(cast);
  const worker = stretches.length === 0 ? undefined : startWorker();
  worker?.addEventListener('message', ({ data }: MessageEvent<Keyframe>) => frames.push(data));
  worker?.postMessage(stretches);
  return {
    before: (wanted) => frames.findLast(({ count }) => count <= wanted),
    stop: () => worker?.terminate(),
  };
}

function startWorker(): Worker {
  return new Worker(new URL('./keyframe-worker.ts', import.meta.url), { type: 'module' });
}

function isShort(events: readonly CastEvent[]): boolean {
  let characters = 0;
  return !events.some(([, , data]) => {
    characters += data.length;
    return characters > SHORT_CHARACTERS;
  });
}

export function stretchesOf({ cols, rows, events }: Cast, length = STRETCH_CHARACTERS): Stretch[] {
  const stretches: Stretch[] = [];
  let part: CastEvent[] = [];
  let characters = 0;
  for (const [index, event] of events.entries()) {
    part.push(event);
    characters += event[2].length;
    if (characters < length) continue;
    stretches.push({ count: index + 1, size: { cols, rows }, steps: joined(part) });
    part = [];
    characters = 0;
  }
  return stretches;
}

/** Joins the outputs between two resizes. */
export function joined(events: readonly CastEvent[]): (string | Size)[] {
  const steps: (string | Size)[] = [];
  let outputs: string[] = [];
  const flush = () => {
    if (outputs.length > 0) steps.push(outputs.join(''));
    outputs = [];
  };
  for (const [, code, data] of events) {
    if (code === 'o') outputs.push(data);
    else {
      flush();
      steps.push(sizeOf(data));
    }
  }
  flush();
  return steps;
}

/** Parses `80x24`. */
function sizeOf(data: string): Size {
  const [cols = 80, rows = 24] = data.split('x').map(Number);
  return { cols, rows };
}
