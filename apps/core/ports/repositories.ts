import type {
  ApiKeyRepository,
  LockoutRepository,
  PendingSignInRepository,
  RateLimitRepository,
  SecondFactorRepository,
  TicketRepository,
  UserRepository,
  WebSessionRepository,
} from './repositories/accounts.ts';
import type { AgentSettingsRepository } from './repositories/agent.ts';
import type { AgentMessageRepository, AgentUsageRepository } from './repositories/agent-chats.ts';
import type { AuditRepository } from './repositories/audit.ts';
import type { BackupRepository } from './repositories/backup.ts';
import type { HoldRepository, UploadRepository } from './repositories/files.ts';
import type {
  PartRemovalRepository,
  RevokedHostKeyRepository,
  ServerRepository,
} from './repositories/hosts.ts';
import type { InstanceRepository } from './repositories/instances.ts';
import type { MonitorLeaseRepository, ServerStatusRepository } from './repositories/monitor.ts';
import type { PulseRepository, SealedRepository } from './repositories/operations.ts';
import type { SampleRepository } from './repositories/overview.ts';
import type { RecordingRepository } from './repositories/recordings.ts';
import type { BrandingRepository, SettingRepository } from './repositories/settings.ts';
import type { SnippetRepository } from './repositories/snippets.ts';
import type { QuickHostKeyRepository, TerminalSessionRepository } from './repositories/terminals.ts';
import type { DeliveryRepository, WebhookRepository } from './repositories/webhooks.ts';

/** Every method throws `database_unavailable` when the database does not answer; a write may still have happened. */
export interface Repositories {
  readonly users: UserRepository;
  readonly second_factors: SecondFactorRepository;
  readonly web_sessions: WebSessionRepository;
  readonly pending_sign_ins: PendingSignInRepository;
  readonly api_keys: ApiKeyRepository;
  readonly lockouts: LockoutRepository;
  readonly audit: AuditRepository;
  readonly tickets: TicketRepository;
  readonly servers: ServerRepository;
  readonly revoked_host_keys: RevokedHostKeyRepository;
  readonly server_statuses: ServerStatusRepository;
  readonly monitor_lease: MonitorLeaseRepository;
  readonly rate_limits: RateLimitRepository;
  readonly uploads: UploadRepository;
  readonly part_removals: PartRemovalRepository;
  readonly holds: HoldRepository;
  readonly instances: InstanceRepository;
  readonly terminal_sessions: TerminalSessionRepository;
  readonly recordings: RecordingRepository;
  readonly snippets: SnippetRepository;
  readonly quick_host_keys: QuickHostKeyRepository;
  readonly webhooks: WebhookRepository;
  readonly deliveries: DeliveryRepository;
  readonly settings: SettingRepository;
  readonly branding: BrandingRepository;
  readonly samples: SampleRepository;
  readonly sealed: SealedRepository;
  readonly backups: BackupRepository;
  readonly agent_messages: AgentMessageRepository;
  readonly agent_usage: AgentUsageRepository;
  readonly pulse: PulseRepository;
  readonly agent_settings: AgentSettingsRepository;
}
