import type { Caller } from '../model/accounts/caller.ts';
import type { Overview } from '../model/overview.ts';
import { assertMay } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import { pointsOf, startOf, stepsOf } from './points.ts';
import { createOverviewSampler, type OverviewSampler, type SamplerDeps } from './sampler.ts';

/** Current figures and their history. */
export interface OverviewService extends OverviewSampler {
  get(caller: Caller, hours: number): Promise<Overview>;
}

interface Deps extends SamplerDeps {
  readonly repositories: Pick<Repositories, 'samples' | 'instances'>;
}

const FRESH_MS = 30_000;
const QUICK_HOURS = 24;

type Merged = Awaited<ReturnType<Repositories['samples']['merged']>>;

export function createOverview(deps: Deps, { version }: { version: string }): OverviewService {
  const { repositories, clock } = deps;
  const { samples, instances } = repositories;
  const kept = new Map<number, { readonly found: Promise<Merged>; readonly at_ms: number }>();

  /** Long spans are slow on SQLite, so requests within 30 seconds share one query. */
  function merged(hours: number, since: string, step_s: number): Promise<Merged> {
    if (hours <= QUICK_HOURS) return samples.merged(since, step_s);
    const known = kept.get(hours);
    if (known && clock.elapsed_ms() - known.at_ms < FRESH_MS) return known.found;
    const found = samples.merged(since, step_s);
    kept.set(hours, { found, at_ms: clock.elapsed_ms() });
    found.catch(() => kept.delete(hours));
    return found;
  }

  return {
    ...createOverviewSampler(deps),

    async get(caller, hours) {
      assertMay(caller, 'read_administration');
      const steps = stepsOf(hours, clock.now());
      const since = startOf(steps.first, steps);
      const found = await merged(hours, since, steps.step_s);
      const { users, sessions, exchanges, ...servers } = await samples.present();
      return {
        since,
        step_s: steps.step_s,
        points: pointsOf(found, steps),
        servers: {
          online: servers.servers_online,
          offline: servers.servers_offline,
          unchecked: servers.servers_unchecked,
          ...exchanges,
        },
        sessions,
        users,
        instances: (await instances.running()).map(({ instance_id, machine, version, clock_skew_ms }) => ({
          ...{ instance_id, machine, version, clock_skew_ms },
        })),
        version,
      };
    },
  };
}
