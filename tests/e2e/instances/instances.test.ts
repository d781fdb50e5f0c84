import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { createKey, openShell } from '../../support/features/accounts.ts';
import { embed } from '../../support/features/embeds.ts';
import { ENDINGS, HARMLESS, setScene } from '../../support/features/endings.ts';
import { codeAt, enrol, standStill } from '../../support/features/totp.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  freshAddress,
  logIn,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { openTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const FELT_WITHIN_MS = 2000;

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

describe.each(DIALECTS)('Two instances on one database (%s)', (dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;
  let other: TestGateway;
  let admin: Actor; // At the other instance.
  let server_id: number;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    one = await startGateway({ database_url: database.url });
    other = await startGateway({ database_url: database.url, untouched: true });
    admin = await other.signIn('admin', ADMIN_PASSWORD);
    const { port, username, password } = sshd;
    server_id = (await one.addServer({ port, username, password })).id;
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
  });

  const place = () => ({ here: one, there: { gateway: other, admin } });

  it('apply within 2 s every change at the other that must end a terminal', async () => {
    const scenes = [];
    for (const [what, change] of Object.entries(ENDINGS)) {
      const { scene, token } = await setScene(change, place());
      scenes.push({ what, change, scene, shell: await openShell(one, server_id, token) });
    }
    const endings = [];
    for (const { what, change, scene, shell } of scenes) {
      expect((await change.make(scene)).status).toBeLessThan(300);
      endings.push(endOf(shell).then((ending) => ({ what, ...ending })));
    }
    expect(await Promise.all(endings)).toEqual(
      Object.keys(ENDINGS).map((what) => ({ what, code: 4009, in_time: true })),
    );
  });

  it('keep terminals open through every unrelated change', async () => {
    const shells = [];
    for (const change of Object.values(HARMLESS)) {
      const { scene, token } = await setScene(change, place());
      shells.push(await openShell(one, server_id, token));
      expect((await change.make(scene)).status).toBeLessThan(300);
    }
    await untilRechecked();
    for (const shell of shells) {
      shell.send({ type: 'ping' });
      await shell.frame('pong');
      shell.close(1000);
    }
  });

  /** Earlier changes have been applied once a terminal is gone whose session was ended last. */
  async function untilRechecked(): Promise<void> {
    const canary = await one.user({ username: 'canary', allowed_groups: ['lab'] });
    const shell = await openShell(one, server_id, canary.token);
    await other.actor(canary.token).call('POST', '/api/auth/logout');
    await shell.closed();
  }

  it('share sessions: listed and ended at either', async () => {
    const here = await one.user({ username: 'traveller' });
    const there = await other.signIn('traveller', USER_PASSWORD);
    const { body } = await there.call<{ current: boolean }[]>('GET', '/api/auth/sessions');
    expect(body.map(({ current }) => current).sort()).toEqual([false, true]);
    await other.actor(here.token).call('POST', '/api/auth/logout');
    expect((await here.call('GET', '/api/auth/me')).body['code']).toBe('invalid_token');
    expect((await one.actor(there.token).call('GET', '/api/auth/me')).status).toBe(200);
  });

  it('share API keys: created at one, used and revoked at the other', async () => {
    const owner = await one.user({ username: 'automaton' });
    const { id, key } = await createKey(owner);
    expect((await other.actor(key).call('GET', '/api/servers')).status).toBe(200);
    await other.actor(owner.token).call('DELETE', `/api/auth/api-keys/${id}`);
    expect((await one.actor(key).call('GET', '/api/servers')).body['code']).toBe('invalid_api_key');
  });

  it('share embedded sessions: minted at one, started, resumed and ended at the other', async () => {
    const user = await one.user({ username: 'portal', allowed_groups: ['lab'] });
    const { token } = await embed(other, user, { server_id, kind: 'terminal', mode: 'ro' });
    const shell = await openShell(one, server_id, token);
    const { session_id } = await shell.frame('session');
    shell.close(4900); // a drop
    const resumed = openTerminal(`${other.url}/api/ws/terminal/resume/${session_id}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await resumed.frame('session');
    await other.actor(user.token).call('POST', '/api/auth/logout');
    expect(await endOf(resumed)).toEqual({ code: 4009, in_time: true });
    expect((await one.actor(token).call('POST', '/api/auth/ws-ticket')).status).toBe(401);
  });

  it('share tickets: issued by one, valid for one socket at the other', async () => {
    const user = await one.user({ username: 'ticketed', allowed_groups: ['lab'] });
    const { body } = await user.call<{ ticket: string }>('POST', '/api/auth/ws-ticket');
    const path = `/api/ws/terminal/${server_id}?cols=80&rows=24&ticket=${body.ticket}`;
    const shell = openTerminal(`${other.url}${path}`);
    await shell.frame('session');
    shell.close(1000);
    expect((await openTerminal(`${one.url}${path}`).closed()).code).toBe(4001);
  });

  it('share the lock of an account: failures at both count together', async () => {
    await one.user({ username: 'besieged' });
    for (let count = 0; count < 5; count += 1) {
      for (const gateway of [one, other]) await logIn(gateway.anonymous, 'besieged', 'wrong');
    }
    for (const gateway of [one, other]) {
      const { status, body } = await logIn(gateway.anonymous, 'besieged', USER_PASSWORD);
      expect({ status, code: body.code }).toEqual({ status: 429, code: 'account_locked' });
    }
  });

  it('share the login limit: 10 from one address at both together', async () => {
    const address = freshAddress();
    const attempt = (gateway: TestGateway) => logInFrom(address, gateway);
    for (let count = 0; count < 5; count += 1) {
      for (const gateway of [one, other]) expect((await attempt(gateway)).status).toBe(401);
    }
    for (const gateway of [one, other]) expect((await attempt(gateway)).status).toBe(429);
  });

  it('share the second factor: a code that one has accepted is refused by the other', async () => {
    standStill();
    const { nextCode } = await enrol(await one.user({ username: 'careful' }));
    const code = nextCode();
    expect((await logIn(one.anonymous, 'careful', USER_PASSWORD, code)).status).toBe(200);
    const replayed = await logIn(other.anonymous, 'careful', USER_PASSWORD, code);
    expect({ status: replayed.status, code: replayed.body.code }).toEqual({
      status: 401,
      code: 'invalid_2fa_code',
    });
  });

  it('let exactly one of two concurrent sign-ins with one code pass', async () => {
    standStill();
    const { secret } = await enrol(await one.user({ username: 'doubled' }));
    const code = codeAt(secret);
    const answers = await Promise.all(
      [one, other].map(({ anonymous }) => logIn(anonymous, 'doubled', USER_PASSWORD, code)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('complete at one a sign-in that started at the other, once', async () => {
    standStill();
    const { nextCode } = await enrol(await one.user({ username: 'wanderer' }));
    const { token } = await one.signIn('wanderer', USER_PASSWORD);
    const verify = (gateway: TestGateway) =>
      gateway.actor(token).call('POST', '/api/auth/totp/verify', { code: nextCode() });
    expect((await verify(other)).body).toMatchObject({ token_type: 'bearer', requires_2fa: false });
    expect((await verify(one)).body['code']).toBe('invalid_token');
  });
});

async function endOf(shell: TerminalClient) {
  const answered = performance.now();
  const { code } = await shell.closed();
  return { code, in_time: performance.now() - answered < FELT_WITHIN_MS };
}

function logInFrom(address: string, gateway: TestGateway): Promise<Response> {
  return gateway.anonymous.fetch('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ username: 'nobody at all', password: 'wrong' }),
  });
}
