import type { Callers } from '../accounts/callers.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import type { ActivityRights } from '../activities/rights.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Changes } from '../instances/changes.ts';
import type { OtherInstances } from '../instances/others.ts';
import type { InstanceQuestions } from '../instances/questions.ts';
import type { Bell } from '../lib/concurrency/bell.ts';
import { every } from '../lib/time/timers.ts';
import { type Job, toJob } from '../lifecycle.ts';
import type { Files } from '../ports/files.ts';
import type { Neighbours } from '../ports/neighbours.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import type { PrivateKeys, Prober } from '../ports/ssh.ts';
import { createServerChanges } from './changes.ts';
import { type ConnectionTests, createConnectionTests } from './connection-tests.ts';
import { createConnections } from './connections.ts';
import { createCredentials } from './credentials.ts';
import { createHostKeyImports, type HostKeyImports } from './imports/host-keys.ts';
import { createServerTransfers, type ServerTransfers } from './imports/transfers.ts';
import { createRefusedServers } from './known-hosts/refused-servers.ts';
import { createRevokedKeys } from './known-hosts/revoked.ts';
import { createKeptConnections } from './part-removals/kept-connections.ts';
import { createPartRemovals, type PartRemovals } from './part-removals/part-removals.ts';
import type { Reach } from './reach.ts';
import { createRepointing, type RepointingOptions } from './repointing.ts';
import { createRevocations, type Revocations } from './revocations.ts';
import { createServers, type Servers } from './servers.ts';
import { createSharedCredentials, createTypedAnswers, type TypedAnswers } from './shared-credentials.ts';
import { createTypedCredentials } from './typed-credentials.ts';
import { createTypedWatch } from './typed-watch.ts';

const SWEEP_INTERVAL_MS = 60_000;

export interface HostServices {
  readonly servers: Servers;
  readonly connection_tests: ConnectionTests;
  readonly server_transfers: ServerTransfers;
  readonly host_key_imports: HostKeyImports;
  readonly revocations: Revocations;
  readonly typed_answers: TypedAnswers;
}

export interface HostPorts {
  readonly repositories: Pick<
    Repositories,
    | 'servers'
    | 'revoked_host_keys'
    | 'server_statuses'
    | 'part_removals'
    | 'uploads'
    | 'web_sessions'
    | 'api_keys'
  >;
  readonly files: Files;
  readonly neighbours: Neighbours;
  readonly prober: Prober;
  readonly private_keys: PrivateKeys;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

interface Deps {
  readonly reach: Reach;
  readonly callers: Callers;
  readonly vault: Vault;
  readonly trail: AuditTrail;
  readonly activities: ActivityRegistry;
  readonly rights: ActivityRights;
  readonly bell: Bell;
  readonly changes: Changes;
  readonly others: OtherInstances;
  readonly questions: InstanceQuestions;
}

export type HostOptions = RepointingOptions;

export function createHostsFeature(ports: HostPorts, deps: Deps, options: HostOptions) {
  const { repositories, files, prober, private_keys, clock, background, log } = ports;
  const { reach, callers, vault, trail, activities, rights, bell } = deps;
  const credentials = createCredentials(vault);
  const typed_here = createTypedCredentials(clock);
  const typed = createSharedCredentials({ ...ports, ...deps, typed: typed_here });
  const connections = createConnections({ repositories, credentials, typed });
  const changes = createServerChanges({ credentials, private_keys });
  const repointing = createRepointing(repositories, options);
  const { verify_host_keys } = options;
  const kept_connections = createKeptConnections({ repositories, connections, vault, verify_host_keys });
  const parts = { repositories, kept_connections, files, trail, clock, background, log };
  const part_removals = createPartRemovals(parts);
  const revoked = createRevokedKeys({ repositories, clock });
  const refused_servers = createRefusedServers({ repositories, revoked, files, clock });
  const connection_tests = createConnectionTests({ reach, connections, callers, prober });
  const services: HostServices = {
    servers: createServers({
      repositories,
      revoked,
      connections,
      changes,
      repointing,
      part_removals,
      files,
      activities,
      rights,
      trail,
      bell,
      background,
      clock,
    }),
    connection_tests,
    server_transfers: createServerTransfers({
      repositories,
      connections,
      changes,
      trail,
      bell,
      background,
      clock,
    }),
    host_key_imports: createHostKeyImports({ repositories, revoked, refused_servers, repointing, trail }),
    revocations: createRevocations({ repositories, trail }),
    typed_answers: createTypedAnswers({ ...deps, typed: typed_here }),
  };
  const watchTyped = createTypedWatch({ repositories, typed: typed_here, files, clock, background });
  const tests_job: Job = { name: 'connection tests', drain: connection_tests.end };
  const jobs = [
    tests_job,
    toJob('typed credentials', () => watchTyped(deps.changes)),
    toJob('part removals', () => sweepParts(part_removals, ports)),
  ];
  return { services, connections, changes, typed, refused_servers, jobs };
}

/** Runs now and every minute; the returned function stops it. */
function sweepParts(part_removals: PartRemovals, { clock, background }: HostPorts): () => void {
  const sweep = () => background.run('remove part files of deleted servers', part_removals.sweep());
  sweep();
  return every(clock.after, SWEEP_INTERVAL_MS, sweep);
}
