import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SshTarget } from '#core/ports/ssh.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createHostLookup } from '#worker/names/host-lookup.ts';
import { openSftpChannel } from '#worker/sftp/protocol/channel.ts';
import { createDialler } from '#worker/ssh/dial/connect.ts';
import { createKeyProcesses } from '#worker/ssh/keys/key-processes.ts';
import { createPrivateKeyReader } from '#worker/ssh/keys/private-keys.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { startProxy, type TcpProxy } from '../../../support/hosts/tcp.ts';
import { failureOf, hopTo, judging, manualClock, targetTo, trustAll, worker } from '../../setup.ts';

const FIVE_MINUTES_MS = 5 * 60_000;

let sshd: Sshd;
let proxy: TcpProxy;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());
beforeEach(async () => {
  proxy = await startProxy(sshd.port);
});
afterEach(() => proxy.stop());

const target = (): SshTarget => targetTo(sshd, { port: proxy.port });

describe('the connection pool', () => {
  it('dials once for sessions that open at the same time', async () => {
    const { files } = worker();
    await Promise.all(Array.from({ length: 8 }, () => files.open(target())));
    expect(proxy.accepted()).toBe(1);
  });

  it('shares a failure among the waiting, and dials again afterwards', async () => {
    const { files } = worker();
    const wrong = targetTo(sshd, { port: proxy.port, auth: { method: 'password', password: 'wrong' } });
    const both = await Promise.all([failureOf(files.open(wrong)), failureOf(files.open(wrong))]);
    expect(both.map(({ code }) => code)).toEqual(['host_auth_failed', 'host_auth_failed']);
    expect(proxy.accepted()).toBe(1);
    await failureOf(files.open(wrong));
    expect(proxy.accepted()).toBe(2);
    await proxy.idle();
  });

  it('keeps sixteen connections to a server and replaces the one that was idle longest', async () => {
    const { files } = worker();
    const of = (person: number) => files.open({ ...target(), owner: `session ${person}` });
    const sessions = await Promise.all(Array.from({ length: 16 }, (_, person) => of(person)));
    expect(await failureOf(of(16))).toMatchObject({ code: 'host_busy' });
    sessions[3]?.release();
    sessions[5]?.release();
    const late = await of(16);
    expect(await late.realpath('/')).toBe('/');
    await of(5); // Still connected.
    expect(proxy.accepted()).toBe(17);
    expect(await sessions[4]?.realpath('/')).toBe('/');
  });

  it('reuses the connection of a released session', async () => {
    const { files } = worker();
    (await files.open(target())).release();
    const again = await files.open(target());
    await again.list('/');
    expect(proxy.accepted()).toBe(1);
  });

  it('never reuses a connection for a changed credential', async () => {
    const { files } = worker();
    await files.open(target());
    const auth = { method: 'key', private_key: sshd.private_key, passphrase: '' } as const;
    await files.open(targetTo(sshd, { port: proxy.port, auth }));
    expect(proxy.accepted()).toBe(2);
    const wrong = { method: 'password', password: 'changed' } as const;
    const changed = files.open(targetTo(sshd, { port: proxy.port, auth: wrong }));
    expect(await failureOf(changed)).toMatchObject({ code: 'host_auth_failed' });
  });

  it('closes a connection that was idle for five minutes', async () => {
    const clock = manualClock();
    const { files } = worker({ clock });
    (await files.open(target())).release();
    clock.advance(FIVE_MINUTES_MS - 1);
    expect(proxy.open()).toBe(1);
    clock.advance(1);
    await proxy.idle();
  });

  it('keeps a connection that is in use, however long', async () => {
    const clock = manualClock();
    const { files } = worker({ clock });
    const [first, second] = await Promise.all([files.open(target()), files.open(target())]);
    first.release();
    first.release();
    clock.advance(10 * FIVE_MINUTES_MS);
    await expect(second.realpath('/etc')).resolves.toBe('/etc');
    expect(proxy.accepted()).toBe(1);
  });

  it('counts a file that is still streaming as in use', async () => {
    const clock = manualClock();
    const { files } = worker({ clock });
    const session = await files.open(target());
    const file = await session.openRead('/etc/passwd');
    session.release();
    clock.advance(2 * FIVE_MINUTES_MS);
    expect((await file.readAll(1_000_000)).length).toBe(file.stat.size);
    clock.advance(FIVE_MINUTES_MS);
    await proxy.idle();
  });

  it('restarts the five minutes with each use', async () => {
    const clock = manualClock();
    const { files } = worker({ clock });
    (await files.open(target())).release();
    clock.advance(FIVE_MINUTES_MS - 1);
    (await files.open(target())).release();
    clock.advance(FIVE_MINUTES_MS - 1);
    (await files.open(target())).release();
    expect(proxy.accepted()).toBe(1);
  });
});

