import { eq } from 'drizzle-orm';
import { beforeAll, expect, it } from 'vitest';
import { AuditAction, type AuditEntry, type AuditRecord } from '#core/model/audit/audit.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { describeEachGateway, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { entries, query } from './scene.ts';

const TRICKY = ['100%', 'a_b', "o'brien", 'c:\\temp', '"quoted"', 'NEAR(x)', 'x* OR y', '%', '_', "'", '\\'];

describeEachGateway('Reading the log', (gateway) => {
  it.each(['0000-01-01', '1969-12-31', '9999-12-31T23:59:59-12:00'])(
    'refuses an impossible year: %s',
    async (since) => {
      const { status, body } = await gateway().admin.call('GET', `/api/auth/audit?${query({ since })}`);
      expect([status, body['code']]).toEqual([422, 'validation']);
    },
  );

  const day = (text: string) => `2020-03-${text}.000Z`;

  async function fill(records: readonly Partial<AuditRecord>[]): Promise<void> {
    const instance = await auditInstance(gateway().store);
    for (const record of records) await instance.append(auditRecord(record));
  }
  const details = async (fields: Record<string, string>) =>
    (await entries(gateway(), fields)).map(({ detail }) => detail);

  beforeAll(() =>
    fill([
      { username: 'Ödön Å', detail: 'whole' },
      { username: 'Ödön Åström', detail: 'longer' },
      {
        username: 'finder',
        detail: 'Příliš ŽLUŤOUČKÝ kůň',
        action: 'server_update',
        ip_address: '203.0.113.77',
      },
      { username: 'finder', detail: 'a letter: Ž' },
      ...TRICKY.map((text) => ({ username: 'tricky', action: 'logout', detail: `<${text}>` })),
      { username: 'tricky', action: 'logout', detail: 'axb, 100 percent, obrien, c:temp, quoted, NEAR, x y' },
      ...['01T00:00:00', '01T23:00:00', '02T00:00:00', '02T00:00:01', '03T00:00:00'].map((at) => ({
        username: 'dated',
        detail: at,
        created_at: day(at),
      })),
      ...Array.from({ length: 120 }, (_, i) => ({
        username: 'pages',
        detail: String(i),
        created_at: day('10T00:00:00'),
      })),
    ]),
  );

  it.each(['Ödön Å', 'ÖDÖN å', 'ödön å'])('finds the whole name %s ignoring case', async (username) => {
    expect(await details({ username })).toEqual(['whole']);
  });

  it('finds an action, and nothing for an unknown one', async () => {
    expect(await details({ action: 'server_update', username: 'finder' })).toHaveLength(1);
    expect(await details({ action: 'no_such_action' })).toEqual([]);
  });

  it.each(['žluťoučký', 'ŽLUŤOUČKÝ', 'Žluť', 'SERVER_UPD', '203.0.113.77', 'FINDER'])(
    'finds %s in name, action, detail or address ignoring case',
    async (search) => {
      const found = await details({ search, username: 'finder', action: 'server_update' });
      expect(found).toEqual(['Příliš ŽLUŤOUČKÝ kůň']);
    },
  );

  it.each([
    ['searches=letter&searches=%C5%BE', ['a letter: Ž']],
    ['searches=letter&searches=k%C5%AF%C5%88', []],
    ['actions=server_update&actions=logout', ['Příliš ŽLUŤOUČKÝ kůň']],
    ['address=203.0.113.', ['Příliš ŽLUŤOUČKÝ kůň']],
    ['address=0.113.77', []],
  ])(
    'finds what has all texts, any of the actions and the beginning of the address: %s',
    async (asked, found) => {
      const path = `/api/auth/audit?username=finder&${asked}`;
      const { body } = await gateway().admin.call<AuditEntry[]>('GET', path);
      expect(body.map(({ detail }) => detail)).toEqual(found);
    },
  );

  it.each([Array.from({ length: 11 }, (_, n) => `word-${n}`), ['a'.repeat(200), 'b'.repeat(200), 'c']])(
    'refuses texts that are too many or too long together',
    async (...texts) => {
      const asked = new URLSearchParams(texts.map((text) => ['searches', text]));
      const { status, body } = await gateway().admin.call('GET', `/api/auth/audit?${asked}`);
      expect([status, JSON.stringify(body)]).toEqual([
        422,
        expect.stringContaining('Must be at most 10 texts with 400 characters together'),
      ]);
    },
  );

  it('finds a search of one letter', async () => {
    expect(await details({ search: 'ž', username: 'finder' })).toEqual([
      'a letter: Ž',
      'Příliš ŽLUŤOUČKÝ kůň',
    ]);
  });

  it.each(TRICKY)('takes %s literally', async (text) => {
    const expected = TRICKY.map((one) => `<${one}>`).filter((detail) => detail.includes(text));
    expect((await details({ search: text, username: 'tricky' })).sort()).toEqual(expected.sort());
  });

  it.each([
    [{ since: '2020-03-02' }, ['03T00:00:00', '02T00:00:01', '02T00:00:00']],
    [{ until: '2020-03-02' }, ['01T23:00:00', '01T00:00:00']],
    [
      { since: '2020-03-01', until: '2020-03-03' },
      ['02T00:00:01', '02T00:00:00', '01T23:00:00', '01T00:00:00'],
    ],
    [{ since: '2020-03-02T01:00:00+02:00', until: '2020-03-02T00:00:00Z' }, ['01T23:00:00']],
    [{ since: '2020-03-01T19:00:01-05:00', until: '2020-03-02T12:00:00Z' }, ['02T00:00:01']],
    [{ since: '2020-03-03', until: '2020-03-02' }, []],
  ])('bounds the time by %o', async (bounds: Record<string, string>, expected) => {
    expect(await details({ username: 'dated', ...bounds })).toEqual(expected);
  });

  it.each([
    'since=yesterday',
    'since=2020-13-01',
    'until=2020-03-02T01:00:00',
    'limit=0',
    'limit=501',
    'limit=-1',
    'limit=1.5',
    'limit=ten',
    'offset=-1',
  ])('refuses %s with 422', async (asked) => {
    const { status, body } = await gateway().admin.call('GET', `/api/auth/audit?${asked}`);
    expect({ status, code: body['code'] }).toEqual({ status: 422, code: 'validation' });
    expect(body['errors']).toMatchObject([{ path: asked.split('=')[0] }]);
  });

  it('pages through the newest first, including entries of the same time', async () => {
    const read: string[] = [];
    for (let offset = 0; offset < 140; offset += 35) {
      const fields = query({ username: 'pages', limit: '35', offset: String(offset) });
      const { body, headers } = await gateway().admin.call<AuditEntry[]>('GET', `/api/auth/audit?${fields}`);
      expect(headers.get('x-total-count')).toBe('120');
      read.push(...body.map(({ detail }) => detail));
    }
    expect(read).toEqual(Array.from({ length: 120 }, (_, i) => String(119 - i)));
  });

  it('returns 100 entries by default, and at most 500', async () => {
    expect(await details({ username: 'pages' })).toHaveLength(100);
    expect(await details({ username: 'pages', limit: '500' })).toHaveLength(120);
    expect(await details({ username: 'pages', offset: '1000' })).toEqual([]);
  });

  it('shows the fields of the contract and no other', async () => {
    const [first] = await entries(gateway(), { limit: '1' });
    expect(Object.keys(first ?? {})).toEqual([
      'id',
      'user_id',
      'username',
      'action',
      'detail',
      'ip_address',
      'created_at',
      'hash',
    ]);
  });

  it('lists every action that is recorded', async () => {
    const { body } = await gateway().admin.call('GET', '/api/auth/audit/actions');
    expect(body).toEqual([...AuditAction.options].sort());
  });

  it.each(['', '/actions', '/export', '/verify', '/verified'])(
    'is for administrators only: %s',
    async (path) => {
      const { db, tables } = gateway().store;
      const known = await db.select().from(tables.users).where(eq(tables.users.username, 'nosy'));
      const user = known[0]
        ? await gateway().signIn('nosy', USER_PASSWORD)
        : await gateway().user({ username: 'nosy' });
      const refused = await user.call('GET', `/api/auth/audit${path}`);
      expect({ status: refused.status, body: refused.body }).toEqual({
        status: 403,
        body: { detail: 'Admin only', code: 'admin_only' },
      });
      expect((await gateway().anonymous.call('GET', `/api/auth/audit${path}`)).status).toBe(401);
    },
  );
});
