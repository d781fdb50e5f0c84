import { type Actor, type Answer, logIn, type TestGateway, USER_PASSWORD } from '../gateway/gateway.ts';
import { createKey, userOf } from './accounts.ts';

/** A user with a terminal, as seen from the gateway where a change is made. */
export interface Scene {
  readonly gateway: TestGateway;
  readonly admin: Actor;
  readonly user_id: number;
  readonly username: string;
  /** With the session or key that opened the terminal. */
  readonly opener: Actor;
  /** With another session of the same user. */
  readonly elsewhere: Actor;
  /** The API key that opened the terminal, if it was one. */
  readonly key_id: number | undefined;
}

interface Change {
  readonly opened_by: 'session' | 'api_key';
  readonly is_admin?: boolean;
  make(scene: Scene): Promise<Answer<unknown>>;
}

const OWN_SESSIONS = '/api/auth/sessions';
const bySession = (make: Change['make']): Change => ({ opened_by: 'session', make });
const byKey = (make: Change['make']): Change => ({ opened_by: 'api_key', make });

/** Changes that must end a terminal. */
export const ENDINGS: Readonly<Record<string, Change>> = {
  'the user loses the group': bySession((scene) => setGroups(scene, ['elsewhere'])),
  'the user is disabled': bySession((scene) => patch(scene, { disabled: true })),
  'the user is deleted': bySession(({ admin, user_id }) => admin.call('DELETE', userPath(user_id))),
  'the password is reset': bySession((scene) => resetPassword(scene, false)),
  'the password is changed in another session': bySession(({ elsewhere }) => changePassword(elsewhere)),
  'a password change becomes due': bySession((scene) => patch(scene, { must_change_password: true })),
  'the session is ended from another one': bySession(async ({ opener, elsewhere }) => {
    const { body } = await opener.call<{ id: string; current: boolean }[]>('GET', OWN_SESSIONS);
    const id = body.find(({ current }) => current)?.id;
    return elsewhere.call('DELETE', `${OWN_SESSIONS}/${id}`);
  }),
  'the session signs out': bySession(({ opener }) => opener.call('POST', '/api/auth/logout')),
  'the user signs out everywhere': bySession(({ elsewhere }) => elsewhere.call('DELETE', OWN_SESSIONS)),
  'the user signs out everywhere else': bySession(({ elsewhere }) =>
    elsewhere.call('DELETE', `${OWN_SESSIONS}?keep_current=true`),
  ),
  'an administrator signs the user out': bySession(({ admin, user_id }) =>
    admin.call('DELETE', `${userPath(user_id)}/sessions`),
  ),
  'an administrator without the group is demoted': {
    ...bySession((scene) => patch(scene, { is_admin: false })),
    is_admin: true,
  },
  'its API key is revoked': byKey(({ elsewhere, key_id }) =>
    elsewhere.call('DELETE', `/api/auth/api-keys/${key_id}`),
  ),
  'the owner of its API key loses the group': byKey((scene) => setGroups(scene, [])),
  'the owner of its API key is disabled': byKey((scene) => patch(scene, { disabled: true })),
  'the owner of its API key is deleted': byKey(({ admin, user_id }) =>
    admin.call('DELETE', userPath(user_id)),
  ),
  'a password change becomes due for the owner of its API key': byKey((scene) =>
    patch(scene, { must_change_password: true }),
  ),
  'the password of the owner of its API key is reset to one that must be changed': byKey((scene) =>
    resetPassword(scene, true),
  ),
};

/** Changes that must not end one. */
export const HARMLESS: Readonly<Record<string, Change>> = {
  'another user is deleted': bySession(async ({ gateway, admin, username }) => {
    const { id } = await userOf(await gateway.user({ username: `${username} too`, allowed_groups: ['lab'] }));
    return admin.call('DELETE', userPath(id));
  }),
  'another user loses the group': bySession(async (scene) => {
    const { id } = await userOf(
      await scene.gateway.user({ username: `${scene.username} too`, allowed_groups: ['lab'] }),
    );
    return setGroups({ ...scene, user_id: id }, []);
  }),
  'another user signs out': bySession(async ({ gateway, username }) => {
    const other = await gateway.user({ username: `${username} too` });
    return other.call('POST', '/api/auth/logout');
  }),
  'another session of the user signs out': bySession(({ elsewhere }) =>
    elsewhere.call('POST', '/api/auth/logout'),
  ),
  'the same session changes the password': bySession(({ opener }) => changePassword(opener)),
  'the same session signs out everywhere else': bySession(({ opener }) =>
    opener.call('DELETE', `${OWN_SESSIONS}?keep_current=true`),
  ),
  'the groups change and the group is still among them': bySession((scene) =>
    setGroups(scene, ['more', 'lab']),
  ),
  'an administrator in the group is demoted': bySession(async (scene) => {
    await patch(scene, { is_admin: true });
    return patch(scene, { is_admin: false });
  }),
  'its API key stays and the user signs out everywhere': byKey(({ elsewhere }) =>
    elsewhere.call('DELETE', OWN_SESSIONS),
  ),
  'its API key stays and the password is reset': byKey((scene) => resetPassword(scene, false)),
};

interface Place {
  /** The gateway of the terminal. */
  readonly here: TestGateway;
  /** The gateway where the change is made. */
  readonly there: { readonly gateway: TestGateway; readonly admin: Actor };
}

let scenes = 0;

/** A new user with two sessions and the token that opens the terminal. */
export async function setScene({ opened_by, is_admin = false }: Change, { here, there }: Place) {
  scenes += 1;
  const username = `person ${scenes}`;
  const session = await here.user({ username, is_admin, allowed_groups: is_admin ? [] : ['lab'] });
  const { body } = await logIn(here.anonymous, username, USER_PASSWORD);
  const key = opened_by === 'api_key' ? await createKey(session) : undefined;
  const token = key?.key ?? session.token;
  const { id: user_id } = await userOf(session);
  const elsewhere = there.gateway.actor(body.access_token);
  const scene: Scene = {
    ...there,
    user_id,
    username,
    opener: there.gateway.actor(token),
    elsewhere,
    key_id: key?.id,
  };
  return { scene, token };
}

function userPath(user_id: number): string {
  return `/api/auth/users/${user_id}`;
}

function patch({ admin, user_id }: Scene, fields: object) {
  return admin.call('PATCH', userPath(user_id), fields);
}

function setGroups({ admin, user_id }: Scene, allowed_groups: string[]) {
  return admin.call('PUT', `${userPath(user_id)}/groups`, { allowed_groups });
}

function resetPassword({ admin, user_id }: Scene, must_change_password: boolean) {
  const body = { password: 'reset-password-5', must_change_password };
  return admin.call('PUT', `${userPath(user_id)}/password`, body);
}

function changePassword(actor: Actor) {
  return actor.call('POST', '/api/auth/change-password', { new_password: 'changed-password-6' });
}
