import type { Caller } from '../model/caller.ts';
import type { Overview } from '../model/overview.ts';
import { assertAdmin } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import { pointsOf, startOf, stepsOf } from './overview-points.ts';
import { createOverviewSampler, type OverviewSampler, type SamplerDeps } from './overview-sampler.ts';

/** How it goes, and how it went. */
export interface OverviewService extends OverviewSampler {
  get(caller: Caller, hours: number): Promise<Overview>;
}

interface Deps extends SamplerDeps {
  readonly repositories: Pick<Repositories, 'samples' | 'instances'>;
}

export function createOverview(deps: Deps, { version }: { version: string }): OverviewService {
  const { repositories, clock } = deps;
  const { samples, instances } = repositories;
  return {
    ...createOverviewSampler(deps),

    async get(caller, hours) {
      assertAdmin(caller);
      const steps = stepsOf(hours, clock.now());
      const since = startOf(steps.first, steps);
      const found = await samples.merged(since, steps.step_s);
      const { users, sessions, ...servers } = await samples.present();
      return {
        since,
        step_s: steps.step_s,
        points: pointsOf(found, steps),
        servers: {
          online: servers.servers_online,
          offline: servers.servers_offline,
          unchecked: servers.servers_unchecked,
        },
        sessions,
        users,
        instances: await instances.running(),
        version,
      };
    },
  };
}
