import { Fault } from '#core/errors.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { isFull, isUnavailable, isUndone, withoutValues } from '../driver-errors.ts';
import { patiently } from '../patience.ts';
import type { Store } from '../store.ts';
import { createApiKeyRepository } from './accounts/api-keys.ts';
import { createLockoutRepository } from './accounts/lockouts.ts';
import { createPendingSignInRepository } from './accounts/pending-sign-ins.ts';
import { createRateLimitRepository } from './accounts/rate-limits.ts';
import { createSecondFactorRepository } from './accounts/second-factors.ts';
import { createTicketRepository } from './accounts/tickets.ts';
import { createUserRepository } from './accounts/users.ts';
import { createWebSessionRepository } from './accounts/web-sessions.ts';
import { createAgentMessageRepository } from './agent/messages.ts';
import { createAgentSettingsRepository } from './agent/settings.ts';
import { createAgentUsageRepository } from './agent/usage.ts';
import { createAuditRepository } from './audit/audit.ts';
import { createBackupRepository } from './backup/backups.ts';
import { createHoldRepository } from './files/holds.ts';
import { createUploadRepository } from './files/uploads.ts';
import { createPartRemovalRepository } from './hosts/part-removals.ts';
import { createRevokedHostKeyRepository } from './hosts/revoked-host-keys.ts';
import { createServerRepository } from './hosts/servers.ts';
import { createInstanceRepository } from './instances/instances.ts';
import { createMonitorLeaseRepository } from './monitor/lease.ts';
import { createServerStatusRepository } from './monitor/statuses.ts';
import { createPulseRepository } from './operations/pulse.ts';
import { createSealedRepository } from './operations/sealed.ts';
import { createSampleRepository } from './overview/samples.ts';
import { createRecordingRepository } from './recordings/recordings.ts';
import { createBrandingRepository } from './settings/branding.ts';
import { createSettingRepository } from './settings/settings.ts';
import { createSnippetRepository } from './snippets/snippets.ts';
import { createQuickHostKeyRepository } from './terminals/quick-host-keys.ts';
import { createTerminalSessionRepository } from './terminals/terminal-sessions.ts';
import { createDeliveryRepository } from './webhooks/deliveries.ts';
import { createWebhookRepository } from './webhooks/webhooks.ts';

export function createRepositories(store: Store): Repositories {
  const guarded = createGuard(store);
  return {
    users: guarded(createUserRepository(store)),
    second_factors: guarded(createSecondFactorRepository(store)),
    web_sessions: guarded(createWebSessionRepository(store)),
    pending_sign_ins: guarded(createPendingSignInRepository(store)),
    api_keys: guarded(createApiKeyRepository(store)),
    lockouts: guarded(createLockoutRepository(store)),
    audit: guarded(createAuditRepository(store)),
    tickets: guarded(createTicketRepository(store)),
    servers: guarded(createServerRepository(store)),
    revoked_host_keys: guarded(createRevokedHostKeyRepository(store)),
    server_statuses: guarded(createServerStatusRepository(store)),
    monitor_lease: guarded(createMonitorLeaseRepository(store)),
    rate_limits: guarded(createRateLimitRepository(store)),
    uploads: guarded(createUploadRepository(store)),
    part_removals: guarded(createPartRemovalRepository(store)),
    holds: guarded(createHoldRepository(store)),
    instances: guarded(createInstanceRepository(store)),
    terminal_sessions: guarded(createTerminalSessionRepository(store)),
    recordings: guarded(createRecordingRepository(store)),
    snippets: guarded(createSnippetRepository(store)),
    quick_host_keys: guarded(createQuickHostKeyRepository(store)),
    webhooks: guarded(createWebhookRepository(store)),
    deliveries: guarded(createDeliveryRepository(store)),
    settings: guarded(createSettingRepository(store)),
    branding: guarded(createBrandingRepository(store)),
    samples: guarded(createSampleRepository(store)),
    sealed: guarded(createSealedRepository(store)),
    backups: guarded(createBackupRepository(store)),
    agent_messages: guarded(createAgentMessageRepository(store)),
    agent_usage: guarded(createAgentUsageRepository(store)),
    pulse: guarded(createPulseRepository(store)),
    agent_settings: guarded(createAgentSettingsRepository(store)),
  };
}

/** The same methods, which retry short locks, use the reserve of a full disk, and throw errors that are safe to log. */
function createGuard({ reserve }: Pick<Store, 'reserve'>) {
  return <Repository extends object>(repository: Repository): Repository =>
    new Proxy(repository, {
      get(target, name, receiver) {
        const verb: unknown = Reflect.get(target, name, receiver);
        if (typeof verb !== 'function') return verb;
        return async (...input: unknown[]) => {
          try {
            // Each method writes with a single statement, so one that hit a lock has done nothing yet.
            return await patiently(() => Reflect.apply(verb, target, input));
          } catch (error) {
            if (isFull(error)) reserve.release(); // for the next one; this one may be large
            throw toLoggable(error);
          }
        };
      },
    });
}

/** A write whose outcome is unknown may have happened, so it is not retried. */
function toLoggable(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const cause = withoutValues(error);
  if (isFull(error)) return new Fault('database_full', undefined, { cause });
  const is_undone = isUndone(error);
  return isUnavailable(error) ? new Fault('database_unavailable', undefined, { cause, is_undone }) : cause;
}
