import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { cut, type OpenShell, resumed, shellOn, socketTo } from '../../support/features/shells.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

describe.each(DIALECTS)('A session on another instance (%s)', (dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;
  let other: TestGateway;
  let shell: OpenShell;
  let admin_there: Actor;
  let server_id: number;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    one = await startGateway({ one_instance: true, database_url: database.url });
    other = await startGateway({
      one_instance: true,
      database_url: database.url,
      untouched: true,
      env: { SERVICE_ROOT_PATH: '/ssh' },
    });
    admin_there = other.actor(one.admin.token);
    const { port, username, password } = sshd;
    server_id = (await one.addServer({ name: 'far', port, username, password })).id;
    shell = await shellOn(one, server_id, one.admin);
    shell.client.type('PS1=; stty -echo; printf "%s" begun-$((1+1))\r');
    await shell.client.sees(/begun-2/);
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
  });

  const share = (actor: Actor) =>
    actor.call<{ token: string }>('POST', `/api/terminal/share/${shell.session_id}`, { mode: 'rw' });

  const listedBy = async (actor: Actor) => {
    const { body } = await actor.call<{ id: string }[]>('GET', '/api/terminal/sessions');
    return body.map(({ id }) => id);
  };

  it('is listed by all of them', async () => {
    expect(await listedBy(admin_there)).toEqual([shell.session_id]);
  });

  it('is shared and joined through any of them: the guest is relayed', async () => {
    const { status, body } = await share(admin_there);
    expect(status).toBe(200);
    const guest = await other.user({ username: `guest-${dialect}` });
    const joiner = socketTo(other, `join/${body.token}?mode=rw`, guest);
    expect(await joiner.frame('joined')).toMatchObject({ server: 'far', owner: 'admin', mode: 'rw' });
    joiner.type('echo relayed-$((20 + 3))\r');
    await shell.client.sees(/relayed-23/);
    await joiner.sees(/relayed-23/);
    await admin_there.call('DELETE', `/api/terminal/share/${shell.session_id}`);
    expect((await joiner.closed()).code).toBe(4009);
  });

  it('is audited with the address of the relayed caller, not of the relaying instance', async () => {
    const headers = { authorization: `Bearer ${admin_there.token}`, 'x-forwarded-for': '198.51.100.8' };
    const share_path = `${other.url}/api/terminal/share/${shell.session_id}`;
    const shared = await fetch(share_path, { method: 'POST', headers });
    expect(shared.status).toBe(200);
    const watcher = openTerminal(`${other.url}/api/ws/terminal/watch/${shell.session_id}`, { headers });
    await watcher.frame('joined');
    watcher.close(1000);
    await watcher.closed();
    await fetch(share_path, { method: 'DELETE', headers });
    for (const action of ['terminal_share', 'terminal_watch', 'terminal_unshare']) {
      const { body } = await one.admin.call<{ ip_address: string }[]>(
        'GET',
        `/api/auth/audit?action=${action}`,
      );
      expect([action, body[0]?.ip_address]).toEqual([action, '198.51.100.8']);
    }
  });

  it('is watched through any of them', async () => {
    const watcher = socketTo(other, `watch/${shell.session_id}`, admin_there);
    await watcher.frame('joined');
    shell.client.type('echo watched-$((20 + 4))\r');
    await watcher.sees(/watched-24/);
    watcher.close(1000);
    await watcher.closed();
  });

  it('is resumed through any of them, and a drop of the relayed socket is a drop', async () => {
    await cut(shell.client);
    const first = resumed(other, { session_id: shell.session_id }, admin_there);
    await first.frame('session');
    first.type('echo through-$((20 + 5))\r');
    await first.sees(/through-25/);
    await cut(first);
    const second = resumed(other, { session_id: shell.session_id }, admin_there);
    await second.frame('session');
    second.type('echo again-$((20 + 6))\r');
    await second.sees(/again-26/);
    shell = { ...shell, client: second };
  });

  it('outlives an instance that relays it and stops: 1012, and a resume through another goes on', async () => {
    const between = await startGateway({ one_instance: true, database_url: database.url, untouched: true });
    await cut(shell.client);
    const relayed = resumed(between, { session_id: shell.session_id }, between.actor(one.admin.token));
    await relayed.frame('session');
    const stopped = between.close();
    expect(await relayed.frame('error')).toMatchObject({ code: 'relay_stopped' });
    expect((await relayed.closed()).code).toBe(1012);
    await stopped;
    const client = resumed(one, { session_id: shell.session_id }, one.admin);
    await client.frame('session');
    client.type('echo outlived-$((20 + 7))\r');
    await client.sees(/outlived-27/);
    shell = { ...shell, client };
  });

  it('still reports its exit through any of them after its shell has ended', async () => {
    const ending = await shellOn(one, server_id, one.admin);
    ending.client.type('PS1=; stty -echo; printf "%s" begun-$((1+1))\r');
    await ending.client.sees(/begun-2/);
    ending.client.type('sleep 0.2; printf farewell; exit 4\r');
    await cut(ending.client);
    const again = resumed(other, { session_id: ending.session_id, offset: 0 }, admin_there);
    expect(await again.frame('exit')).toMatchObject({ code: 4 });
    expect(again.output()).toContain('farewell');
  });

  it('still reports its exit when a relayed client has disconnected', async () => {
    const ending = await shellOn(one, server_id, one.admin);
    ending.client.type('PS1=; stty -echo; printf "%s" begun-$((1+1))\r');
    await ending.client.sees(/begun-2/);
    await cut(ending.client);
    const asleep = resumed(other, { session_id: ending.session_id, offset: 0 }, admin_there);
    await asleep.sees(/begun-2/);
    asleep.raw.pause(); // Like a laptop that is closed.
    asleep.type('printf farewell; exit 5\r');
    await expect.poll(() => listedBy(admin_there)).not.toContain(ending.session_id);
    asleep.raw.terminate();
    const again = resumed(other, { session_id: ending.session_id, offset: 0 }, admin_there);
    expect(await again.frame('exit')).toMatchObject({ code: 5 });
    expect(again.output()).toContain('farewell');
  });

  it('is ended through any of them', async () => {
    expect((await admin_there.call('DELETE', `/api/terminal/sessions/${shell.session_id}`)).status).toBe(204);
    expect((await shell.client.closed()).code).toBe(4009);
    expect((await resumed(other, { session_id: shell.session_id }, admin_there).closed()).code).toBe(4004);
  });

  it('of an instance that does not answer is 1013: try again', async () => {
    const { db, tables } = one.store;
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const gone = {
      run_id: 'gone',
      instance_id: 'gone',
      machine: 'gone',
      url: 'http://127.0.0.1:9',
      proof: 'forged',
    };
    await db.insert(tables.instances).values({ ...gone, expires_at });
    await db.insert(tables.terminal_sessions).values({
      id: 'away',
      run_id: 'gone',
      user_id: 1,
      username: 'admin',
      server_id: 1,
      server_name: 'far',
      started_at: expires_at,
      last_activity: expires_at,
      participants: 0,
      recording: false,
      share_digest: null,
      over: false,
    });
    const client = resumed(one, { session_id: 'away' }, one.admin);
    expect(await client.frame('error')).toMatchObject({ code: 'instance_unreachable' });
    expect((await client.closed()).code).toBe(1013);
  });
});
