import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BACKUP_FORMAT } from '#core/model/backup/backup.ts';
import { auditRows } from '../../support/features/audit.ts';
import { addHost } from '../../support/features/chain.ts';
import { runCommand, runHere, runInTerminal } from '../../support/gateway/command.ts';
import { SECRET_KEY, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { scanHost } from '../../support/hosts/known-hosts.ts';
import { startSshd } from '../../support/hosts/sshd.ts';

const START = new URL('../../../apps/server/start.mjs', import.meta.url).pathname;
const PASSPHRASE = 'correct horse battery';
const MODE_BITS = 0o777;

let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.addServer({ name: 'kept', password: 'of the host' });
});
afterAll(() => gateway?.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-backup-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const places = () => ({ SERVICE_DB_URL: gateway.config.database_url, SERVICE_SECRET_KEY: SECRET_KEY });

/** Next to the running gateway, with the passphrase in a variable. */
const backup = (args: readonly string[], env: Record<string, string> = {}) =>
  runHere(['backup', ...args], { ...places(), SERVICE_BACKUP_PASSPHRASE: PASSPHRASE, ...env });

/** The same as a separate process, in the folder of the test. */
const backupApart = (args: readonly string[], input = '') =>
  runCommand(['backup', ...args], {
    cwd: folder,
    env: { ...places(), SERVICE_BACKUP_PASSPHRASE: PASSPHRASE },
    input,
  });

const at = (name: string) => join(folder, name);

const serverNames = async () => {
  const { body } = await gateway.admin.call<{ name: string }[]>('GET', '/api/servers');
  return body.map(({ name }) => name).sort();
};

describe('The command backup export', () => {
  it('writes a new file that only its owner can read, named after the time, and prints its contents', async () => {
    const { code, stdout, stderr } = await backupApart(['export']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [name = '', ...others] = await readdir(folder);
    expect(name).toMatch(/^sallyport-backup-\d{4}-\d\d-\d\dT\d{6}Z\.json$/);
    expect([stdout, others]).toEqual([`Written to ${name}: servers 1, users 1\n`, []]);
    expect((await stat(at(name))).mode & MODE_BITS).toBe(0o600);
    expect(JSON.parse(await readFile(at(name), 'utf8')).format).toBe(BACKUP_FORMAT);
    expect((await auditRows(gateway.store)).at(-1)?.action).toBe('backup_export');
  });

  it('never overwrites a file unless it is forced to', async () => {
    const file = at('there');
    await writeFile(file, 'of somebody', { mode: 0o644 });
    const refused = await backup(['export', '--output', file]);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: `${file}: already exists; use --force to replace it\n`,
    });
    expect(await readFile(file, 'utf8')).toBe('of somebody');
    expect((await backup(['export', '--output', file, '--force'])).code).toBe(0);
    expect((await stat(file)).mode & MODE_BITS).toBe(0o600);
    expect(await readdir(folder)).toEqual(['there']);
  });

  it.each([
    ['a directory', () => folder, 'already exists and is not a file'],
    ['a device', () => '/dev/full', 'already exists and is not a file'],
    ['a path whose directory is not there', () => at('none/file'), 'does not exist'],
  ])('refuses %s, forced or not', async (_what, output, complaint) => {
    const { code, stderr } = await backup(['export', '--force', '--output', output()]);
    expect([code, stderr]).toEqual([1, `${output()}: ${complaint}\n`]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('fails when it cannot read a secret, and keeps the existing file', async () => {
    const { db, tables } = gateway.store;
    const { id } = await gateway.addServer({ name: 'lost', password: 'of the host' });
    const lost = eq(tables.servers.id, id);
    await db.update(tables.servers).set({ password_sealed: 'v2:otherkey:bm9uY2U=:dGV4dA==' }).where(lost);
    const first = await backup(['export', '--output', at('new')]);
    expect([first.code, first.stderr]).toEqual([
      4,
      expect.stringMatching(/^1 stored secrets could not be decrypted/),
    ]);
    await writeFile(at('old'), 'the last good one');
    const second = await backup(['export', '--force', '--output', at('old')]);
    expect([second.code, await readFile(at('old'), 'utf8')]).toEqual([1, 'the last good one']);
    const third = await backup(['export', '--force', '--allow-unreadable', '--output', at('old')]);
    expect([third.code, JSON.parse(await readFile(at('old'), 'utf8')).unreadable]).toEqual([0, 1]);
    await gateway.admin.call('DELETE', `/api/servers/${id}`);
  });

  it('leaves nothing on a full disk', async () => {
    const script = `mount -t tmpfs -o size=4k tmpfs "$0"; cd "$0"; head -c 4096 /dev/zero > zeros; "$@"; echo "code $?"; ls -A`;
    const command = [process.execPath, START, 'backup', 'export', '--output', 'file'];
    const { PATH = '' } = process.env;
    const env = { PATH, ...places(), SERVICE_BACKUP_PASSPHRASE: PASSPHRASE };
    const run = promisify(execFile);
    const { stdout, stderr } = await run('unshare', ['--mount', 'sh', '-c', script, folder, ...command], {
      env,
    });
    expect([stderr, stdout]).toEqual(['file: no space left on the disk\n', 'code 1\nzeros\n']);
  });

  it('prefers the passphrase from a file over the variable', async () => {
    await writeFile(at('passphrase'), 'another horse battery\n');
    const named = ['--passphrase-file', at('passphrase')];
    expect((await backup(['export', '--output', at('file'), ...named])).code).toBe(0);
    const restore = ['restore', at('file'), '--mode', 'merge', '--dry-run'];
    expect((await backup([...restore, ...named])).code).toBe(0);
    const { code, stderr } = await backup(restore);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The passphrase is wrong.*\n$/)]);
  });

  it('refuses a short passphrase', async () => {
    const { code, stderr } = await backup(['export', '--output', at('file')], {
      SERVICE_BACKUP_PASSPHRASE: 'too short',
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Passphrase: .*12.*\n$/)]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('requires a passphrase when there is no terminal', async () => {
    const none = await runCommand(['backup', 'export'], { cwd: folder, env: places() });
    expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/^No passphrase: .*\n$/)]);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('The command backup restore', () => {
  it('restores what is missing, from a pipe, after printing what it would do', async () => {
    const { stdout: bundle } = await backup(['export', '--output', '-']);
    const { body } = await gateway.admin.call<{ id: number }[]>('GET', '/api/servers');
    await gateway.admin.call('DELETE', `/api/servers/${body[0]?.id}`);
    await writeFile(at('file'), bundle);
    const dry = await backup(['restore', at('file'), '--mode', 'merge', '--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([
      0,
      expect.stringMatching(/^Dry run, .*\n {2}created: servers 1\n/),
    ]);
    expect(await serverNames()).toEqual([]);
    const real = await backupApart(['restore', '-', '--mode', 'merge'], bundle);
    expect([real.code, real.stdout]).toEqual([
      0,
      expect.stringMatching(/^Restored:\n {2}created: servers 1\n/),
    ]);
    expect(await serverNames()).toEqual(['kept']);
  });

  it.each([
    ['does not exist', '/none', /^\/none: does not exist\n$/],
    ['is a directory', '/etc', /^\/etc: is a directory\n$/],
    ['is something else', START, /^This file is not a Sallyport backup/],
    ['never ends', '/dev/zero', /larger than \d+ MiB/],
  ])('refuses a file that %s with one line', async (_what, file, complaint) => {
    const { code, stdout, stderr } = await backup(['restore', file, '--mode', 'replace']);
    expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
    expect(stderr).toMatch(complaint);
  });
});

describe('Revoked host keys', () => {
  it('that the command restores end the connections of a running gateway', async () => {
    const sshd = await startSshd();
    const { id } = await addHost(gateway, { name: 'harbor', sshd });
    const list = () => gateway.admin.call('GET', `/api/files/${id}/ls?path=/`);
    const lines = (await scanHost(sshd.port)).trim().split('\n');
    const text = lines.map((line) => `@revoked ${line}`).join('\n');
    await gateway.admin.call('POST', '/api/servers/host-keys/import', { text });
    await backup(['export', '--output', at('bundle')]);
    const { body } = await gateway.admin.call<{ id: number }[]>('GET', '/api/servers/host-keys/revoked');
    for (const key of body) await gateway.admin.call('DELETE', `/api/servers/host-keys/revoked/${key.id}`);
    expect((await list()).status).toBe(200); // the connection stays open
    expect((await backup(['restore', at('bundle'), '--mode', 'merge'])).code).toBe(0);
    expect((await list()).body['code']).toBe('host_key_revoked');
    await sshd.stop();
  });
});

describe('In a terminal', () => {
  const asked = (...args: string[]) => runInTerminal(['backup', ...args], { cwd: folder, env: places() });

  it('the passphrase is prompted, twice for a new backup, and never shown', async () => {
    const exporting = asked('export', '--output', 'file');
    await exporting.sees('Passphrase for the backup');
    exporting.type(`${PASSPHRASE}x\x7f\r`); // One character too many, deleted again.
    await exporting.sees('Repeat the passphrase: ');
    exporting.type(`${PASSPHRASE}\r`);
    const restoring = await exporting.finished.then(() =>
      asked('restore', 'file', '--mode', 'merge', '--dry-run'),
    );
    await restoring.sees('Passphrase of the backup: ');
    restoring.type(`${PASSPHRASE}\r`);
    const [first, second] = [await exporting.finished, await restoring.finished];
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.shown + second.shown).not.toMatch(/horse|battery/);
  });

  it('two different passphrases are refused', async () => {
    const exporting = asked('export', '--output', 'file');
    await exporting.sees('Passphrase for the backup');
    exporting.type(`${PASSPHRASE}\rcorrect donkey battery\r`); // Both at once, as if pasted.
    expect(await exporting.finished).toMatchObject({
      code: 1,
      shown: expect.stringContaining('passphrases differ'),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ])('%s cancels with exit 130', async (_what, key) => {
    const exporting = asked('export', '--output', 'file');
    await exporting.sees('Passphrase for the backup');
    exporting.type(key);
    expect((await exporting.finished).code).toBe(130);
    expect(await readdir(folder)).toEqual([]);
  });
});
