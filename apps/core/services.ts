import { createAccountsFeature } from './accounts/create.ts';
import { createAgentFeature } from './agent/create.ts';
import { createAuditFeature } from './audit/create.ts';
import { createBackupFeature } from './backup/create.ts';
import { createDemoFeature } from './demo/create.ts';
import { createEmbeddingFeature } from './embedding/create.ts';
import { createFilesFeature } from './files/create.ts';
import { createFoundation, type Foundation } from './foundation.ts';
import { createHostsFeature } from './hosts/create.ts';
import { createInstancesFeature } from './instances/create.ts';
import { digest } from './lib/bytes/bytes.ts';
import type { Job } from './lifecycle.ts';
import { createMonitorFeature } from './monitor/create.ts';
import { createOperationsFeature } from './operations/create.ts';
import { createOverviewFeature } from './overview/create.ts';
import { createRecordingsFeature } from './recordings/create.ts';
import type { Ports, ServiceOptions, Services } from './service-types.ts';
import { createSettingsFeature } from './settings/create.ts';
import { createSnippetsFeature } from './snippets/create.ts';
import { createTerminalsFeature } from './terminals/create.ts';
import { createWebhooksFeature } from './webhooks/create.ts';

type People = ReturnType<typeof createPeople>;
type Hosts = ReturnType<typeof createHosts>;
type Work = ReturnType<typeof createWork>;
type Upkeep = ReturnType<typeof createUpkeep>;
type Features = People & Hosts & Work & Upkeep;

/** Creates the features in levels; each level knows only those before it. */
export async function createServices(
  ports: Ports,
  options: ServiceOptions,
): Promise<{ services: Services; jobs: readonly Job[] }> {
  const base = await createFoundation(ports, options);
  const people = createPeople(ports, base, options);
  const hosts = createHosts(ports, { ...base, ...people }, options);
  const work = createWork(ports, { ...base, ...people, ...hosts }, options);
  const upkeep = createUpkeep(ports, { ...base, ...people, ...hosts, ...work }, options);
  const features = { ...people, ...hosts, ...work, ...upkeep };
  return {
    services: {
      ...base.edge.services,
      run_digest: await digest(base.run_id),
      ...servicesOf(features),
    },
    jobs: jobsOf(features, options),
  };
}

/** Who may enter, what is recorded about them, and the settings. */
function createPeople(ports: Ports, base: Foundation, options: ServiceOptions) {
  const { edge, vault, seal, line_seal, activities, rights, bell, changes } = base;
  const { reach, tokens, services } = edge;
  const { callers, tickets } = services;
  const audit = createAuditFeature(ports, { seal, line_seal, callers, bell }, options);
  const { trail } = audit;
  const general = createSettingsFeature(ports, { trail, changes }, options);
  const { settings } = general.services;
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
  return { audit, general, accounts, embedding };
}

/** The hosts, and whether they answer. */
function createHosts(ports: Ports, below: Foundation & People, options: ServiceOptions) {
  const { edge, vault, activities, rights, bell, changes, others, questions, audit, general } = below;
  const { reach, services } = edge;
  const { callers } = services;
  const { trail } = audit;
  const { settings } = general.services;
  const hosts = createHostsFeature(
    ports,
    { reach, callers, vault, trail, activities, rights, bell, changes, others, questions },
    options,
  );
  const { connections } = hosts;
  const monitor = createMonitorFeature(ports, { connections, settings, bell, changes }, options);
  return { hosts, monitor };
}

/** What people do on the hosts. */
function createWork(ports: Ports, below: Foundation & People & Hosts, options: ServiceOptions) {
  const { edge, vault, activities, rights, changes, others, proofs, run_id } = below;
  const { reach, services } = edge;
  const { callers, tickets, rate_limits } = services;
  const { trail } = below.audit;
  const { settings } = below.general.services;
  const { connections, typed } = below.hosts;
  const recordings = createRecordingsFeature(
    ports,
    { tickets, trail, activities, settings, run_id, others },
    options,
  );
  const { recorder } = recordings;
  const terminals = createTerminalsFeature(
    ports,
    {
      ...{ callers, rate_limits, activities, rights, reach, connections, recorder },
      ...{ settings, trail, proofs, changes, run_id },
    },
    options,
  );
  const files = createFilesFeature(ports, { reach, connections, typed, activities, trail, settings });
  const agent = createAgentFeature(ports, {
    ...{ callers, vault, trail, reach, connections, activities, run_id },
    files: files.services,
  });
  return { recordings, terminals, files, agent, snippets: createSnippetsFeature(ports, { trail }) };
}

/** What keeps the gateway itself going. */
function createUpkeep(ports: Ports, below: Foundation & People & Hosts & Work, options: ServiceOptions) {
  const { vault, seal, activities, rights, bell, changes, others, proofs, run_id } = below;
  const { hosts, monitor, recordings, terminals, agent } = below;
  const { trail, verify } = below.audit;
  const { settings, branding } = below.general.services;
  const { directory, recorder, retention } = recordings;
  const { refused_servers } = hosts;
  const { takeOver, hasHandedOver, ledger } = terminals;
  const cleanUp = async (is_forgotten: boolean) => {
    await ledger.refresh(is_forgotten);
    await terminals.endOrphans();
    await agent.endOrphans();
    await recorder.recover();
  };
  const leads = () => options.monitor.disabled || monitor.services.monitor.role() === 'leader';
  return {
    instances: createInstancesFeature(
      ports,
      {
        ...{ proofs, others, changes, run_id, takeOver, hasHandedOver, cleanUp },
        recordingsDirectoryId: directory.id,
      },
      options,
    ),
    webhooks: createWebhooksFeature(ports, { vault, trail, bell, changes }),
    overview: createOverviewFeature(ports, options),
    backup: createBackupFeature(
      ports,
      { vault, seal, trail, activities, rights, settings, branding, refused_servers },
      options,
    ),
    operations: createOperationsFeature(ports, {
      ...{ vault, seal, trail, verify, settings, leads },
      recordings: retention,
    }),
    demo: createDemoFeature(ports, { changes: hosts.changes }, options),
  };
}

function servicesOf(features: Features) {
  const { audit, general, accounts, embedding, hosts, monitor, recordings, terminals } = features;
  const { files, agent, snippets, instances, webhooks, overview, backup } = features;
  return {
    ...{ ...audit.services, ...general.services, ...accounts.services, ...embedding.services },
    ...{ ...hosts.services, ...monitor.services, ...recordings.services, ...terminals.services },
    ...{ ...files.services, ...agent.services, ...snippets.services, ...instances.services },
    ...{ ...webhooks.services, ...overview.services, ...backup.services },
  };
}

/** In the order of their start; each stops before those above it. */
function jobsOf(features: Features, { threads, worker }: ServiceOptions): readonly Job[] {
  const { audit, general, accounts, embedding, hosts, monitor, recordings, terminals } = features;
  const { files, agent, instances, webhooks, overview, operations, demo } = features;
  return [
    general, // settings come first: the others read them
    audit, // closed last: the others still record what they end
    recordings,
    overview, // its last sample counts the transfers that the worker ends
    instances, // removed last: until then, what the worker ends counts as this instance's
    { jobs: [threads, recordings.last_store_job, worker, recordings.store_job] },
    ...[accounts, embedding, demo, monitor, operations, files, webhooks, terminals, hosts, agent],
  ].flatMap((feature): readonly Job[] => feature.jobs);
}
