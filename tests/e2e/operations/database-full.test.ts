import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { Clock } from '#core/ports/runtime.ts';
import { systemClock } from '#server/lib/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { addWebhook, toldTo } from '../../support/features/deliveries.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { USER_PASSWORD } from '../../support/gateway/gateway.ts';

const RESERVE_INTERVAL_MS = 30_000;
const RESERVE_BYTES = 16 * 1024 * 1024;

/** What waits for the next look at the disk, which comes when the test says so. */
const waiting: (() => void)[] = [];
/** What came due while the test let no job run. */
let held: (() => void)[] | undefined;
const clock: Clock = {
  ...systemClock,
  after(ms, run) {
    if (ms !== RESERVE_INTERVAL_MS) return systemClock.after(ms, () => (held ? held.push(run) : run()));
    waiting.push(run);
    return () => undefined;
  },
};
const lookAtDisk = () => {
  for (const run of waiting.splice(0)) run();
};

async function withoutJobs(work: () => Promise<void>): Promise<void> {
  const due: (() => void)[] = [];
  held = due;
  try {
    await work();
  } finally {
    held = undefined;
    for (const run of due) run();
  }
}

const MOST_WRITES = 2_000; // Some still fit into the pages that the database already has.

let disk: string;
let is_mounted = false;
let host: FileHost | undefined;
beforeAll(async () => {
  disk = mkdtempSync(join(tmpdir(), 'sallyport-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', disk], { stdio: 'ignore' });
    is_mounted = true;
  } catch {
    return; // On a machine that may not mount, the test says so.
  }
  host = await startFileHost({ gateway: { database_url: join(disk, 'sallyport.db'), clock } });
});
afterAll(async () => {
  await host?.stop();
  if (is_mounted) execFileSync('umount', [disk]);
  rmSync(disk, { recursive: true });
});

function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 16)) writeUntilFull(file, size);
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, size: number): void {
  const bytes = Buffer.alloc(size);
  try {
    while (writeSync(file, bytes) === size);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

/** Uses up the pages that the database already has. */
function exhaust(path: string): void {
  const database = new Database(path);
  try {
    database.exec('create table if not exists junk (text)');
    for (;;) database.prepare('insert into junk values (?)').run('junk'.repeat(25));
  } catch (error) {
    if (!(error instanceof Database.SqliteError && error.code === 'SQLITE_FULL')) throw error;
  } finally {
    database.close();
  }
}

it('a full database refuses writes, can be read, and has everything that it acknowledged', async ({
  skip,
}) => {
  if (!host) return skip('this machine may not mount a tmpfs');
  const { gateway, server, ask, at } = host;
  const { admin, store } = gateway;
  const hook = await addWebhook(store, ['server_added']);
  const add = (name: string) =>
    admin.call<Server & { code?: string }>('POST', '/api/servers', {
      name,
      hostname: 'h.test',
      username: 'u',
    });
  const added: Server[] = [];
  async function addUntilRefused() {
    for (let n = 0; n < MOST_WRITES; n += 1) {
      const { status, body } = await add(`server ${n}`);
      if (status !== 201) return { status, code: body.code };
      added.push(body);
    }
    return undefined;
  }

  await ask({ verb: 'ls', query: { path: at() } }); // This pins its key.
  // A job that wrote first would find the full disk, and `mkdir` would be refused before it is done.
  await withoutJobs(async () => {
    fill(join(disk, 'filler'));
    exhaust(join(disk, 'sallyport.db'));
    expect(await ask({ verb: 'mkdir', body: { path: at('made') } })).toMatchObject({ status: 507 });
  });
  expect(statSync(at('made')).isDirectory()).toBe(true);
  expect(await addUntilRefused()).toEqual({ status: 507, code: 'database_full' });
  expect((await admin.call('GET', '/api/servers')).status).toBe(200);
  expect((await ask({ verb: 'ls', query: { path: at() } })).status).toBe(200);

  rmSync(join(disk, 'filler'));
  lookAtDisk();
  const body = await eventually(async () => {
    const answer = await add('after');
    expect(answer.status).toBe(201);
    return answer.body;
  });
  const listed = (await admin.call<Server[]>('GET', '/api/servers')).body.map(({ id }) => id);
  expect(listed).toEqual(expect.arrayContaining([server, ...added, body].map(({ id }) => id)));
  const told = await toldTo(store, hook);
  expect(told.map(({ data }) => data.id).sort()).toEqual(listed.filter((id) => id !== server.id).sort());
  await eventually(async () => {
    const [entry] = (await admin.call<AuditEntry[]>('GET', '/api/auth/audit?action=sftp_mkdir')).body;
    expect(entry?.detail).toBe(`box (#${server.id}): ${at('made')}; written late`);
  });
  expect((await admin.call('GET', '/api/auth/audit/verify')).body).toMatchObject({ ok: true });
});

it('a full disk leaves room for what ends or deletes something', async ({ skip }) => {
  if (!host) return skip('this machine may not mount a tmpfs');
  const { gateway, server, ask, at } = host;
  const { admin, anonymous } = gateway;
  const ready = async () => (await anonymous.call('GET', '/api/health/ready')).status;
  const user = await gateway.user({ username: 'leaver' });
  const { body: key } = await admin.call<{ id: number }>('POST', '/api/auth/api-keys', { name: 'old' });
  const { id: unused } = await gateway.addServer({ name: 'unused' });
  lookAtDisk();
  await eventually(async () => expect(statSync(join(disk, 'sallyport.db-reserve')).size).toBe(RESERVE_BYTES));
  await eventually(async () => expect(await ready()).toBe(200));

  fill(join(disk, 'filler'));
  const filled = new Set<number>();
  for (let n = 0; n < MOST_WRITES && !filled.has(507); n += 1) {
    filled.add((await admin.call('POST', '/api/snippets', { name: `s${n}`, command: 'ls' })).status);
  }
  fill(join(disk, 'more')); // What was freed is taken, too.
  expect(filled).toEqual(new Set([201, 507]));
  expect(await ready()).toBe(503);
  expect(await admin.call('POST', '/api/snippets', { name: 'one', command: 'ls' })).toMatchObject({
    status: 507,
    body: { code: 'database_full' },
  });
  expect((await user.call('POST', '/api/auth/ws-ticket')).status).toBe(507);
  expect((await user.call('POST', '/api/auth/logout')).status).toBeLessThan(300);
  expect((await user.call('GET', '/api/auth/me')).status).toBe(401);
  expect((await admin.call('DELETE', `/api/auth/api-keys/${key.id}`)).status).toBeLessThan(300);
  expect((await admin.call('DELETE', `/api/servers/${unused}`)).status).toBeLessThan(300);
  expect((await gateway.signIn('leaver', USER_PASSWORD)).token).not.toBe('');
  expect(await ask({ verb: 'mkdir', body: { path: at('unmade') } })).toMatchObject({ status: 507 });
  expect(existsSync(at('unmade'))).toBe(false);
  const download = `/api/files/${server.id}/download?path=${at('made')}`;
  expect((await admin.fetch(download)).status).toBe(507);
  expect((await ask({ verb: 'ls', query: { path: at() } })).status).toBe(200);
  expect((await admin.call('GET', `/api/servers/${server.id}`)).status).toBe(200);

  for (const name of ['filler', 'more']) rmSync(join(disk, name));
  lookAtDisk();
  await eventually(async () => expect(await ready()).toBe(200));
  expect((await admin.call('POST', '/api/snippets', { name: 'later', command: 'ls' })).status).toBe(201);
  expect((await admin.call('GET', '/api/auth/audit/verify')).body).toMatchObject({ ok: true });
});
