import type { Tickets } from '../accounts/tickets.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { OtherInstances } from '../instances/others.ts';
import type { Job } from '../lifecycle.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { Casts } from '../ports/casts.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { createRecordingsDirectory } from './directory.ts';
import { createRecordingHomes } from './homes.ts';
import { createRecorder } from './recorder.ts';
import { createRecordings, type Recordings } from './recordings.ts';
import { createRecordingRetention } from './retention.ts';
import { createRecordingSearches, type RecordingSearches } from './search.ts';
import { createRecordingStoring } from './storing.ts';

export interface RecordingServices {
  readonly recordings: Recordings;
  readonly recording_searches: RecordingSearches;
}

export interface RecordingPorts {
  readonly repositories: Pick<Repositories, 'recordings' | 'audit'>;
  readonly casts: Casts;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

interface Deps {
  readonly tickets: Tickets;
  readonly trail: AuditTrail;
  readonly activities: ActivityRegistry;
  readonly settings: InForce<
    'record_sessions' | 'recording_max_bytes' | 'recording_retention_days' | 'recording_retention_bytes'
  >;
  readonly run_id: string;
  readonly others: OtherInstances;
}

export function createRecordingsFeature(
  { repositories, casts, clock, background, log }: RecordingPorts,
  { tickets, trail, activities, settings, run_id, others }: Deps,
  { demo_mode }: { readonly demo_mode: boolean },
) {
  const directory = createRecordingsDirectory(casts);
  const homes = createRecordingHomes({ others, casts, directory, run_id });
  const storing = createRecordingStoring({ repositories, casts, directory, clock, background, log, run_id });
  const recorder = createRecorder({
    closed: storing.soon,
    repositories,
    casts,
    directory,
    trail,
    clock,
    background,
    log,
    run_id,
    settings,
  });
  const services: RecordingServices = {
    recordings: createRecordings({ repositories, casts, homes, tickets, trail, clock, demo_mode }),
    recording_searches: createRecordingSearches({
      ...{ repositories, casts, homes, trail, activities, clock, demo_mode },
    }),
  };
  const retention = createRecordingRetention({ repositories, casts, trail, settings, clock, log });
  const probe: Job = { name: 'recordings folder', start: () => recorder.probe() };
  // Stop before the worker, which waits for what is under way, and after it has closed the last recordings.
  const store_job: Job = { name: 'recordings store', start: storing.start, stop: storing.windDown };
  const last_store_job: Job = { name: 'last recordings', stop: storing.stop };
  return { services, recorder, directory, retention, jobs: [probe], store_job, last_store_job };
}
