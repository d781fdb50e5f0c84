import { createActivityRights } from './activities/rights.ts';
import { createAuditSeal } from './crypto/audit-seal.ts';
import { createKeyring } from './crypto/keyring.ts';
import { createLineSeal } from './crypto/line-seal.ts';
import { createVault } from './crypto/vault.ts';
import { createEdgeFeature } from './edge-services.ts';
import { createChanges } from './instances/changes.ts';
import { ANY_WORKER } from './instances/forwarded-addresses.ts';
import { createOtherInstances } from './instances/others.ts';
import { createInstanceProofs } from './instances/proofs.ts';
import { createInstanceQuestions } from './instances/questions.ts';
import { randomToken } from './lib/bytes/bytes.ts';
import { createBell } from './lib/concurrency/bell.ts';
import type { Ports, ServiceOptions } from './service-types.ts';

export type Foundation = Awaited<ReturnType<typeof createFoundation>>;

/** What several features share. */
export async function createFoundation(ports: Ports, options: ServiceOptions) {
  const { activities, demo_mode, secret_key, secret_key_previous } = options;
  const run_id = randomToken(16);
  const keyring = await createKeyring(secret_key);
  const previous = secret_key_previous ? await createKeyring(secret_key_previous) : undefined;
  const proofs = createInstanceProofs(keyring, ports.clock);
  const audiences = [run_id, ANY_WORKER];
  return {
    edge: createEdgeFeature(ports, keyring, { demo_mode, audiences, shares_work: true }),
    vault: createVault(keyring, previous),
    seal: createAuditSeal(keyring, previous, ports.text_digest),
    line_seal: createLineSeal(keyring, previous),
    proofs,
    others: createOtherInstances({ ...ports, ...options, proofs, run_id }),
    questions: createInstanceQuestions(keyring, ports.clock, run_id),
    activities,
    rights: createActivityRights({ ...ports, activities }),
    bell: createBell(),
    changes: createChanges(ports.clock),
    run_id,
  };
}
