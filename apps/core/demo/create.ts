import type { ServerChanges } from '../hosts/changes.ts';
import type { Job } from '../lifecycle.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { seedDemo } from './seed.ts';

interface Ports {
  readonly repositories: Pick<Repositories, 'users' | 'servers' | 'snippets'>;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
}

interface Options {
  readonly demo_mode: boolean;
}

export function createDemoFeature(
  { repositories, hasher, clock }: Ports,
  { changes }: { readonly changes: ServerChanges },
  { demo_mode }: Options,
) {
  const seed: Job = { name: 'demo data', start: () => seedDemo({ repositories, hasher, changes, clock }) };
  return { jobs: demo_mode ? [seed] : [] };
}
