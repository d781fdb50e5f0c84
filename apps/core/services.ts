import {
  type AccountOptions,
  type AccountPorts,
  type AccountServices,
  type CallerOptions,
  type CallerPorts,
  type CallerServices,
  createAccountsFeature,
  createCallerFeature,
} from './accounts/create.ts';
import type { ActivityRegistry } from './activities/registry.ts';
import { createActivityRights } from './activities/rights.ts';
import { type AgentPorts, type AgentServices, createAgentFeature } from './agent/create.ts';
import {
  type AuditOptions,
  type AuditPorts,
  type AuditServices,
  createAuditFeature,
} from './audit/create.ts';
import { type BackupPorts, type BackupServices, createBackupFeature } from './backup/create.ts';
import { createAuditSeal } from './crypto/audit-seal.ts';
import { createKeyring, type Keyring } from './crypto/keyring.ts';
import { createLineSeal } from './crypto/line-seal.ts';
import { createVault } from './crypto/vault.ts';
import { createDemoFeature } from './demo/create.ts';
import { createEmbeddingFeature, type EmbeddingPorts, type EmbeddingServices } from './embedding/create.ts';
import type { EmbeddingOptions } from './embedding/embedding.ts';
import { createFilesFeature, type FilePorts, type FileServices } from './files/create.ts';
import { createHostsFeature, type HostOptions, type HostPorts, type HostServices } from './hosts/create.ts';
import { createServerDirectory, type ServerDirectory } from './hosts/directory.ts';
import { createReach } from './hosts/reach.ts';
import type { ServerListOptions } from './hosts/server-list.ts';
import { createChanges } from './instances/changes.ts';
import {
  createInstancesFeature,
  type InstanceOptions,
  type InstancePorts,
  type InstanceServices,
} from './instances/create.ts';
import {
  ANY_WORKER,
  createForwardedAddresses,
  type ForwardedAddresses,
} from './instances/forwarded-addresses.ts';
import { createOtherInstances } from './instances/others.ts';
import { createInstanceProofs } from './instances/proofs.ts';
import { createInstanceQuestions } from './instances/questions.ts';
import { createBell } from './lib/bell.ts';
import { digest, randomToken } from './lib/bytes.ts';
import type { Job } from './lifecycle.ts';
import {
  createMonitorFeature,
  type MonitorFeatureOptions,
  type MonitorPorts,
  type MonitorServices,
} from './monitor/create.ts';
import { createServerStatuses, type ServerStatuses } from './monitor/statuses.ts';
import { createOperationsFeature, type OperationPorts } from './operations/create.ts';
import { createOverviewFeature, type OverviewPorts, type OverviewServices } from './overview/create.ts';
import type { Repositories } from './ports/repositories.ts';
import { createRecordingsFeature, type RecordingPorts, type RecordingServices } from './recordings/create.ts';
import { createSettingsFeature, type SettingPorts, type SettingServices } from './settings/create.ts';
import type { SettingOptions } from './settings/settings.ts';
import { createSnippetsFeature, type SnippetServices } from './snippets/create.ts';
import { createTerminalsFeature, type TerminalPorts, type TerminalServices } from './terminals/create.ts';
import type { LiveSession } from './terminals/live/live-session.ts';
import type { QuickOptions } from './terminals/quick-connects.ts';
import { createWebhooksFeature, type WebhookPorts, type WebhookServices } from './webhooks/create.ts';

/** What needs only the database: all that an edge has. */
export interface EdgeServices extends CallerServices {
  readonly directory: ServerDirectory;
  readonly server_statuses: ServerStatuses;
  readonly addresses: ForwardedAddresses;
}

/** Everything that a transport may call. */
export interface Services
  extends EdgeServices,
    AccountServices,
    AgentServices,
    AuditServices,
    BackupServices,
    EmbeddingServices,
    FileServices,
    HostServices,
    InstanceServices,
    MonitorServices,
    OverviewServices,
    RecordingServices,
    SettingServices,
    SnippetServices,
    TerminalServices,
    WebhookServices {
  /** Names this process to other instances. */
  readonly run_digest: string;
}

export type EdgePorts = CallerPorts & { readonly repositories: Repositories };

export interface Ports
  extends AccountPorts,
    AgentPorts,
    AuditPorts,
    BackupPorts,
    EmbeddingPorts,
    FilePorts,
    HostPorts,
    InstancePorts,
    MonitorPorts,
    OperationPorts,
    OverviewPorts,
    RecordingPorts,
    SettingPorts,
    TerminalPorts,
    WebhookPorts {
  readonly repositories: Repositories;
}

export interface ServiceOptions
  extends AccountOptions,
    AuditOptions,
    EmbeddingOptions,
    HostOptions,
    InstanceOptions,
    MonitorFeatureOptions,
    QuickOptions,
    SettingOptions {
  readonly secret_key: string;
  /** Opens what was sealed before the secret key was changed. */
  readonly secret_key_previous: string | undefined;
  readonly activities: ActivityRegistry<LiveSession>;
  /** Closes the worker's connections. It stops before the jobs that store what those connections leave behind. */
  readonly worker: Job;
  /** Ends what writes and reads recordings. */
  readonly threads: Job;
}

/** Holds nothing that belongs to one request, so one object may serve all requests of an edge. */
export function createEdgeServices(
  ports: EdgePorts,
  keyring: Keyring,
  { demo_mode }: CallerOptions,
): EdgeServices {
  return createEdgeFeature(ports, keyring, { demo_mode, audiences: [], shares_work: false }).services;
}

interface EdgeFeatureOptions extends ServerListOptions, CallerOptions {
  /** The names under which this instance is addressed. */
  readonly audiences: readonly string[];
}

