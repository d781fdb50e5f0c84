import type { Callers } from '../accounts/callers.ts';
import type { AuditSeal } from '../crypto/audit-seal.ts';
import type { Bell } from '../lib/bell.ts';
import { every } from '../lib/timers.ts';
import type { Job } from '../lifecycle.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { type Audit, createAudit } from './audit.ts';
import { createAuditTrail, THE_GATEWAY } from './trail.ts';
import { createAuditChain } from './writer.ts';

const OWED_INTERVAL_MS = 3_000;

export interface AuditServices {
  readonly audit: Audit;
  /** Records a host key that is trusted from now on. */
  recordHostKey(action: 'host_key_pin' | 'host_key_rotate' | 'quick_key_pin', detail: string): Promise<void>;
}

export interface AuditPorts {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

export interface AuditOptions {
  readonly instance_id: string;
  readonly version: string;
}

interface AuditDeps {
  readonly seal: AuditSeal;
  readonly callers: Callers;
  /** Rung when an entry fires a webhook. */
  readonly bell: Bell;
}

export function createAuditFeature(
  { repositories, clock, background, log }: AuditPorts,
  { seal, callers, bell }: AuditDeps,
  { instance_id, version }: AuditOptions,
) {
  const chain = createAuditChain({ repositories, seal, clock, log, instance_id, bell });
  const trail = createAuditTrail({ chain, clock });
  const services: AuditServices = {
    audit: createAudit({ repositories, callers, seal, chain, trail }),
    recordHostKey: (action, detail) => trail.record(THE_GATEWAY, action, detail),
  };
  let cancel = () => {};
  const job: Job = {
    name: 'audit log',
    async start() {
      await trail.record(THE_GATEWAY, 'gateway_start', `version ${version}, instance ${instance_id}`);
      cancel = every(clock.after, OWED_INTERVAL_MS, () =>
        background.run('write overdue audit entries', chain.settle()),
      );
    },
    async stop() {
      cancel();
      await chain.close();
    },
  };
  return { services, trail, jobs: [job] };
}
