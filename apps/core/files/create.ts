import type { ActivityRegistry } from '../activities/registry.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Connections } from '../hosts/connections.ts';
import type { Reach } from '../hosts/reach.ts';
import type { SharedCredentials } from '../hosts/shared-credentials.ts';
import { every } from '../lib/time/timers.ts';
import { toJob } from '../lifecycle.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { Files as FilesPort } from '../ports/files.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import type { Tracer } from '../ports/tracing.ts';
import { createFileAccess } from './access.ts';
import { type Archives, createArchives } from './archives/archives.ts';
import { createExtractions, type Extractions } from './archives/extractions.ts';
import { createArchiveTurns } from './archives/turns.ts';
import { createFileChanges, type FileChanges } from './changes.ts';
import { createFileConnects, type FileConnects } from './connects.ts';
import { type Copies, createCopies } from './copies/copies.ts';
import { createDownloadSlots } from './download-slots.ts';
import { createDownloads, type Downloads } from './downloads.ts';
import { createHolds } from './holds.ts';
import { createLargeAnswers } from './large-answers.ts';
import { createFiles, type Files } from './listing.ts';
import { createLooks, type Looks } from './looks/looks.ts';
import { createOldCopyFinder, type OldCopyFinder } from './old-copies/old-copies.ts';
import { createRestores, type Restores } from './old-copies/restores.ts';
import { createReplacements } from './replacements.ts';
import { createSaves, type Saves } from './saves.ts';
import { createPartKeeper } from './uploads/part-keeper.ts';
import { createPartSweeps, type PartSweeps } from './uploads/part-sweeps.ts';
import { createResumableUploads, type ResumableUploads } from './uploads/resumable.ts';
import { createUploads, type Uploads } from './uploads/uploads.ts';

const SWEEP_INTERVAL_MS = 10 * 60_000;

export interface FileServices {
  readonly files: Files;
  readonly looks: Looks;
  readonly downloads: Downloads;
  readonly file_changes: FileChanges;
  readonly saves: Saves;
  readonly old_copies: OldCopyFinder;
  readonly restores: Restores;
  readonly copies: Copies;
  readonly archives: Archives;
  readonly extractions: Extractions;
  readonly uploads: Uploads;
  readonly resumable_uploads: ResumableUploads;
  readonly file_connects: FileConnects;
}

export interface FilePorts {
  readonly repositories: Pick<Repositories, 'servers' | 'uploads' | 'holds'>;
  readonly files: FilesPort;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  readonly tracer?: Tracer | undefined;
}

interface Deps {
  readonly reach: Reach;
  readonly connections: Connections;
  readonly typed: SharedCredentials;
  readonly activities: ActivityRegistry;
  readonly trail: AuditTrail;
  readonly settings: InForce<'max_upload_size'>;
}

export function createFilesFeature(ports: FilePorts, deps: Deps) {
  const { repositories, files, meter, clock, background, log, tracer } = ports;
  const { reach, connections, typed, activities, trail, settings } = deps;
  const sweeps = createPartSweeps({ repositories, connections, files, clock, background, log });
  const { left, opened } = sweeps;
  const keeper = createPartKeeper({ repositories, clock, background, left });
  const access = createFileAccess({ reach, connections, files, activities, opened, tracer });
  const holds = createHolds({ repositories, clock, background });
  const replacements = createReplacements(keeper);
  const slots = createDownloadSlots({ activities, clock, meter });
  const turns = createArchiveTurns(clock.after);
  const large_answers = createLargeAnswers(clock.after);
  const services: FileServices = {
    files: createFiles({ access, large_answers }),
    looks: createLooks({ access, clock }),
    downloads: createDownloads({ access, slots, trail, clock, meter }),
    file_changes: createFileChanges({ access, trail }),
    saves: createSaves({ access, replacements, holds, trail }),
    old_copies: createOldCopyFinder({ access, large_answers }),
    restores: createRestores({ access, replacements, holds, large_answers, trail }),
    copies: createCopies({ access, replacements, keeper, trail, clock, meter }),
    archives: createArchives({ access, slots, turns, large_answers, trail }),
    extractions: createExtractions({ access, replacements, turns, trail, clock, meter }),
    uploads: createUploads({ access, replacements, trail, meter, settings }),
    resumable_uploads: createResumableUploads({
      repositories,
      access,
      keeper,
      holds,
      trail,
      meter,
      settings,
      clock,
      background,
    }),
    file_connects: createFileConnects({ reach, connections, typed, files, trail }),
  };
  return { services, jobs: [toJob('part sweeps', () => sweepParts(sweeps, ports))] };
}

/** Runs now and every ten minutes; the returned function stops it. */
function sweepParts(sweeps: PartSweeps, { clock, background }: FilePorts): () => void {
  const sweep = () => background.run('remove part files', sweeps.sweep());
  sweep();
  return every(clock.after, SWEEP_INTERVAL_MS, sweep);
}
