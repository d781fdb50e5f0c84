import { beforeAll, describe, expect, it } from 'vitest';
import { createAuditRecovery } from '#core/audit/chain/recovery.ts';
import { createSpool } from '#core/audit/chain/spool.ts';
import { createAuditTrail } from '#core/audit/trail.ts';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import type { AuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createLineSeal } from '#core/crypto/line-seal.ts';
import { Fault } from '#core/errors.ts';
import type { AuditSpool } from '#core/ports/audit-spool.ts';
import { silent } from '../../support/databases/stores.ts';
import { auditChainOn, auditSeal, createMemory, entry, type Memory } from './in-memory.ts';

const SECRET = 'a secret of the spool tests';

let seal: AuditSeal;
beforeAll(async () => {
  seal = await auditSeal();
});

/** The files of one folder: of the run that writes, and of those that have ended. */
interface Disk {
  written: string[];
  orphaned: string[];
  readonly put_aside: string[];
  is_full: boolean;
}

const newDisk = (): Disk => ({ written: [], orphaned: [], put_aside: [], is_full: false });

function filesOn(disk: Disk): AuditSpool {
  return {
    async append(lines) {
      if (disk.is_full) throw new Error('no space left on device');
      disk.written.push(...lines);
    },
    async clear() {
      disk.written = [];
    },
    async claim() {
      const lines = disk.orphaned;
      if (lines.length === 0) return [];
      disk.orphaned = [];
      const restore = async () => void disk.put_aside.push(...lines);
      return [{ name: 'a file', lines: async () => lines, remove: async () => {}, setAside: restore }];
    },
  };
}

/** A run of the gateway on this database and disk. */
async function startRun(memory: Memory, disk: Disk, secret = SECRET, previous?: string) {
  const keyring = await createKeyring(secret);
  const line_seal = createLineSeal(keyring, previous ? await createKeyring(previous) : undefined);
  const logged: object[] = [];
  const log = { ...silent, error: (fields: object) => void logged.push(fields) };
  const spool = createSpool({ files: filesOn(disk), seal: line_seal, log });
  const chain = auditChainOn(memory, seal, { log, spool });
  const trail = createAuditTrail({ chain, clock: { now: () => new Date('2026-01-02T03:04:05.678Z') } });
  const recovery = createAuditRecovery({ repositories: { audit: memory }, spool, chain, trail, log });
  return { chain, recovery, logged };
}

/** The process dies: its file stays. */
function kill(disk: Disk): void {
  disk.orphaned = [...disk.orphaned, ...disk.written];
  disk.written = [];
}

const detailsOf = (memory: Memory) => memory.entries.map(({ detail }) => detail);
const away = async () => {
  throw new Fault('database_unavailable');
};

/** Entries that a killed run owed, and its database, which is back. */
async function owed(...details: string[]) {
  const memory = createMemory();
  const disk = newDisk();
  const { chain } = await startRun(memory, disk);
  await chain.append(entry('before'));
  const { append, chain: readChain } = memory;
  Object.assign(memory, { append: away, chain: away });
  for (const detail of details) await expect(chain.append(entry(detail))).rejects.toThrow(Fault);
  Object.assign(memory, { append, chain: readChain });
  return { memory, disk, chain };
}

