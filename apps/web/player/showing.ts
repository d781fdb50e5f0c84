import { type Clusters, createClusters } from './clusters.ts';
import { createDrawing, slicesOf } from './drawing.ts';
import { joined, type Keyframe, type Size } from './keyframes.ts';
import type { Cast } from './load-cast.ts';

/** The callbacks to the player's terminal and controls. */
export type Dispatch = (name: string, data?: unknown) => void;

/** What the player's terminal shows. Costly output is written over several turns of the page. */
export interface Showing {
  /** The number of events written so far, with those that wait for their turn. */
  count(): number;
  /** Writes further events, up to `count` in total. */
  advance(count: number): void;
  /** Moves forward or back, from a keyframe if that is closer. */
  jump(count: number): void;
  /** Whether some output waits for its turn. */
  is_behind(): boolean;
  /** Drops the output that waits. */
  stop(): void;
}

interface Deps {
  readonly cast: Cast;
  readonly keyframe: (count: number) => Keyframe | undefined;
  readonly dispatch: Dispatch;
  readonly clusters?: Clusters;
  /** Milliseconds; the default is the page's clock. */
  readonly now?: () => number;
}

export function createShowing({ cast, keyframe, dispatch, clusters = createClusters(), now }: Deps): Showing {
  const { cols, rows, events } = cast;
  const drawing = createDrawing(now);
  let shown = 0;

  function begin(size: Size, init: string, count: number): void {
    drawing.clear();
    clusters.reset();
    dispatch('reset', { size, init: '', theme: null });
    drawing.add(written(init));
    shown = count;
  }

  function* written(step: string | Size): Generator<() => void> {
    if (typeof step !== 'string') yield () => dispatch('resize', step);
    else for (const slice of slicesOf(clusters.packed(step))) yield () => dispatch('output', slice);
  }

  function* writtenAll(steps: readonly (string | Size)[]): Generator<() => void> {
    for (const step of steps) yield* written(step);
  }

  function advance(count: number): void {
    drawing.add(writtenAll(joined(events.slice(shown, count))));
    shown = Math.max(shown, count);
  }

  begin({ cols, rows }, '', 0);
  return {
    count: () => shown,
    advance,
    jump(count) {
      const frame = keyframe(count);
      if (frame && (count < shown || frame.count > shown)) begin(frame.size, frame.init, frame.count);
      else if (count < shown) begin({ cols, rows }, '', 0);
      advance(count);
    },
    is_behind: drawing.is_busy,
    stop: drawing.clear,
  };
}