describe('a dead connection', () => {
  it('is reopened once, silently, for the next session', async () => {
    const { files } = worker();
    (await files.open(target())).release();
    proxy.cut();
    await proxy.idle();
    const session = await files.open(target());
    await expect(session.realpath('/etc')).resolves.toBe('/etc');
  });

  it('is reopened once, silently, for a session that holds it', async () => {
    const { files } = worker();
    const session = await files.open(target());
    proxy.cut();
    const answers = await Promise.all([session.realpath('/etc'), session.list('/'), session.entry('/etc')]);
    expect(answers[0]).toBe('/etc');
    expect(proxy.accepted()).toBe(2);
  });

  it('is reported when it dies a second time', async () => {
    const { files } = worker();
    const session = await files.open(target());
    proxy.cut();
    await session.list('/');
    proxy.cut();
    expect(await failureOf(session.list('/'))).toMatchObject({ code: 'host_disconnected' });
  });

  it('ends requests that the host does not answer', async () => {
    const { files } = worker({ operation_timeout_ms: 300 });
    const session = await files.open(target());
    proxy.freeze();
    expect(await failureOf(session.list('/'))).toMatchObject({ code: 'operation_timeout' });
  });
});

describe('dropping a server', () => {
  it('ends idle connections through the server, as destination or as jump host', async () => {
    const { files } = worker();
    const bastion = hopTo(sshd, { server_id: 7, port: proxy.port, name: 'bastion' });
    (await files.open({ hops: [bastion, hopTo(sshd, { server_id: 8 })] })).release();
    files.drop(9);
    expect(proxy.open()).toBe(1);
    files.drop(7);
    await proxy.idle();
  });

  it('ends connections in use too, without reopening them', async () => {
    const { files } = worker();
    const session = await files.open(target());
    const reader = (await session.openRead('/etc/passwd')).stream({ start: 0, end: 10 }).getReader();
    files.drop(1);
    expect(await failureOf(session.list('/'))).toMatchObject({ code: 'host_disconnected' });
    expect(await failureOf(reader.read())).toMatchObject({ code: 'host_disconnected' });
    await proxy.idle();
    expect(proxy.accepted()).toBe(1);
  });

  it('ends a dial in progress', async () => {
    const host_keys = judging(() => new Promise(() => {}));
    const { files } = worker({ host_keys });
    const opening = failureOf(files.open(target()));
    files.drop(1);
    expect(await opening).toMatchObject({ code: 'host_disconnected' });
    await proxy.idle();
  });

  it('lets the next session dial again', async () => {
    const { files } = worker();
    await files.open(target());
    files.drop(1);
    await expect((await files.open(target())).realpath('/')).resolves.toBe('/');
    expect(proxy.accepted()).toBe(2);
  });
});

describe('a record that another instance has edited', () => {
  const through = (revision: string, last = {}): SshTarget => ({
    hops: [
      hopTo(sshd, { server_id: 7, port: proxy.port, name: 'bastion', revision }),
      hopTo(sshd, { server_id: 8, ...last }),
    ],
  });

  it('ends connections of its old revision, as destination or as jump host', async () => {
    const { files } = worker();
    const session = await files.open(through('1'));
    const again = await files.open(through('2'));
    expect(await failureOf(session.list('/'))).toMatchObject({
      code: 'host_disconnected',
      detail: 'The connection was closed because the server or the access to it changed',
    });
    await files.open(through('2', { revision: '2' }));
    expect(await failureOf(again.list('/'))).toMatchObject({ code: 'host_disconnected' });
    expect(proxy.accepted()).toBe(3);
  });

  it('does not affect other records', async () => {
    const { files } = worker();
    const other = await files.open(targetTo(sshd, { server_id: 9 }));
    await files.open(through('1'));
    await files.open(through('2'));
    await expect(other.realpath('/')).resolves.toBe('/');
  });

  it('is the same target after the first contact has pinned its key', async () => {
    const { files } = worker();
    await files.open(target());
    const [hop] = target().hops;
    await files.open({ hops: [{ ...hop, known_host_keys: ['AAAA'] }] });
    expect(proxy.accepted()).toBe(1);
  });
});

