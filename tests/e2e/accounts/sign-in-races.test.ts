import { expect, it } from 'vitest';
import { userOf } from '../../support/features/accounts.ts';
import { enrol, standStill } from '../../support/features/totp.ts';
import {
  type Actor,
  type Answer,
  describeEachGateway,
  logIn,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';

const USERS = '/api/auth/users';
const NEW_PASSWORD = 'another-password-4';
const ROUNDS = [1, 2, 3, 4];

describeEachGateway('A sign-in that is under way', (gateway) => {
  type Racer = { readonly user: Actor; readonly path: string };
  const reset = ({ path }: Racer) =>
    gateway().admin.call('PUT', `${path}/password`, { password: NEW_PASSWORD });
  const change = ({ user }: Racer) =>
    user.call('POST', '/api/auth/change-password', { new_password: NEW_PASSWORD });
  const disable = ({ path }: Racer) => gateway().admin.call('PATCH', path, { disabled: true });
  const remove = ({ path }: Racer) => gateway().admin.call('DELETE', path);

  /** Several sign-ins with the old password; returns those that succeeded. */
  async function race(racer: Racer, username: string, change: (racer: Racer) => Promise<Answer>) {
    const attempts = Array.from({ length: 4 }, () => logIn(gateway().anonymous, username, USER_PASSWORD));
    const [changed, ...answers] = await Promise.all([change(racer), ...attempts]);
    expect(changed.status).toBeLessThan(300);
    for (const { status } of answers) expect([200, 401]).toContain(status);
    return answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => gateway().actor(body.access_token));
  }

  async function racer(username: string): Promise<Racer> {
    const user = await gateway().user({ username });
    return { user, path: `${USERS}/${(await userOf(user)).id}` };
  }

  it.each([
    ['reset', reset],
    ['changed', change],
  ])('leaves no session when the password is %s at the same time', async (what, act) => {
    for (const round of ROUNDS) {
      const username = `${what} ${round}`;
      for (const actor of await race(await racer(username), username, act)) {
        expect((await actor.call('GET', '/api/auth/me')).body['code']).toBe('invalid_token');
      }
    }
  });

  it('keeps the session in which the password is changed', async () => {
    for (const round of ROUNDS) {
      const username = `changer ${round}`;
      const someone = await racer(username);
      await race(someone, username, change);
      expect((await someone.user.call('GET', '/api/auth/me')).status).toBe(200);
    }
  });

  it('leaves no session when the user is disabled at the same time, even once enabled again', async () => {
    for (const round of ROUNDS) {
      const username = `disabled ${round}`;
      const someone = await racer(username);
      const actors = await race(someone, username, disable);
      await gateway().admin.call('PATCH', someone.path, { disabled: false });
      for (const actor of actors) {
        expect((await actor.call('GET', '/api/auth/me')).body['code']).toBe('invalid_token');
      }
    }
  });

  it('is 401 when the user is deleted at the same time', async () => {
    for (const round of ROUNDS) {
      const username = `deleted ${round}`;
      for (const actor of await race(await racer(username), username, remove)) {
        expect((await actor.call('GET', '/api/auth/me')).body['code']).toBe('invalid_token');
      }
    }
  });

  it('cannot be completed with a code when the password is reset at the same time', async () => {
    standStill();
    for (const round of ROUNDS) {
      const username = `two steps ${round}`;
      const someone = await racer(username);
      const { recovery_codes } = await enrol(someone.user);
      for (const [i, actor] of (await race(someone, username, reset)).entries()) {
        const { body } = await actor.call('POST', '/api/auth/totp/verify', { code: recovery_codes[i] });
        expect(body).toMatchObject({ code: 'invalid_token' });
      }
    }
  });
});
