import { verifyAudit } from '#core/audit/verification/verify.ts';
import { createAuditSeal, hashOfEntry } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import type { NewAuditRow } from '#core/model/audit/audit.ts';
import { migrate } from '#db/migrate/apply.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { textDigest } from '#server/adapters/text-digest.ts';
import { row } from '../measure.ts';

const PER_WRITE = 500;
const BEGIN = Date.parse('2025-01-01T00:00:00.000Z');
const silent = { debug() {}, info() {}, warn() {} };

/** How long a gateway takes to verify a log, in an empty database. */
export async function measureVerification(store: Store, entries: number) {
  await migrate(store, silent);
  const { audit } = createRepositories(store);
  const seal = createAuditSeal(await createKeyring('a secret of the benchmark'), undefined, textDigest);
  await fill(audit, seal, entries);
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { ok, entries: checked } = await verifyAudit(
    { audit, seal, clock: { now: () => new Date() } },
    undefined,
  );
  if (!ok || checked !== entries) throw new Error(`Only ${checked} entries are intact`);
  const seconds = (ms: number) => (ms / 1000 / entries) * 1_000_000;
  const { user, system } = process.cpuUsage(cpu);
  return [
    row(`verification of a million entries (${store.dialect})`, 's', {
      ours: seconds(performance.now() - start),
      want: '<= 30 s',
    }),
    row(`… processor time of the gateway (${store.dialect})`, 's', {
      ours: seconds((user + system) / 1000),
      want: '<= 30 s',
    }),
  ];
}

type Audit = ReturnType<typeof createRepositories>['audit'];
type Seal = ReturnType<typeof createAuditSeal>;

async function fill(audit: Audit, seal: Seal, entries: number): Promise<void> {
  const chain = {
    id: 'chain',
    number: 1,
    instance_id: 'one',
    started_at: new Date(BEGIN).toISOString(),
    witness: '[]',
  };
  const empty = await seal.signHead({ ...chain, entries: 0, last_hash: '' });
  await audit.openChain(empty, await seal.signRoll(1));
  let last_hash = '';
  let rows: NewAuditRow[] = [];
  for (let seq = 1; seq <= entries; seq += 1) {
    const entry = entryAt(seq);
    last_hash = await hashOfEntry(entry, last_hash);
    rows.push({ ...entry, hash: last_hash });
    if (rows.length < PER_WRITE && seq < entries) continue;
    await audit.append(rows, await seal.signHead({ ...chain, entries: seq, last_hash }));
    rows = [];
  }
}

function entryAt(seq: number) {
  return {
    ...{
      chain_id: 'chain',
      seq,
      user_id: 1 + (seq % 400),
      username: `user-${seq % 400}`,
      action: 'sftp_download',
    },
    detail: `server prod-web-${seq % 300} /srv/data/report-${seq % 100_003}.csv`,
    ip_address: '10.0.0.1',
    created_at: new Date(BEGIN + seq * 15_000).toISOString(),
  };
}
