import type { AccountOptions, AccountPorts, AccountServices } from './accounts/create.ts';
import type { ActivityRegistry } from './activities/registry.ts';
import type { AgentPorts, AgentServices } from './agent/create.ts';
import type { AuditOptions, AuditPorts, AuditServices } from './audit/create.ts';
import type { BackupPorts, BackupServices } from './backup/create.ts';
import type { EdgeServices } from './edge-services.ts';
import type { EmbeddingPorts, EmbeddingServices } from './embedding/create.ts';
import type { EmbeddingOptions } from './embedding/embedding.ts';
import type { FilePorts, FileServices } from './files/create.ts';
import type { HostOptions, HostPorts, HostServices } from './hosts/create.ts';
import type { InstanceOptions, InstancePorts, InstanceServices } from './instances/create.ts';
import type { Job } from './lifecycle.ts';
import type { MonitorFeatureOptions, MonitorPorts, MonitorServices } from './monitor/create.ts';
import type { OperationPorts } from './operations/create.ts';
import type { OverviewPorts, OverviewServices } from './overview/create.ts';
import type { Repositories } from './ports/repositories.ts';
import type { RecordingPorts, RecordingServices } from './recordings/create.ts';
import type { SettingPorts, SettingServices } from './settings/create.ts';
import type { SettingOptions } from './settings/settings.ts';
import type { SnippetServices } from './snippets/create.ts';
import type { TerminalPorts, TerminalServices } from './terminals/create.ts';
import type { LiveSession } from './terminals/live/live-session.ts';
import type { QuickOptions } from './terminals/quick-connects.ts';
import type { WebhookPorts, WebhookServices } from './webhooks/create.ts';

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
