import { createClusters } from './clusters.ts';
import { type Keyframes, makeKeyframes } from './keyframes.ts';
import type { Cast } from './load-cast.ts';
import { type Place, placeOn } from './places.ts';
import { createShowing, type Dispatch, type Showing } from './showing.ts';
import { createStopwatch, type Stopwatch } from './stopwatch.ts';
import { createTimeline, type Marker, type Timeline } from './timeline.ts';

export interface Pace {
  readonly speed: number;
  /** Longer pauses are shortened to this. */
  readonly idle_ms: number;
}

/** The driver interface of the player. */
export interface Driver {
  init(): void;
  play(): void;
  pause(): void;
  seek(place: Place): void;
  /** Steps by this many outputs while paused. */
  step(count?: number): void;
  stop(): void;
  getDuration(): number;
  getCurrentTime(): number;
}

export interface Reel {
  /** The driver for the player, which calls it once. */
  drive(dispatch: Dispatch): Driver;
  /** Resumes at the current position. */
  change(pace: Pace): void;
  /** The session time of the current position. */
  shown_ms(): number;
}

/** Replaces the player's own driver, which writes each output separately: seeking in a three-hour cast took seconds. */
export class CastReel implements Reel {
  /** What the player's terminal shows in place of letters with marks. */
  readonly clusters = createClusters();
  readonly #cast: Cast;
  readonly #markers: readonly Marker[];
  readonly #watch: Stopwatch = createStopwatch(() => performance.now());
  #timeline: Timeline;
  readonly #keyframes: Keyframes;
  #showing: Showing | undefined;
  #dispatch: Dispatch = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(cast: Cast, markers: readonly Marker[], { speed, idle_ms }: Pace) {
    this.#cast = cast;
    this.#markers = markers;
    this.#keyframes = makeKeyframes(cast);
    this.#timeline = createTimeline(cast.events, idle_ms);
    this.#watch.speed(speed);
  }

  drive(dispatch: Dispatch): Driver {
    this.#dispatch = dispatch;
    return {
      init: () => {
        this.#tell();
        const keyframe = this.#keyframes.before;
        this.#showing = createShowing({ cast: this.#cast, keyframe, dispatch, clusters: this.clusters });
        if (this.#present() > 0) this.#place(this.#present());
      },
      play: () => this.#play(),
      pause: () => this.#pause(),
      seek: (where) => this.#seek(where),
      step: (count = 1) => this.#step(count),
      stop: () => {
        this.#halt();
        this.#showing?.stop();
        this.#keyframes.stop();
      },
      getDuration: () => this.#timeline.duration_ms / 1000,
      getCurrentTime: () => this.#present() / 1000,
    };
  }

  change({ speed, idle_ms }: Pace): void {
    const shown_ms = this.shown_ms();
    const was_running = this.#watch.is_running();
    this.#halt();
    this.#timeline = createTimeline(this.#cast.events, idle_ms);
    this.#watch.speed(speed);
    this.#watch.set(this.#timeline.toPlayer(shown_ms));
    this.#tell();
    if (was_running) this.#run();
    this.#dispatch('seeked');
  }

  show(shown_ms: number): void {
    this.#halt();
    this.#place(Math.min(this.#timeline.toPlayer(shown_ms), this.#timeline.duration_ms));
    this.#dispatch('pause');
    this.#dispatch('seeked');
  }

  shown_ms(): number {
    return this.#timeline.toShown(this.#present());
  }

  #present(): number {
    return Math.min(this.#watch.at(), this.#timeline.duration_ms);
  }

  #tell(): void {
    const markers = this.#markersInPlayer().map(({ at_ms, label }) => [at_ms / 1000, label]);
    this.#dispatch('metadata', { duration: this.#timeline.duration_ms / 1000, markers, hasAudio: false });
  }

  #markersInPlayer() {
    return this.#markers.map(({ shown_ms, label }) => ({ at_ms: this.#timeline.toPlayer(shown_ms), label }));
  }

  #play(): void {
    if (this.#watch.is_running()) return;
    this.#dispatch('play');
    if (this.#present() >= this.#timeline.duration_ms) this.#place(0);
    this.#run();
    this.#dispatch('playing');
  }

  #pause(): void {
    if (!this.#watch.is_running()) return;
    this.#halt();
    this.#dispatch('pause');
  }

  #seek(where: Place): void {
    const { duration_ms } = this.#timeline;
    const markers_ms = this.#markersInPlayer().map(({ at_ms }) => at_ms);
    const was_running = this.#watch.is_running();
    this.#halt();
    this.#place(placeOn({ present_ms: this.#present(), duration_ms, markers_ms }, where));
    const is_over = this.#present() >= duration_ms;
    if (was_running && !is_over) this.#run();
    this.#dispatch('seeked');
    if (is_over) this.#dispatch('ended');
  }

  #step(count: number): void {
    const shown = this.#showing?.count() ?? 0;
    const index = shown - 1 + count; // the last visible output
    if (this.#watch.is_running() || index < 0 || index >= this.#cast.events.length) return;
    this.#place(this.#timeline.at(index));
  }

  #place(player_ms: number): void {
    this.#showing?.jump(this.#timeline.countAt(player_ms));
    this.#watch.set(player_ms);
  }

  #run(): void {
    this.#watch.start();
    this.#schedule();
  }

  #halt(): void {
    clearTimeout(this.#timer);
    this.#watch.stop();
  }

  #schedule(): void {
    const due_ms = this.#timeline.at(this.#showing?.count() ?? 0) - this.#watch.at();
    this.#timer = setTimeout(() => this.#tick(), this.#watch.toWall(due_ms));
  }

  #tick(): void {
    const present_ms = this.#present(); // only once: drawing heavy output takes time, and the end may be reached in between
    this.#showing?.advance(this.#timeline.countAt(present_ms));
    if (present_ms < this.#timeline.duration_ms) this.#schedule();
    else if (this.#showing?.is_behind()) this.#timer = setTimeout(() => this.#tick());
    else this.#end();
  }

  #end(): void {
    this.#halt();
    this.#dispatch('ended');
  }
}
