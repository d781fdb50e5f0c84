import { every } from '../lib/time/timers.ts';
import { COUNTERS, type Counter, SAMPLE_STEP_S } from '../model/overview.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';

const INTERVAL_MS = 60_000;
const STEP_MS = SAMPLE_STEP_S * 1000;

/** Stores a sample every minute: the gauges, and what this process counted since the last sample. */
export interface OverviewSampler {
  start(): void;
  /** Stores a last sample. */
  stop(): Promise<void>;
}

export interface SamplerDeps {
  readonly repositories: Pick<Repositories, 'samples'>;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

type Totals = Readonly<Record<Counter, number>>;

export function createOverviewSampler(deps: SamplerDeps): OverviewSampler {
  const { repositories, meter, clock, background, log } = deps;
  let written = totalsBy(() => 0);
  let cancel: (() => void) | undefined;
  let writing = Promise.resolve();
  let is_writing = false;

  async function write(): Promise<void> {
    const { users: _users, exchanges: _exchanges, ...set } = await repositories.samples.present();
    const totals = totalsBy((what) => meter.total(what));
    const add = totalsBy((what) => totals[what] - written[what]);
    const at = new Date(Math.floor(clock.now().getTime() / STEP_MS) * STEP_MS).toISOString();
    await repositories.samples.record(at, { set, add });
    written = totals; // after a failure the next sample includes these counts
  }

  /** Never in parallel: both would store the same counts. */
  function sample(): void {
    if (is_writing) return;
    is_writing = true;
    writing = write().finally(() => {
      is_writing = false;
    });
    background.run('sample the overview', writing);
  }

  return {
    start() {
      sample();
      cancel = every(clock.after, INTERVAL_MS, sample);
    },

    async stop() {
      if (!cancel) return;
      cancel();
      cancel = undefined;
      await Promise.allSettled([writing]);
      await write().catch((err: unknown) => log.warn({ err }, 'Storing the last overview sample failed'));
    },
  };
}

function totalsBy(total: (what: Counter) => number): Totals {
  return complete(COUNTERS.map((what) => [what, total(what)]));
}

/** `totals` holds every counter. */
function complete(totals: readonly (readonly [Counter, number])[]): Totals {
  return Object.fromEntries(totals) as Totals;
}
