import { describe, expect, it } from 'vitest';
import { draftOf, inputOf, patchOf } from '../../apps/web/state/server-draft.ts';
import { groupServers, type Server, tagsOf } from '../../apps/web/state/servers.ts';

const server = (name: string, rest: Partial<Server> = {}): Server => ({
  id: 1,
  name,
  hostname: `${name}.example`,
  port: 22,
  username: 'root',
  auth_method: 'password',
  group: '',
  tags: [],
  description: '',
  jump_via_id: null,
  ssh_enabled: true,
  sftp_enabled: true,
  sftp_read_only: false,
  sftp_allowed_paths: [],
  has_password: true,
  has_private_key: false,
  host_key_fingerprint: '',
  last_connected_at: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  ...rest,
});

describe('the server list', () => {
  const servers = [
    server('a'),
    server('b', { group: 'web', tags: ['eu', 'db'] }),
    server('c', { group: 'db' }),
  ];
  const names = (text: string, tag?: string) =>
    groupServers(servers, { text, tag }).map((group) => [group.name, group.servers.map(({ name }) => name)]);

  it('stands by group, those without one last', () => {
    expect(names('')).toEqual([
      ['db', ['c']],
      ['web', ['b']],
      ['', ['a']],
    ]);
  });

  it('is filtered by text and by tag', () => {
    expect(names('B.EXAMPLE')).toEqual([['web', ['b']]]);
    expect(names('', 'eu')).toEqual([['web', ['b']]]);
    expect(names('nothing')).toEqual([]);
  });

  it('offers each tag once, in order', () => {
    expect(tagsOf(servers)).toEqual(['db', 'eu']);
  });
});

describe('the server form', () => {
  it('sends lists as lists', () => {
    const draft = {
      ...draftOf(undefined),
      name: ' web ',
      tags: 'eu, db,, eu',
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

  it('leaves an untouched secret out of a change', () => {
    expect(patchOf(draftOf(server('a')))).not.toHaveProperty('password');
  });

  it('sends a new secret, and an empty one to forget it', () => {
    const draft = draftOf(server('a'));
    expect(patchOf({ ...draft, password: 'new' })).toMatchObject({ password: 'new' });
    expect(patchOf({ ...draft, forget_password: true })).toMatchObject({ password: '' });
    expect(patchOf({ ...draft, forget_private_key: true })).toMatchObject({
      private_key: '',
      passphrase: '',
    });
  });
});
