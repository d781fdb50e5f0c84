import { describe, expect, it } from 'vitest';
import { findServers, type Surroundings } from '../../../../apps/web/servers/find/find.ts';
import { parseQuery } from '../../../../apps/web/servers/find/query.ts';
import { indexServers } from '../../../../apps/web/servers/find/server-index.ts';
import { type ShownFields, serverWith } from '../../../support/features/shown-server.ts';

const NOWHERE: Surroundings = { stateOf: () => 'unknown', isFavorite: () => false, recents: [] };

function finder(fields: readonly (string | ShownFields)[], surroundings: Partial<Surroundings> = {}) {
  const servers = fields.map((one, at) =>
    serverWith({ id: at + 1, ...(typeof one === 'string' ? { name: one } : one) }),
  );
  const index = indexServers(servers);
  return (text: string) =>
    findServers(parseQuery(text), index, { ...NOWHERE, ...surroundings }).map(({ server }) => server.name);
}

describe('A search by name', () => {
  it.each(['web12', 'web-12', 'WEB 12', 'web.12', 'wéb_12', '12 web'])(
    '%j finds web-12 first, and never web-02',
    (text) => {
      const found = finder(['web-02', 'web-112', 'web-12', 'web-120', 'web-102', 'web-21'])(text);
      expect(found[0]).toBe('web-12');
      expect(found).not.toContain('web-02');
      expect(found).not.toContain('web-102');
    },
  );

  it('finds nothing rather than another number', () => {
    expect(finder(['web-02', 'web-102', 'web-21'])('web12')).toEqual([]);
    expect(finder(['web-7', 'web-70'])('web07')).toEqual(['web-7']);
  });

  it('ranks the name itself, then prefixes, starts of words and anything inside', () => {
    const find = finder(['my-aweb', 'eu-web', 'webmail', 'web']);
    expect(find('web')).toEqual(['web', 'webmail', 'eu-web', 'my-aweb']);
  });

  it('ranks every way to match a name before tags and groups, and those before addresses', () => {
    const find = finder([
      { name: 'a', description: 'runs the prod database' },
      { name: 'b', hostname: 'prod.example' },
      { name: 'c', group: 'prod' },
      { name: 'd', tags: ['prod'] },
      { name: 'e-nonprod' },
    ]);
    expect(find('prod')).toEqual(['e-nonprod', 'c', 'd', 'b', 'a']);
  });

  it('prefers the separators that were typed', () => {
    expect(finder(['web-11', 'web-1-1'])('web-1-1')).toEqual(['web-1-1', 'web-11']);
  });

  it('starts a word at a number and at a capital', () => {
    const find = finder(['abeta', 'theBeta', 'x7beta', 'alphabet']);
    expect(find('beta')).toEqual(['theBeta', 'x7beta', 'abeta']);
  });

  it('orders equal matches by the last opened, then as people count', () => {
    const names = ['web-12', 'web-2', 'web-1'];
    expect(finder(names)('web')).toEqual(['web-1', 'web-2', 'web-12']);
    expect(finder(names, { recents: [1, 2] })('web')).toEqual(['web-12', 'web-2', 'web-1']);
  });

  it('takes scattered letters of the name only when nothing else matches', () => {
    const servers = [{ name: 'prod-database-1' }, { name: 'other', tags: ['pdb'] }];
    expect(finder(servers)('pdb')).toEqual(['other']);
    expect(finder(servers)('pdb1')).toEqual(['prod-database-1']);
  });

  it('never matches letters across name and address', () => {
    expect(finder([{ name: 'web-0', hostname: '12.example', username: 'b2' }])('web12')).toEqual([]);
    expect(finder([{ name: 'web', group: '12' }])('web12')).toEqual([]);
  });

  it('finds names in other scripts', () => {
    expect(finder(['Ωmega-1', 'Straße', 'İstanbul'])('ωmega')).toEqual(['Ωmega-1']);
    expect(finder(['Ωmega-1', 'Straße', 'İstanbul'])('istan')).toEqual(['İstanbul']);
  });
});

