import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cut, type OpenShell, resumed, shellOn, socketTo } from '../../support/features/shells.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
let gateway: TestGateway;
let server_id: number;
let owner: Actor;
let guest: Actor;
let shell: OpenShell;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  const { port, username, password } = sshd;
  server_id = (await gateway.addServer({ name: 'shared-box', port, username, password })).id;
  owner = await gateway.user({ username: 'owner', allowed_groups: ['lab'] });
  guest = await gateway.user({ username: 'guest', allowed_groups: [] });
  shell = await shellOn(gateway, server_id, owner);
  shell.client.type('stty -echo; PS1=; printf "%s" begun-$((1+1))\r');
  await shell.client.sees(/begun-2/);
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

interface Shared {
  readonly token: string;
  readonly mode: string;
  readonly server: string;
  readonly participants: number;
  readonly expires_at: string | null;
  readonly code: string;
}

const path = () => `/api/terminal/share/${shell.session_id}`;
const share = (body?: object) => owner.call<Shared>('POST', path(), body);
const join = (token: string, mode = 'rw', actor = guest) =>
  socketTo(gateway, `join/${token}?mode=${mode}`, actor);

describe('Sharing', () => {
  it('returns a token, the same one until it is revoked', async () => {
    const first = await share();
    expect(first).toMatchObject({
      status: 200,
      body: { mode: 'rw', server: 'shared-box', participants: 1, expires_at: null },
    });
    const second = await share({ mode: 'rw', expires_in: 3600 });
    expect(second.body.token).toBe(first.body.token);
    expect(Date.parse(second.body.expires_at ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
    expect((await owner.call('DELETE', path())).status).toBe(204);
    expect((await share()).body.token).not.toBe(first.body.token);
  });

  it('accepts no body or an empty JSON object, and no unknown keys', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await owner.fetch(path(), { method: 'POST', headers })).status).toBe(200);
    expect((await share({ mode: 'rx' })).status).toBe(422);
    expect((await share({ expires_in: 0 })).status).toBe(422);
    expect((await share({ other: 1 })).status).toBe(422);
  });

  it('is for the owner only (403); an unknown session is 404', async () => {
    for (const method of ['POST', 'DELETE']) {
      expect(await gateway.admin.call(method, path())).toMatchObject({
        status: 403,
        body: { code: 'not_session_owner' },
      });
      expect((await owner.call(method, '/api/terminal/share/unknown')).status).toBe(404);
    }
  });

  it('shows a guest the current screen, then new output; with `rw` they type, whatever their groups', async () => {
    const { token } = (await share()).body;
    shell.client.type('seq -f "before %g." 100; printf "on the %s" screen\r');
    await shell.client.sees(/on the screen/);
    const joiner = join(token);
    expect(await joiner.frame('joined')).toMatchObject({
      server: 'shared-box',
      owner: 'owner',
      mode: 'rw',
      cols: 80,
      rows: 24,
    });
    expect(await joiner.sees(/on the screen/)).not.toContain('before 1.'); // The scrollback belongs to the owner.
    joiner.type('echo from-guest-$((2 + 2))\r');
    await shell.client.sees(/from-guest-4/);
    await joiner.sees(/from-guest-4/);
    joiner.close(1000);
    await joiner.closed();
    shell.client.type('echo goes-on-$((3 + 3))\r');
    await shell.client.sees(/goes-on-6/);
  });

  it('lists the members for all of them', async () => {
    const { token } = (await share()).body;
    const joiner = join(token, 'ro');
    await joiner.frame('joined');
    const { list } = await joiner.frame('participants');
    expect(list).toMatchObject([
      { username: 'owner', role: 'owner', mode: 'rw', you: false },
      { username: 'guest', role: 'guest', mode: 'ro', you: true },
    ]);
    joiner.close(1000);
    await joiner.closed();
  });

  it('with `ro` ignores the input and the size of a guest, whatever they request', async () => {
    const { token } = (await share({ mode: 'ro' })).body;
    const joiner = join(token, 'rw');
    expect(await joiner.frame('joined')).toMatchObject({ mode: 'ro' });
    joiner.type('echo never-$((1 + 1))\r');
    joiner.send({ type: 'resize', cols: 11, rows: 11 });
    joiner.send({ type: 'ping' });
    await joiner.frame('pong');
    shell.client.type('stty size; echo after-$((4 + 4))\r');
    expect(await shell.client.sees(/after-8/)).not.toContain('never-2');
    expect(shell.client.output()).toContain('24 80');
    joiner.close(1000);
    await joiner.closed();
  });

  it('keeps its guests when its mode changes, and sends them their new rights', async () => {
    const { token } = (await share({ mode: 'rw' })).body;
    const [typing, looking] = [join(token, 'rw'), join(token, 'ro')];
    await Promise.all([typing.frame('joined'), looking.frame('joined')]);
    await share({ mode: 'ro' });
    await typing.frame('mode', ({ mode }) => mode === 'ro');
    typing.type('echo deaf-$((1 + 1))\r');
    typing.send({ type: 'ping' });
    await typing.frame('pong');
    await share({ mode: 'rw' });
    await typing.frame('mode', ({ mode }) => mode === 'rw');
    typing.type('echo heard-$((1 + 1))\r');
    expect(await shell.client.sees(/heard-2/)).not.toContain('deaf-2');
    expect(looking.frames.filter(({ type }) => type === 'mode')).toEqual([]);
    for (const one of [typing, looking]) one.close(1000);
    await Promise.all([typing.closed(), looking.closed()]);
  });

  it('does not show a guest what had scrolled off, whatever size the guest chooses', async () => {
    const { token } = (await share()).body;
    shell.client.type('for n in $(seq 60); do echo off-$n; done; echo all-$((1 + 1))\r');
    await shell.client.sees(/all-2/);
    const first = join(token);
    await first.frame('joined');
    first.send({ type: 'resize', cols: 80, rows: 100 });
    await shell.client.frame('size', ({ rows }) => rows === 100);
    const again = join(token);
    await again.frame('joined');
    again.type('echo seen-$((1 + 1))\r');
    const shown = await again.sees(/seen-2/);
    expect([shown.includes('off-20'), shown.includes('off-60')]).toEqual([false, true]);
    await owner.call('DELETE', path());
    await Promise.all([first.closed(), again.closed()]);
  });

  it('has room for 50 people, even when they join at once: more are refused as terminal_full (4008)', async () => {
    const { token } = (await share()).body;
    const joiners = Array.from({ length: 60 }, () => join(token, 'ro'));
    const outcomes = await Promise.all(
      joiners.map((joiner) => joiner.frame('joined').catch(() => joiner.closed())),
    );
    const refused = outcomes.filter((outcome) => 'code' in outcome);
    expect(refused).toEqual(Array.from({ length: 11 }, () => expect.objectContaining({ code: 4008 })));
    const late = join(token, 'ro');
    expect(await late.frame('error')).toMatchObject({ code: 'terminal_full' });
    expect((await late.closed()).code).toBe(4008);
    await owner.call('DELETE', path());
    await Promise.all(joiners.map((joiner) => joiner.closed()));
  });

  it('keeps the place of an owner who is away', async () => {
    const away = await shellOn(gateway, server_id, owner);
    const { body } = await owner.call<Shared>('POST', `/api/terminal/share/${away.session_id}`);
    await cut(away.client);
    const joiners = Array.from({ length: 50 }, () => join(body.token, 'ro'));
    const outcomes = await Promise.all(
      joiners.map((joiner) => joiner.frame('joined').catch(() => joiner.closed())),
    );
    expect(outcomes.filter((outcome) => 'code' in outcome)).toHaveLength(1);
    const back = resumed(gateway, { session_id: away.session_id }, owner);
    await back.frame('session');
    back.close(1000);
    await Promise.all(joiners.map((joiner) => joiner.closed()));
  });

  it('disconnects its guests when it is revoked (4009), and its token is unknown (4004)', async () => {
    const { token } = (await share()).body;
    const joiner = join(token);
    await joiner.frame('joined');
    await owner.call('DELETE', path());
    expect(await joiner.frame('error')).toMatchObject({ code: 'share_ended' });
    expect((await joiner.closed()).code).toBe(4009);
    expect((await join(token).closed()).code).toBe(4004);
  });

  it('disconnects its guests when it expires', async () => {
    const { token } = (await share({ expires_in: 1 })).body;
    const joiner = join(token);
    await joiner.frame('joined');
    expect((await joiner.closed()).code).toBe(4009);
    expect((await join(token).closed()).code).toBe(4004);
  });

  it('disconnects a guest who logs out, and nobody else', async () => {
    const { token } = (await share()).body;
    const leaver = await gateway.user({ username: 'leaver' });
    const [leaving, staying] = [join(token, 'ro', leaver), join(token, 'ro')];
    await Promise.all([leaving.frame('joined'), staying.frame('joined')]);
    await leaver.call('POST', '/api/auth/logout');
    expect((await leaving.closed()).code).toBe(4009);
    staying.send({ type: 'ping' });
    await staying.frame('pong');
    staying.close(1000);
    await staying.closed();
  });

  it('is audited: share, join and leave', async () => {
    const { body } = await gateway.admin.call<{ action: string; username: string }[]>(
      'GET',
      `/api/auth/audit?limit=500&search=${shell.session_id}`,
    );
    const done = new Set(body.map(({ action, username }) => `${username} ${action}`));
    for (const one of [
      'owner terminal_share',
      'owner terminal_unshare',
      'guest terminal_join',
      'guest terminal_leave',
    ])
      expect(done).toContain(one);
  });
});

