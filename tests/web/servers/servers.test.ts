import { describe, expect, it } from 'vitest';
import { complaintsOf } from '../../../apps/web/servers/form/complaints.ts';
import { draftOf, inputOf, patchOf } from '../../../apps/web/servers/form/draft.ts';
import { presentedKey } from '../../../apps/web/servers/host-keys/presented.ts';
import { hopNamed, type Server, tagsOf } from '../../../apps/web/servers/servers.ts';
import { serverWith } from '../../support/features/shown-server.ts';
import { translateTo } from '../../support/texts.ts';

const server = (name: string, rest: Partial<Server> = {}): Server =>
  serverWith({ id: 1, name, hostname: `${name}.example`, ...rest });

describe('the server list', () => {
  const servers = [
    server('a'),
    server('b', { group: 'web', tags: ['eu', 'db'] }),
    server('c', { group: 'db' }),
  ];
  it('lists each tag once, in order', () => {
    expect(tagsOf(servers)).toEqual(['db', 'eu']);
  });
});

describe('the hop at which a connection failed', () => {
  const inner = server('inner', { id: 1, jump_via_id: 2 });
  const servers = [inner, server('jump', { id: 2, jump_via_id: 3 }), server('edge', { id: 3 })];
  const found = (name: string | undefined, among = servers) => hopNamed(among, inner.id, name)?.id;

  it('is the server itself or a jump host on its route', () => {
    expect([found('inner'), found('jump'), found('edge')]).toEqual([1, 2, 3]);
  });

  it('is not guessed when it is off the route, ambiguous or not named', () => {
    expect(found('other', [...servers, server('other', { id: 4 })])).toBeUndefined();
    expect(found('jump', [...servers, server('jump', { id: 4 })])).toBeUndefined();
    expect(found(undefined)).toBeUndefined();
  });

  it('presented the key that the refusal has in its own fields', () => {
    const refused = { presented_host_key: 'ssh-ed25519 AAAA', presented_fingerprint: 'SHA256:b' };
    expect(presentedKey(refused)).toEqual({ host_key: 'ssh-ed25519 AAAA', fingerprint: 'SHA256:b' });
    expect(presentedKey({ presented_host_key: 'ssh-ed25519 AAAA' })).toBeUndefined();
    expect(presentedKey({})).toBeUndefined();
  });

  it('is found on a route with a cycle', () => {
    const circle = [server('a', { id: 1, jump_via_id: 2 }), server('b', { id: 2, jump_via_id: 1 })];
    expect(found('b', circle)).toBe(2);
  });
});

describe('the server form', () => {
  it('sends lists as lists', () => {
    const draft = {
      ...draftOf(undefined),
      name: ' web ',
      tags: ['eu', 'db'],
      sftp_allowed_paths: '/srv\n\n /var ',
    };
    expect(inputOf(draft)).toMatchObject({
      name: 'web',
      port: 22,
      tags: ['eu', 'db'],
      sftp_allowed_paths: ['/srv', '/var'],
      jump_via_id: null,
    });
  });

  it('names a server after its host unless it has a name', () => {
    const draft = { ...draftOf(undefined), hostname: ' web.example ' };
    expect(inputOf(draft).name).toBe('web.example');
    expect(inputOf({ ...draft, name: 'web' }).name).toBe('web');
  });

  it.each(['', '0', '65536', '22a', '1.5'])('refuses the port %j', (port) => {
    const draft = { ...draftOf(undefined), hostname: 'h', username: 'u', port };
    expect(complaintsOf(draft, translateTo('en')).map(({ path }) => path)).toEqual(['port']);
  });

  it('switches the agent on, and keeps it', () => {
    expect(inputOf({ ...draftOf(undefined), agent_enabled: true }).agent_enabled).toBe(true);
    expect(patchOf(draftOf(server('a', { agent_enabled: true }))).agent_enabled).toBe(true);
    expect(inputOf(draftOf(undefined)).agent_enabled).toBe(false);
  });

  it('leaves an untouched secret out of the request', () => {
    expect(patchOf(draftOf(server('a')))).not.toHaveProperty('password');
  });

  it('sends a new secret, and an empty one to clear it', () => {
    const draft = draftOf(server('a'));
    expect(patchOf({ ...draft, password: 'new' })).toMatchObject({ password: 'new' });
    expect(patchOf({ ...draft, forget_password: true })).toMatchObject({ password: '' });
    expect(patchOf({ ...draft, forget_private_key: true })).toMatchObject({
      private_key: '',
      passphrase: '',
    });
  });

  it('sends no secret that was typed for another method', () => {
    const typed = { ...draftOf(undefined), password: 'p', private_key: 'k', passphrase: 'f' };
    const sent = (auth_method: 'password' | 'key' | 'prompt') => {
      const { password, private_key, passphrase } = inputOf({ ...typed, auth_method });
      return [password, private_key, passphrase];
    };
    expect([sent('password'), sent('key'), sent('prompt')]).toEqual([
      ['p', '', ''],
      ['p', 'k', 'f'], // the host may ask for both
      ['', '', ''],
    ]);
  });

  it.each([null, true, false])('keeps the recording choice: %j', (record_sessions) => {
    const draft = draftOf(server('a', { record_sessions, algorithms: 'legacy' }));
    expect(patchOf(draft)).toMatchObject({ record_sessions, algorithms: 'legacy' });
  });
});
