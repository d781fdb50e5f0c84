import { beforeAll, expect, it } from 'vitest';
import { backupRows, dump, forged, restoring } from '../../support/features/backups.ts';
import { type Actor, describeEachGateway } from '../../support/gateway/gateway.ts';

type Hostile = { readonly rows: Parameters<typeof forged>[0] } & Parameters<typeof forged>[1];

const { admin, api_key, server, setting, snippet, user, webhook } = backupRows;
const deep = (depth: number) => `["server",{"name":${'['.repeat(depth)}${']'.repeat(depth)}}]`;
const manyTags = `["server",{"name":"box","tags":[${'"x",'.repeat(1_000_000)}"x"]}]`;
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>').toString(
  'base64',
);
const hashOf = (cost: string) =>
  `$argon2id$v=19$${cost}$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g`;
const UNFIT_COSTS = [
  'm=4194304,t=1,p=1',
  'm=262145,t=1,p=1',
  'm=0,t=1,p=1',
  'm=256,t=0,p=1',
  'm=256,t=1,p=0',
];
const AT = '2026-01-02T03:04:05.678Z';

const NEWER: Hostile['rows'] = [
  [
    'audit_chain',
    {
      id: 'a-chain-of-later',
      number: 1,
      instance_id: 'x',
      started_at: AT,
      entries: 1,
      last_hash: '',
      witness: '',
    },
  ],
  [
    'audit_entry',
    {
      user_id: 1,
      username: 'a',
      action: 'x',
      detail: '',
      ip_address: '',
      created_at: '2026-01-02T03:04:05.679Z',
    },
  ],
];