describe('typed credentials', () => {
  it('are never shared', async () => {
    const { files } = worker();
    const mine = { ...target(), owner: 'session 1' };
    await Promise.all([files.open(mine), files.open(mine), files.open({ ...target(), owner: 'session 2' })]);
    expect(proxy.accepted()).toBe(2);
    await files.open(target());
    expect(proxy.accepted()).toBe(3);
  });
});

describe('SFTP channels', () => {
  it('answer a listing while downloads wait for their readers', async () => {
    const path = join(sshd.folder, 'large');
    writeFileSync(path, randomBytes(16 * 1024 * 1024));
    const session = await worker().files.open(target());
    const files = await Promise.all(Array.from({ length: 12 }, () => session.openRead(path)));
    const readers = files.map((file) => file.stream({ start: 0, end: file.stat.size - 1 }).getReader());
    await Promise.all(readers.map((reader) => reader.read()));
    expect((await session.list(sshd.folder)).map(({ name }) => name)).toContain('large');
    await Promise.all(readers.map((reader) => reader.cancel()));
    expect(proxy.accepted()).toBe(1);
  });

  it.each([1, 2])('work on a host that allows %i sessions per connection', async (sessions) => {
    const strict = await startSshd({ config: [`MaxSessions ${sessions}`] });
    const session = await worker().files.open(targetTo(strict));
    const files = await Promise.all(Array.from({ length: 5 }, () => session.openRead('/etc/passwd')));
    const contents = await Promise.all(files.map((file) => file.readAll(1_000_000)));
    expect(new Set(contents.map(({ length }) => length)).size).toBe(1);
    await strict.stop();
  });

  it('report a host without SFTP as sftp_unavailable and leave no connection', async () => {
    const bare = await startSshd({ sftp: null });
    const through = await startProxy(bare.port);
    const failure = await failureOf(worker().files.open(targetTo(bare, { port: through.port })));
    expect(failure).toMatchObject({ code: 'sftp_unavailable', stage: 'sftp' });
    await through.idle();
    await Promise.all([through.stop(), bare.stop()]);
  });
});

describe('a shutdown', () => {
  it('ends every connection with shutting_down', async () => {
    const own = worker();
    const session = await own.files.open(target());
    own.close();
    expect(await failureOf(session.list('/'))).toMatchObject({ code: 'shutting_down' });
    expect(await failureOf(own.files.open(target()))).toMatchObject({ code: 'shutting_down' });
    await proxy.idle();
  });
});

describe('a line that drops all packets', () => {
  it('is noticed within three seconds by the next call, which uses another connection', async () => {
    const clock = manualClock();
    const { files } = worker({ clock });
    (await files.open(target())).release();
    proxy.freeze();
    clock.advance(1000);
    const opening = files.open(target());
    await new Promise(setImmediate);
    clock.advance(3000);
    const session = await opening;
    expect(await session.realpath('/etc')).toBe('/etc');
    expect(proxy.accepted()).toBe(2);
  });

  it('costs one call its time limit, and none of the next', async () => {
    const clock = manualClock();
    const { files } = worker({ clock });
    const session = await files.open(target());
    proxy.freeze();
    const listing = failureOf(session.list('/'));
    await new Promise(setImmediate);
    clock.advance(30_000);
    expect(await listing).toMatchObject({ code: 'operation_timeout' });
    session.release();
    await (await files.open(target())).list('/');
    expect(proxy.accepted()).toBe(2);
  });

  it('is not suspected while the host answers', async () => {
    const clock = manualClock();
    const { files } = worker({ clock });
    for (const _ of Array(3)) {
      (await files.open(target())).release();
      clock.advance(60_000);
    }
    expect(proxy.accepted()).toBe(1);
  });
});

describe('an SFTP request', () => {
  it('fails with host_disconnected when the connection is gone but not yet closed', async () => {
    const options = { clock: systemClock, connect_timeout_ms: 10_000, operation_timeout_ms: 10_000 };
    const keys = createPrivateKeyReader(createKeyProcesses(systemClock));
    const dialler = createDialler({
      ...options,
      keys,
      lookup: createHostLookup(options),
      host_keys: trustAll(),
    });
    const connection = await dialler.connect(target());
    connection.client.end();
    expect(await failureOf(openSftpChannel(connection, options))).toMatchObject({
      code: 'host_disconnected',
    });
    dialler.close();
  });
});
