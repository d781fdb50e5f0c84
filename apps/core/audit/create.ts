import type { AuditSeal, TextDigest } from '../crypto/audit-seal.ts';
import type { LineSeal } from '../crypto/line-seal.ts';
import type { Bell } from '../lib/concurrency/bell.ts';
import { every } from '../lib/time/timers.ts';
import type { Job } from '../lifecycle.ts';
import type { AuditSpool } from '../ports/audit-spool.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { type Audit, type CallerLookup, createAudit } from './audit.ts';
import { createAuditChain } from './chain/chain.ts';
import { createAuditRecovery } from './chain/recovery.ts';
import { createSpool } from './chain/spool.ts';
import { createAuditTrail, THE_GATEWAY } from './trail.ts';
import { createFindable } from './verification/findable.ts';
import type { Reading } from './verification/pass.ts';
import { createVerifier } from './verification/verifier.ts';
import { readAudit } from './verification/verify.ts';

const OWED_INTERVAL_MS = 3_000;

export interface AuditServices {
  readonly audit: Audit;
  /** Records a host key that is trusted from now on. */
  recordHostKey(
    action: 'host_key_learn' | 'host_key_pin' | 'host_key_rotate' | 'quick_key_pin',
    detail: string,
  ): Promise<void>;
}

export interface AuditPorts {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly audit_spool: AuditSpool;
  readonly text_digest: TextDigest;
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
  readonly line_seal: LineSeal;
  readonly callers: CallerLookup;
  /** Rung when an entry fires a webhook. */
  readonly bell: Bell;
}

export function createAuditFeature(
  { repositories, audit_spool, clock, background, log }: AuditPorts,
  { seal, line_seal, callers, bell }: AuditDeps,
  { instance_id, version }: AuditOptions,
) {
  const spool = createSpool({ files: audit_spool, seal: line_seal, log });
  const chain = createAuditChain({ repositories, seal, clock, log, instance_id, bell, spool });
  const trail = createAuditTrail({ chain, clock });
  const recovery = createAuditRecovery({ repositories, spool, chain, trail, log });
  const deps = {
    audit: repositories.audit,
    seal,
    clock,
    onUnfindable: createFindable({ repositories, log }),
  };
  const read = (reading: Reading) => readAudit(deps, chain.head(), reading);
  const verifyNow = createVerifier(async (reading) => (await read(reading)).verdict);
  const services: AuditServices = {
    audit: createAudit({ repositories, callers, seal, verifyNow, trail, clock }),
    recordHostKey: (action, detail) => trail.record(THE_GATEWAY, action, detail),
  };
  let cancel = () => {};
  const job: Job = {
    name: 'audit log',
    async start() {
      await recovery.run();
      await trail.record(THE_GATEWAY, 'gateway_start', `version ${version}, instance ${instance_id}`);
      cancel = every(clock.after, OWED_INTERVAL_MS, () =>
        background.run('write overdue audit entries', chain.settle().then(recovery.run)),
      );
    },
    async stop() {
      cancel();
      await chain.close();
      await recovery.finish();
    },
  };
  const verify = (signal: AbortSignal) => read({ signal });
  return { services, trail, verify, jobs: [job] };
}