describe('A search by several words', () => {
  const find = finder([
    { name: 'web-1', tags: ['fra', 'prod'], group: 'shop' },
    { name: 'web-2', tags: ['ams'], group: 'shop' },
    { name: 'db-1', tags: ['fra'], group: 'shop' },
  ]);

  it.each(['web fra', 'fra web', ' FRA   we '])('finds the server that all words match: %j', (text) => {
    expect(find(text)).toEqual(['web-1']);
  });

  it('takes quoted words as one', () => {
    expect(
      finder([
        { name: 'a', description: 'the big one' },
        { name: 'b', description: 'one big' },
      ])('"big one"'),
    ).toEqual(['a']);
  });

  it('keeps each dot of an address', () => {
    const hosts = ['10.0.0.12', '100.0.1.3', '10.0.0.1'].map((hostname, at) => ({
      name: `s${at}`,
      hostname,
    }));
    expect(finder(hosts)('10.0.0.1')).toEqual(['s2', 's0']);
  });

  it('finds an address with its user and port', () => {
    const hosts = [{ name: 'a', username: 'deploy', hostname: 'h.example', port: 2222 }, { name: 'b' }];
    for (const text of ['deploy@h', 'example:2222', 'deploy']) expect(finder(hosts)(text)).toEqual(['a']);
  });
});

describe('A search by tokens', () => {
  const servers = [
    { name: 'web-1', tags: ['prod', 'eu'], group: 'web' },
    { name: 'web-2', tags: ['production'], group: 'web' },
    { name: 'db-1', tags: ['prod'], group: 'db main' },
  ];
  const states = ['online', 'offline', 'unchecked'];
  const find = finder(servers, { stateOf: (id) => states[id - 1] ?? '', isFavorite: (id) => id === 3 });

  it.each([
    ['tag:prod', ['db-1', 'web-1']],
    ['tag:prod tag:eu', ['web-1']],
    ['tag:pro', ['db-1', 'web-1', 'web-2']],
    ['tag:', ['db-1', 'web-1', 'web-2']],
    ['group:web', ['web-1', 'web-2']],
    ['group:"db main"', ['db-1']],
    ['group:main', ['db-1']],
    ['group:""', []],
    ['group:web group:db-main', ['db-1', 'web-1', 'web-2']],
    ['is:online', ['web-1']],
    ['is:off', ['web-2']],
    ['is:unchecked', ['db-1']],
    ['is:unknown', ['db-1']],
    ['is:on is:offline', ['web-1', 'web-2']],
    ['is:favorite', ['db-1']],
    ['is:favorite is:online', []],
    ['TAG:Prod IS:Offline', []],
    ['tag:prod group:web fra', []],
    ['group:web 2', ['web-2']],
  ])('%s', (text, names) => {
    expect(find(text)).toEqual(names);
  });

  it('takes an unknown token as text', () => {
    expect(finder([{ name: 'a', description: 'see port:443' }, { name: 'b' }])('port:443')).toEqual(['a']);
    expect(finder([{ name: 'a', description: 'is:new' }, { name: 'b' }])('is:new')).toEqual(['a']);
  });
});

describe('An index of servers', () => {
  it('prepares only what has changed, and lists new names in their place', () => {
    const one = [serverWith({ id: 1, name: 'web-10' }), serverWith({ id: 2, name: 'web-9' })];
    const before = indexServers(one);
    const after = indexServers(
      [{ ...one[0], has_password: false }, serverWith({ id: 3, name: 'web-1' }), one[1]].map((s) =>
        serverWith(s ?? {}),
      ),
      before,
    );
    expect(after.list.map(({ server }) => server.name)).toEqual(['web-1', 'web-9', 'web-10']);
    expect(after.by_id.get(1)?.candidate).toBe(before.by_id.get(1)?.candidate);
    expect(after.by_id.get(1)?.server.has_password).toBe(false);
  });

  it('ranks 5,000 servers fast enough to type', () => {
    const places = ['fra', 'ams', 'nyc'];
    const servers = Array.from({ length: 5000 }, (_, at) =>
      serverWith({
        id: at,
        name: `web-${at}`,
        tags: [places[at % 3] ?? '', 'prod'],
        group: `group ${at % 40}`,
      }),
    );
    const index = indexServers(servers);
    const find = (text: string) => findServers(parseQuery(text), index);
    for (const text of ['w', 'we', 'web1', 'fra 12', 'zz']) find(text);
    const began = performance.now();
    for (const text of ['w', 'web', 'web12', 'fra web 12', 'tag:prod group:1 7', 'nothing', 'wb77'])
      find(text);
    expect((performance.now() - began) / 7).toBeLessThan(250); // 5 ms on a free core
  });
});
