import type { Job } from '../lifecycle.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { createOverview, type OverviewService } from './overview.ts';

export interface OverviewServices {
  readonly overview: OverviewService;
}

export interface OverviewPorts {
  readonly repositories: Pick<Repositories, 'samples' | 'instances'>;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

export function createOverviewFeature(
  { repositories, meter, clock, background, log }: OverviewPorts,
  { version }: { readonly version: string },
) {
  const overview = createOverview({ repositories, meter, clock, background, log }, { version });
  const services: OverviewServices = { overview };
  const sampler: Job = { name: 'overview sampler', start: overview.start, stop: overview.stop };
  return { services, jobs: [sampler] };
}