describe('An audit entry that the database does not take', () => {
  it('is on disk before the caller hears of the failure', async () => {
    const { disk } = await owed('a');
    expect(disk.written).toHaveLength(1);
  });

  it('leaves the disk once it is stored', async () => {
    const { memory, disk, chain } = await owed('a', 'b');
    await chain.settle();
    expect(detailsOf(memory)).toEqual(['before', 'a; written late', 'b; written late']);
    expect(disk.written).toEqual([]);
  });

  it('is stored by the next run, in order and before everything else, when this one is killed', async () => {
    const { memory, disk } = await owed('a', 'b');
    kill(disk);
    const next = await startRun(memory, disk);
    await next.recovery.run();
    await next.chain.append(entry('start'));
    const late = ['a; written late', 'b; written late'];
    expect(detailsOf(memory)).toEqual(['before', ...late, 'entries: 2, refused lines: 0', 'start']);
    expect(await verifyAudit({ audit: memory, seal }, undefined)).toMatchObject({ ok: true, entries: 5 });
  });

  it('keeps its transport when this run is killed', async () => {
    const { memory, disk, chain } = await owed('a');
    const { append, chain: readChain } = memory;
    Object.assign(memory, { append: away, chain: away });
    await expect(chain.append({ ...entry('b'), via: 'embed' })).rejects.toThrow(Fault);
    Object.assign(memory, { append, chain: readChain });
    kill(disk);
    const next = await startRun(memory, disk);
    await next.recovery.run();
    expect(memory.entries.map(({ via }) => via ?? null)).toEqual([null, null, 'embed', null]);
    expect(await verifyAudit({ audit: memory, seal }, undefined)).toMatchObject({ ok: true, entries: 4 });
  });

  it('is stored once when the next run is killed before it removes the file', async () => {
    const { memory, disk } = await owed('a', 'b');
    kill(disk);
    const lines = disk.orphaned;
    const next = await startRun(memory, disk);
    await next.recovery.run();
    await next.recovery.finish();
    disk.orphaned = lines;
    const after = await startRun(memory, disk);
    await after.recovery.run();
    expect(detailsOf(memory).filter((detail) => detail.endsWith('late'))).toHaveLength(2);
  });

  it('is stored once when this run stored it and was killed before it removed the file', async () => {
    const { memory, disk, chain } = await owed('a');
    const lines = disk.written;
    await chain.settle();
    disk.orphaned = lines;
    const next = await startRun(memory, disk);
    await next.recovery.run();
    expect(detailsOf(memory)).toEqual(['before', 'a; written late']);
  });

  it('is stored once when the database had stored it and only the answer was lost', async () => {
    const { memory, disk, chain } = await owed();
    const { chain: readChain } = memory;
    memory.trouble = (store) => {
      store();
      memory.chain = away;
      throw new Fault('database_unavailable');
    };
    await expect(chain.append(entry('unanswered'))).rejects.toThrow(Fault);
    memory.chain = readChain;
    kill(disk);
    expect(disk.orphaned).toHaveLength(1);
    await (await startRun(memory, disk)).recovery.run();
    expect(detailsOf(memory)).toEqual(['before', 'unanswered']);
  });

  it('stays on disk when the gateway stops while the database is away', async () => {
    const { memory, disk, chain } = await owed('a');
    const { append, chain: readChain } = memory;
    Object.assign(memory, { append: away, chain: away });
    await chain.close();
    Object.assign(memory, { append, chain: readChain });
    kill(disk);
    await (await startRun(memory, disk)).recovery.run();
    expect(detailsOf(memory)).toContain('a; written late');
  });

  it('is written late from memory when the disk is full', async () => {
    const { memory, disk, chain } = await owed();
    disk.is_full = true;
    const { append } = memory;
    memory.append = away;
    await expect(chain.append(entry('a'))).rejects.toThrow(Fault);
    memory.append = append;
    await chain.settle();
    expect(detailsOf(memory)).toEqual(['before', 'a; written late']);
  });

  it('stays on disk when the database goes away again during the recovery', async () => {
    const { memory, disk } = await owed('a');
    kill(disk);
    const lines = disk.orphaned;
    const next = await startRun(memory, disk);
    const { append, chain: readChain } = memory;
    Object.assign(memory, { append: away, chain: away });
    await next.recovery.run().catch(() => undefined);
    await next.chain.close();
    await next.recovery.finish();
    Object.assign(memory, { append, chain: readChain });
    disk.orphaned = lines;
    await (await startRun(memory, disk)).recovery.run();
    expect(detailsOf(memory).filter((detail) => detail === 'a; written late')).toHaveLength(1);
  });
});

describe('A file of overdue audit entries', () => {
  it.each([
    ['altered', (line: string) => line.replace('ada', 'bob')],
    ['planted', () => 'AAAA {"key":"x:1","chain_id":null,"record":null,"event":null,"tried":[]}'],
    ['damaged', () => '\u0000\u0000'],
  ])('with a line that was %s keeps that line out of the log, and reports it', async (_what, tamper) => {
    const { memory, disk } = await owed('a', 'b');
    kill(disk);
    disk.orphaned = [tamper(disk.orphaned[0] ?? ''), disk.orphaned[1] ?? ''];
    const next = await startRun(memory, disk);
    await next.recovery.run();
    await next.recovery.finish();
    expect(detailsOf(memory)).toEqual(['before', 'b; written late', 'entries: 1, refused lines: 1']);
    expect(next.logged).toMatchObject([{ refused_lines: 1 }]);
    expect(disk.put_aside).toHaveLength(2);
  });

  it.each([
    ['planted lines', () => `${'A'.repeat(43)}= {}`],
    ['copies of a genuine line', (line: string) => line],
  ])('is not read any further after a hundred %s', async (_what, plant) => {
    const { memory, disk } = await owed('a', 'b');
    kill(disk);
    const [first = '', second = ''] = disk.orphaned;
    disk.orphaned = [first, ...Array.from({ length: 101 }, () => plant(first)), second];
    const next = await startRun(memory, disk);
    await next.recovery.run();
    await next.recovery.finish();
    expect(detailsOf(memory)).toEqual(['before', 'a; written late', 'entries: 1, refused lines: 102']);
    expect(disk.put_aside).toHaveLength(103);
  });

  it('is read after a change of the secret key when the previous one is given', async () => {
    const { memory, disk } = await owed('a');
    kill(disk);
    const lines = disk.orphaned;
    await (await startRun(memory, disk, 'another secret of the tests')).recovery.run();
    expect(detailsOf(memory)).toEqual(['before', 'entries: 0, refused lines: 1']);
    disk.orphaned = lines;
    await (await startRun(memory, disk, 'another secret of the tests', SECRET)).recovery.run();
    expect(detailsOf(memory)).toContain('a; written late');
  });
});
