import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ListedAuditEntry } from '#core/model/audit/audit.ts';
import type { Copied, CopyEvent } from '#core/model/files/file-change.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const BLOB = randomBytes(3 * 1024 * 1024 + 17);

let here: Sshd;
let there: Sshd;
let gateway: TestGateway;
let source: Server;
let target: Server;
let nth = 0;
let from: string;
let to: string;

beforeAll(async () => {
  [here, there] = await Promise.all([startSshd(), startSshd()]);
  gateway = await startGateway();
  source = await addHost(here, { name: 'here' });
  target = await addHost(there, { name: 'there' });
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([here?.stop(), there?.stop()]);
});
beforeEach(async () => {
  nth += 1;
  from = await ownDirectory(here, join(here.folder, `from-${nth}`));
  to = await ownDirectory(there, join(there.folder, `to-${nth}`));
});

/** Containers often may not. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-mount-'));
  const is_mounted = spawnSync('mount', ['--bind', folder, folder]).status === 0;
  if (is_mounted) execFileSync('umount', [folder]);
  rmdirSync(folder);
  return is_mounted;
}

async function ownDirectory({ uid }: Sshd, path: string): Promise<string> {
  await mkdir(path);
  await chown(path, uid, uid);
  return path;
}

function addHost({ port, username, password }: Sshd, fields: Record<string, unknown>): Promise<Server> {
  return gateway.addServer({ port, username, password, ...fields });
}

interface Wanted {
  readonly source_path: string;
  readonly target_path: string;
  readonly target_server_id?: number;
  readonly overwrite?: boolean;
}

function copy(
  wanted: Wanted,
  { id = source.id, actor = gateway.admin }: { id?: number; actor?: Actor } = {},
) {
  const body = { target_server_id: target.id, ...wanted };
  return actor.call<Copied & { code: string; detail: string }>('POST', `/api/files/${id}/copy-to`, body);
}

async function put(path: string, content: string | Buffer, mode = 0o644): Promise<string> {
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

describe('copy-to', () => {
  it('streams a file from server to server and returns the number of bytes', async () => {
    const source_path = await put(join(from, 'blob'), BLOB, 0o755);
    const { status, body } = await copy({ source_path, target_path: join(to, 'copy') });
    expect({ status, body }).toEqual({
      status: 200,
      body: { path: join(to, 'copy'), bytes: BLOB.length, files: 1, skipped: [], skipped_count: 0 },
    });
    expect(BLOB.equals(await readFile(join(to, 'copy')))).toBe(true);
    expect((await stat(join(to, 'copy'))).mode & 0o777).toBe(0o755);
    expect(await readdir(to)).toEqual(['copy']);
  });

  it('keeps the name of the source in an existing directory', async () => {
    const source_path = await put(join(from, 'a.txt'), 'a');
    const { body } = await copy({ source_path, target_path: to });
    expect(body.path).toBe(join(to, 'a.txt'));
    expect(await readFile(join(to, 'a.txt'), 'utf8')).toBe('a');
  });

  it('creates the target of a dangling link, which stays, only with overwrite', async () => {
    const source_path = await put(join(from, 'a.txt'), 'a');
    await symlink('there', join(to, 'link'));
    const wanted = { source_path, target_path: join(to, 'link') };
    expect((await copy(wanted)).body.code).toBe('already_exists');
    expect((await copy({ ...wanted, overwrite: true })).status).toBe(200);
    expect(await readFile(join(to, 'there'), 'utf8')).toBe('a');
    expect((await readdir(to)).toSorted()).toEqual(['link', 'there']);
  });

  it('copies a file that is shorter than its size says, as in /sys', async () => {
    const wanted = { source_path: '/sys/class/net/lo/mtu', target_path: join(to, 'mtu') };
    expect((await copy(wanted)).body).toMatchObject({ bytes: 6 });
  });

  it('copies a directory with its contents', async () => {
    await mkdir(join(from, 'a/b'), { recursive: true });
    await mkdir(join(from, 'a/empty'));
    await put(join(from, 'top'), '1');
    await put(join(from, 'a/b/deep'), '22');
    await put(join(from, 'a/nothing'), '');
    const { body } = await copy({ source_path: from, target_path: join(to, 'tree') });
    expect(body).toMatchObject({ path: join(to, 'tree'), bytes: 3, files: 3, skipped_count: 0 });
    expect((await readdir(join(to, 'tree'), { recursive: true })).toSorted()).toEqual([
      'a',
      'a/b',
      'a/b/deep',
      'a/empty',
      'a/nothing',
      'top',
    ]);
  });

  it('lists what it skips: links and unreadable files', async () => {
    await put(join(from, 'plain'), 'x');
    await symlink('/etc', join(from, 'link'));
    await put(join(from, 'secret'), 'x', 0o600);
    const { body } = await copy({ source_path: from, target_path: join(to, 'tree') });
    expect(body).toMatchObject({ files: 1, skipped_count: 2 });
    expect(body.skipped.map(({ path }) => path).toSorted()).toEqual([
      join(from, 'link'),
      join(from, 'secret'),
    ]);
    expect(await readdir(join(to, 'tree'))).toEqual(['plain']);
  });

  it('skips uploads in progress, and says so', async () => {
    await put(join(from, 'file'), 'x');
    await put(join(from, '.sallyport-abcdefghijkl.part'), 'half');
    const { body } = await copy({ source_path: from, target_path: join(to, 'tree') });
    expect(await readdir(join(to, 'tree'))).toEqual(['file']);
    expect(body).toMatchObject({ files: 1, skipped_count: 1 }); // A move then keeps its source.
  });

  it('refuses an existing target unless overwrite is true', async () => {
    const source_path = await put(join(from, 'new'), 'new');
    const target_path = await put(join(to, 'old'), 'old', 0o600);
    await chown(target_path, there.uid, there.uid);
    const refused = await copy({ source_path, target_path });
    expect([refused.status, refused.body.code]).toEqual([409, 'already_exists']);
    expect(await readFile(target_path, 'utf8')).toBe('old');
    expect((await copy({ source_path, target_path, overwrite: true })).status).toBe(200);
    expect(await readFile(target_path, 'utf8')).toBe('new');
    expect((await stat(target_path)).mode & 0o777).toBe(0o600);
  });

  it('merges into an existing directory, but not through a link that leads outside', async () => {
    const jailed = await addHost(there, { name: `jailed-${nth}`, sftp_allowed_paths: [to] });
    const outside = await ownDirectory(there, join(there.folder, `outside-${nth}`));
    await mkdir(join(from, 'sub'));
    await put(join(from, 'sub', 'file'), 'x');
    const tree = await ownDirectory(there, join(to, `from-${nth}`));
    await symlink(outside, join(tree, 'sub'));
    const wanted = { source_path: from, target_path: to, target_server_id: jailed.id, overwrite: true };
    const { status, body } = await copy(wanted);
    expect([status, body.code]).toEqual([403, 'path_outside_allowed']);
    expect(await readdir(outside)).toEqual([]);
  });

  it.each([
    ['a directory into itself', () => source.id],
    ['a directory into itself by another record of the same host', () => target.id],
  ])('refuses %s', async (_what, id) => {
    const wanted = { source_path: from, target_path: join(from, 'inner'), target_server_id: id() };
    const { status, body } = await copy(wanted);
    expect([status, body.code]).toEqual([409, 'into_itself']);
    expect(await readdir(from)).toEqual([]);
  });

  it.skipIf(!canMount())('refuses a directory into itself through a bind mount', async () => {
    const inner = await ownDirectory(here, join(from, 'inner'));
    await put(join(from, 'file'), 'x');
    const mounted = await ownDirectory(here, join(here.folder, `mounted-${nth}`));
    execFileSync('mount', ['--bind', inner, mounted]);
    try {
      const wanted = { source_path: from, target_path: join(mounted, 'copy'), target_server_id: source.id };
      const { status, body } = await copy(wanted);
      expect([status, body.code]).toEqual([409, 'into_itself']);
      expect(execFileSync('find', [from, '-mindepth', '5']).toString()).toBe(''); // Hosts list in any order.
      expect(await readdir(inner)).not.toContainEqual(expect.stringMatching(/\.part$/));
    } finally {
      execFileSync('umount', [mounted]);
    }
  });

  it('follows the rules of both servers', async () => {
    const source_path = await put(join(from, 'a'), 'a');
    const read_only = await addHost(there, { name: `ro-${nth}`, sftp_read_only: true });
    const elsewhere = await addHost(here, { name: `else-${nth}`, sftp_allowed_paths: ['/srv'] });
    const no_sftp = await addHost(there, { name: `off-${nth}`, sftp_enabled: false });
    const codes = await Promise.all([
      copy({ source_path, target_path: join(to, 'a'), target_server_id: read_only.id }),
      copy({ source_path, target_path: join(to, 'a') }, { id: elsewhere.id }),
      copy({ source_path, target_path: join(to, 'a'), target_server_id: no_sftp.id }),
    ]);
    expect(codes.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'sftp_read_only'],
      [403, 'path_outside_allowed'],
      [403, 'sftp_disabled'],
    ]);
    expect(await readdir(to)).toEqual([]);
  });

  it('reads from a read-only server', async () => {
    const read_only = await addHost(here, { name: `ro-source-${nth}`, sftp_read_only: true });
    const source_path = await put(join(from, 'a'), 'a');
    expect((await copy({ source_path, target_path: join(to, 'a') }, { id: read_only.id })).status).toBe(200);
  });

  it('does not reveal a target server of another group', async () => {
    const actor = await gateway.user({ username: `visitor-${nth}`, allowed_groups: ['lab'] });
    const hidden = await addHost(there, { name: `hidden-${nth}`, group: 'other' });
    const wanted = { source_path: from, target_path: to, target_server_id: hidden.id };
    const { status, body } = await copy(wanted, { actor });
    expect([status, body.code]).toEqual([404, 'server_not_found']);
  });

  it('fails for a single file that cannot be read', async () => {
    const source_path = await put(join(from, 'secret'), 'x', 0o600);
    const { status, body } = await copy({ source_path, target_path: join(to, 'a') });
    expect([status, body.code]).toEqual([403, 'permission_denied']);
    expect(await readdir(to)).toEqual([]);
    const path = `/api/auth/audit?search=${encodeURIComponent(source_path)}`;
    const { body: logged } = await gateway.admin.call<ListedAuditEntry[]>('GET', path);
    expect(logged.map(({ phrase }) => phrase?.code)).toEqual(['copy_stopped', 'copied']);
  });

  it('leaves no partial file when the source dies', async () => {
    await truncate(await put(join(from, 'blob'), ''), 4 * 1024 * 1024 * 1024);
    const events = await copyEvents({ source_path: from, target_path: join(to, 'tree') });
    for await (const event of events)
      if (event.type === 'progress' && event.bytes > 0) await here.killSessions(); // its directory is there by then
    const left = await readdir(join(to, 'tree'));
    expect(left).toEqual([]);
  });

  it('reports progress as events, and ends with the result', async () => {
    const source_path = await put(join(from, 'blob'), BLOB);
    const told: CopyEvent[] = [];
    for await (const event of await copyEvents({ source_path, target_path: to })) told.push(event);
    expect(told.at(-1)).toMatchObject({ type: 'result', result: { bytes: BLOB.length } });
    expect(told.some(({ type }) => type === 'progress')).toBe(true);
  });

  it('reports the total of a directory once it has been counted', async () => {
    await mkdir(join(from, 'sub'));
    await put(join(from, 'blob'), BLOB);
    await put(join(from, 'sub/small'), 'small');
    await put(join(from, 'sub/.sallyport-0123456789ab.part'), 'no part of it');
    const totals = new Set<string>();
    for await (const event of await copyEvents({ source_path: from, target_path: join(to, 'tree') }))
      if (event.type === 'progress' && event.total_bytes !== undefined)
        totals.add(`${event.total_bytes} in ${event.total_files}`);
    expect([...totals]).toEqual([`${BLOB.length + 5} in 2`]);
  });

  it('reports a failure as an event', async () => {
    const told: CopyEvent[] = [];
    const wanted = { source_path: join(from, 'missing'), target_path: to };
    for await (const event of await copyEvents(wanted)) told.push(event);
    expect(told).toEqual([{ type: 'failed', code: 'file_not_found', detail: expect.any(String) }]);
  });
});

async function copyEvents(wanted: Wanted): Promise<AsyncIterable<CopyEvent>> {
  const response = await gateway.admin.fetch(`/api/files/${source.id}/copy-to`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ target_server_id: target.id, ...wanted }),
  });
  return eventsOf(response);
}

async function* eventsOf(response: Response): AsyncGenerator<CopyEvent> {
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString();
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as CopyEvent;
  }
}