function createEdgeFeature(ports: EdgePorts, keyring: Keyring, options: EdgeFeatureOptions) {
  const { repositories, clock } = ports;
  const callers = createCallerFeature(ports, keyring, options);
  const reach = createReach(repositories);
  const services: EdgeServices = {
    ...callers.services,
    directory: createServerDirectory({ repositories, reach }, options),
    server_statuses: createServerStatuses({ repositories, reach }),
    addresses: createForwardedAddresses(keyring, clock, options.audiences),
  };
  return { services, reach, tokens: callers.tokens };
}

/** What several features share. */
async function createFoundation(ports: Ports, options: ServiceOptions) {
  const { activities, secret_key, secret_key_previous } = options;
  const run_id = randomToken(16);
  const keyring = await createKeyring(secret_key);
  const previous = secret_key_previous ? await createKeyring(secret_key_previous) : undefined;
  const proofs = createInstanceProofs(keyring, ports.clock);
  return {
    edge: createEdgeFeature(ports, keyring, {
      ...{ demo_mode: options.demo_mode, audiences: [run_id, ANY_WORKER], shares_work: true },
    }),
    vault: createVault(keyring, previous),
    seal: createAuditSeal(keyring, previous, ports.text_digest),
    line_seal: createLineSeal(keyring, previous),
    proofs,
    others: createOtherInstances({ ...ports, ...options, proofs, run_id }),
    questions: createInstanceQuestions(keyring, ports.clock, run_id),
    rights: createActivityRights({ ...ports, activities }),
    bell: createBell(),
    changes: createChanges(ports.clock),
    run_id,
  };
}

/** The jobs are in the order of their start; each stops before those above it. */
export async function createServices(
  ports: Ports,
  options: ServiceOptions,
): Promise<{ services: Services; jobs: Job[] }> {
  const { activities, worker, threads } = options;
  const foundation = await createFoundation(ports, options);
  const { edge, vault, seal, line_seal, proofs, others, questions, rights, bell, changes, run_id } =
    foundation;
  const { reach, tokens } = edge;
  const { callers, tickets, rate_limits } = edge.services;
  const audit = createAuditFeature(ports, { seal, line_seal, callers, bell }, options);
  const { trail, verify } = audit;
  const general = createSettingsFeature(ports, { trail, changes }, options);
  const { settings, branding } = general.services;
  const accounts = createAccountsFeature(
    ports,
    { tokens, callers, vault, trail, activities, rights },
    options,
  );
  const { web_sessions } = accounts;
  const embedding = createEmbeddingFeature(
    ports,
    { tokens, tickets, web_sessions, reach, settings, trail },
    options,
  );
  const hosts = createHostsFeature(
    ports,
    { reach, callers, vault, trail, activities, rights, bell, changes, others, questions },
    options,
  );
  const { connections, typed } = hosts;
  const monitor = createMonitorFeature(ports, { connections, settings, bell, changes }, options);
  const recordings = createRecordingsFeature(
    ports,
    { tickets, trail, activities, settings, run_id, others },
    options,
  );
  const { recorder, directory, retention } = recordings;
  const terminals = createTerminalsFeature(
    ports,
    {
      rate_limits,
      activities,
      rights,
      callers,
      reach,
      connections,
      recorder,
      settings,
      trail,
      proofs,
      changes,
      run_id,
    },
    options,
  );
  const { ledger } = terminals;
  const cleanUp = async (is_forgotten: boolean) => {
    await ledger.refresh(is_forgotten);
    await terminals.endOrphans();
    await agent.endOrphans();
    await recorder.recover();
  };
  const instances = createInstancesFeature(
    ports,
    {
      ...{ proofs, others, changes, run_id, recordingsDirectoryId: directory.id, cleanUp },
      takeOver: terminals.takeOver,
      hasHandedOver: terminals.hasHandedOver,
    },
    options,
  );
  const files = createFilesFeature(ports, { reach, connections, typed, activities, trail, settings });
  const snippets = createSnippetsFeature(ports, { trail });
  const webhooks = createWebhooksFeature(ports, { vault, trail, bell, changes });
  const agent = createAgentFeature(ports, {
    ...{ callers, vault, trail, reach, connections, activities, run_id },
    files: files.services,
  });
  const overview = createOverviewFeature(ports, options);
  const backup = createBackupFeature(
    ports,
    {
      ...{ vault, seal, trail, activities, rights, settings, branding },
      refused_servers: hosts.refused_servers,
    },
    options,
  );
  const leads = () => options.monitor.disabled || monitor.services.monitor.role() === 'leader';
  const operations = createOperationsFeature(ports, {
    ...{ vault, seal, trail, verify, settings, leads },
    recordings: retention,
  });
  const demo = createDemoFeature(ports, { changes: hosts.changes }, options);
  const jobs = [
    general, // settings come first: the others read them
    audit, // closed last: the others still record what they end
    recordings,
    overview, // its last sample counts the transfers that the worker ends
    instances, // removed last: until then, what the worker ends counts as this instance's
    { jobs: [threads, recordings.last_store_job, worker, recordings.store_job] },
    ...[accounts, embedding, demo, monitor, operations, files, webhooks, terminals, hosts, agent],
  ].flatMap((feature): readonly Job[] => feature.jobs);
  return {
    services: {
      ...edge.services,
      run_digest: await digest(run_id),
      ...accounts.services,
      ...embedding.services,
      ...audit.services,
      ...general.services,
      ...hosts.services,
      ...instances.services,
      ...monitor.services,
      ...recordings.services,
      ...terminals.services,
      ...files.services,
      ...snippets.services,
      ...webhooks.services,
      ...overview.services,
      ...backup.services,
      ...agent.services,
    },
    jobs,
  };
}