const HOSTILE: readonly (readonly [string, string, Hostile])[] = [
  ['a row that is no JSON', 'backup_unreadable', { rows: [admin()], texts: ['{'] }],
  ['a row that is no pair', 'backup_unreadable', { rows: [admin()], texts: ['{"server":1}'] }],
  [
    'rows in each other 100,000 deep',
    'backup_unreadable',
    { rows: [admin()], texts: [deep(100_000)], counts: { users: 1, servers: 1 } },
  ],
  [
    'a server with a million tags',
    'backup_unreadable',
    { rows: [admin()], texts: [manyTags], counts: { users: 1, servers: 1 } },
  ],
  ['more rows than it says', 'backup_unreadable', { rows: [admin(), user()], counts: { users: 1 } }],
  ['fewer rows than it says', 'backup_unreadable', { rows: [admin()], counts: { users: 2 } }],
  ['a server without a name', 'backup_unreadable', { rows: [admin(), server({ name: '' })] }],
  [
    'a server with a host name of the shell',
    'backup_unreadable',
    { rows: [admin(), server({ hostname: '$(id)' })] },
  ],
  [
    'a server with a relative directory',
    'backup_unreadable',
    { rows: [admin(), server({ sftp_allowed_paths: ['../x'] })] },
  ],
  [
    'a host key that is no base64',
    'backup_unreadable',
    { rows: [admin(), server({ host_key: 'not a key at all!' })] },
  ],
  [
    'a circle of jump hosts',
    'jump_cycle',
    { rows: [admin(), server({ jump: 1 }), server({ name: 'b', jump: 0 })] },
  ],
  ['a server that is its own jump host', 'jump_cycle', { rows: [admin(), server({ jump: 0 })] }],
  ['a jump host that is not there', 'jump_host_unknown', { rows: [admin(), server({ jump: 7 })] }],
  [
    'ten jump hosts in a row',
    'jump_too_deep',
    {
      rows: [
        admin(),
        ...Array.from({ length: 11 }, (_, i) => server({ name: `s${i}`, jump: i > 0 ? i - 1 : null })),
      ],
    },
  ],
  ['the same username twice', 'backup_unreadable', { rows: [admin(), user(), user()] }],
  [
    'usernames that differ by case only',
    'backup_unreadable',
    { rows: [admin(), user(), user({ username: 'ANN' })] },
  ],
  [
    'a username that cannot be seen',
    'backup_unreadable',
    { rows: [admin(), user({ username: 'a\u200bnn' })] },
  ],
  ['two default administrators', 'backup_unreadable', { rows: [admin(), admin({ username: 'root' })] }],
  ['a default administrator who is none', 'backup_unreadable', { rows: [admin({ is_admin: false })] }],
  ['a password in clear', 'backup_unreadable', { rows: [admin(), user({ password_hash: 'secret' })] }],
  ...[...UNFIT_COSTS, 'm=8,t=1,p=16'].map(
    (cost) =>
      [
        `a password hash that takes ${cost}`,
        'backup_unreadable',
        { rows: [admin(), user({ password_hash: hashOf(cost) })] },
      ] as const,
  ),
  ['a default administrator who is disabled', 'backup_unreadable', { rows: [admin({ disabled: true })] }],
  [
    'a password hash whose salt nobody can read',
    'backup_unreadable',
    {
      rows: [
        admin(),
        user({ password_hash: hashOf('m=256,t=1,p=1').replace('c2FsdHNhbHRzYWx0', 'c2FsdHNhbHRzY') }),
      ],
    },
  ],
  [
    'a default administrator of the directory',
    'backup_unreadable',
    { rows: [admin({ source: 'ldap', password_hash: null })] },
  ],
  [
    'a default administrator without a password',
    'backup_unreadable',
    { rows: [admin({ password_hash: null })] },
  ],
  [
    'a second factor that is on and has no secret',
    'backup_unreadable',
    { rows: [admin(), user({ totp_enabled: true, totp_secret: '' })] },
  ],
  [
    'a password hash of another kind',
    'backup_unreadable',
    { rows: [admin(), user({ password_hash: '$2b$10$abcdefghijklmnopqrstuv' })] },
  ],
  ['a directory’s user with a password', 'backup_unreadable', { rows: [admin(), user({ source: 'ldap' })] }],
  [
    'one entry of the directory twice',
    'backup_unreadable',
    { rows: [admin(), user({ directory_id: 'x' }), user({ username: 'bob', directory_id: 'x' })] },
  ],
  ['an API key of nobody', 'backup_unreadable', { rows: [admin(), api_key()] }],
  [
    'an API key with an unknown scope',
    'backup_unreadable',
    { rows: [admin(), user(), api_key({ scopes: ['root'] })] },
  ],
  ['the same API key twice', 'backup_unreadable', { rows: [admin(), user(), api_key(), api_key()] }],
  [
    '101 API keys of one user',
    'too_many_keys',
    {
      rows: [
        admin(),
        user(),
        ...Array.from({ length: 101 }, (_, i) => api_key({ key_digest: String(i).padStart(43, 'x') })),
      ],
    },
  ],
  ['a snippet with NUL', 'backup_unreadable', { rows: [admin(), user(), snippet({ command: 'a\0b' })] }],
  [
    '1,001 snippets of one user',
    'too_many_snippets',
    { rows: [admin(), user(), ...Array.from({ length: 1001 }, (_, i) => snippet({ name: `n${i}` }))] },
  ],
  [
    'a webhook for no event',
    'backup_unreadable',
    { rows: [admin(), webhook({ events: ['no_such_event'] })] },
  ],
  [
    '101 webhooks',
    'too_many_webhooks',
    { rows: [admin(), ...Array.from({ length: 101 }, (_, i) => webhook({ name: `n${i}` }))] },
  ],
  ['a setting beyond its bounds', 'backup_unreadable', { rows: [admin(), setting('monitor_interval', 0)] }],
  [
    'the same setting twice',
    'backup_unreadable',
    { rows: [admin(), setting('session_timeout', 1), setting('session_timeout', 2)] },
  ],
  [
    'an image that is a script',
    'image_unreadable',
    { rows: [admin(), ['image', { name: 'logo', data: SVG }]] },
  ],
  [
    'a color that is a script',
    'backup_unreadable',
    {
      rows: [
        admin(),
        ['branding', { app_name: '', tagline: '', colors: { text: 'url(x)' }, colors_dark: {} }],
      ],
    },
  ],
  [
    'an audit entry of no chain',
    'backup_unreadable',
    {
      rows: [
        admin(),
        [
          'audit_entry',
          { user_id: 1, username: 'a', action: 'x', detail: '', ip_address: '', created_at: AT },
        ],
      ],
    },
  ],
  ['an audit entry that is newer than itself', 'backup_unreadable', { rows: [admin(), ...NEWER] }],
];

describeEachGateway('A bundle of somebody else', (gateway) => {
  const chiefs: Actor[] = []; // At most ten restores a minute.
  let before: unknown;

  beforeAll(async () => {
    for (let i = 0; i * 10 < HOSTILE.length; i += 1) {
      chiefs.push(await gateway().user({ username: `chief-${i}`, is_admin: true }));
    }
    await gateway().addServer({ password: 'secret' });
    before = await dump(gateway().store);
  });

  it.each(HOSTILE.map((row, i) => [...row, i] as const))(
    'with %s is refused as %s, and changes nothing',
    async (_what, code, { rows, ...options }, i) => {
      const { body } = await restoring(
        chiefs[Math.floor(i / 10)] ?? gateway().admin,
        await forged(rows, options),
        {
          mode: 'replace',
        },
      );
      expect(body).toMatchObject({ code });
      expect(await dump(gateway().store)).toEqual(before);
    },
  );
});