describe('Open terminals', () => {
  interface Listed {
    readonly id: string;
    readonly own: boolean;
    readonly participants: number;
  }
  const list = async (actor: Actor) => (await actor.call<Listed[]>('GET', '/api/terminal/sessions')).body;

  it('are listed for their owner and for administrators, not for others', async () => {
    expect(await list(owner)).toMatchObject([
      {
        id: shell.session_id,
        server_id,
        server_name: 'shared-box',
        username: 'owner',
        recording: false,
        own: true,
        participants: 1,
      },
    ]);
    expect(await list(gateway.admin)).toMatchObject([{ id: shell.session_id, own: false }]);
    expect(await list(guest)).toEqual([]);
  });

  it('are only the caller’s own if an administrator wants so', async () => {
    const ownOf = (actor: Actor) => actor.call<Listed[]>('GET', '/api/terminal/sessions?own=true');
    expect((await ownOf(gateway.admin)).body).toEqual([]);
    expect((await ownOf(owner)).body).toMatchObject([{ id: shell.session_id, own: true }]);
  });

  it('can be watched by administrators: read-only, visible to the owner, audited', async () => {
    const watcher = socketTo(gateway, `watch/${shell.session_id}`, gateway.admin);
    expect(await watcher.frame('joined')).toMatchObject({ mode: 'ro' });
    const told = () => shell.client.frames.filter(({ type }) => type === 'participants').at(-1)?.['list'];
    expect(told()).toMatchObject([{ role: 'owner' }, { username: 'admin', role: 'watcher', mode: 'ro' }]);
    watcher.close(1000);
    await watcher.closed();
    const audit = `/api/auth/audit?action=terminal_watch&search=${shell.session_id}`;
    expect((await gateway.admin.call<unknown[]>('GET', audit)).body).toHaveLength(1);
  });

  it('cannot be watched by others: 4001', async () => {
    expect((await socketTo(gateway, `watch/${shell.session_id}`, guest).closed()).code).toBe(4001);
  });

  it('can be ended by their owner or an administrator (4009); for others 404', async () => {
    const mine = await shellOn(gateway, server_id, owner);
    expect((await guest.call('DELETE', `/api/terminal/sessions/${mine.session_id}`)).status).toBe(404);
    expect((await gateway.admin.call('DELETE', `/api/terminal/sessions/${mine.session_id}`)).status).toBe(
      204,
    );
    expect((await mine.client.closed()).code).toBe(4009);
    const second = await shellOn(gateway, server_id, owner);
    expect((await owner.call('DELETE', `/api/terminal/sessions/${second.session_id}`)).status).toBe(204);
    expect((await second.client.closed()).code).toBe(4009);
    expect((await owner.call('DELETE', `/api/terminal/sessions/${second.session_id}`)).status).toBe(404);
  });
});
