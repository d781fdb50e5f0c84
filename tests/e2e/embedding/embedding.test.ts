import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebSession } from '#core/model/accounts/web-session.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { eventually } from '../../support/eventually.ts';
import { createKey } from '../../support/features/accounts.ts';
import { embed, exchange, mint } from '../../support/features/embeds.ts';
import { type Actor, describeEachGateway } from '../../support/gateway/gateway.ts';
import { GUARDED, pathOf } from '../../support/gateway/operations.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SESSION = '/api/auth/embed-session';
const PAST = '2020-01-01T00:00:00.000Z';
const PORTAL = 'https://portal.example';

let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  await writeFile(join(sshd.folder, 'notes.txt'), 'one line of text\n');
});
afterAll(() => sshd?.stop());

describeEachGateway(
  'Embedding',
  (gateway) => {
    let server: Server;
    let other: Server;
    let minter: Actor;
    let users = 0;

    beforeAll(async () => {
      const { port, username, password } = sshd;
      server = await gateway().addServer({ name: 'box', port, username, password });
      other = await gateway().addServer({ name: 'other', port, username, password });
      minter = await gateway().user({ username: 'minter', allowed_groups: ['lab'] });
    });

    const terminal = () => ({ server_id: server.id, kind: 'terminal' }) as const;
    const files = () => ({ server_id: server.id, kind: 'files' }) as const;
    const codeOf = ({ status, body }: { status: number; body: object }) => [
      status,
      Reflect.get(body, 'code'),
    ];
    function newUser(): Promise<Actor> {
      users += 1;
      return gateway().user({ username: `user ${users}`, allowed_groups: ['lab'] });
    }

    function open(actor: Actor, path: number | string = server.id, headers = {}) {
      const size = typeof path === 'number' ? '?cols=80&rows=24' : ''; // a resume keeps the size
      return openTerminal(`${gateway().url}/api/ws/terminal/${path}${size}`, {
        headers: { authorization: `Bearer ${actor.token}`, ...headers },
      });
    }

    async function keyOf(owner: Actor, fields: object): Promise<Actor> {
      return gateway().actor((await createKey(owner, fields)).key);
    }

    async function idOf(actor: Actor): Promise<number> {
      return (await actor.call<{ id: number }>('GET', '/api/auth/me')).body.id;
    }

    describe('A ticket', () => {
      it('is for a minute unless asked otherwise, and works once', async () => {
        const { status, body } = await mint(minter, terminal());
        expect([status, body.expires_in]).toEqual([200, 60]);
        expect((await mint(minter, { ...terminal(), expires_in: 10 })).body.expires_in).toBe(10);
        expect((await exchange(gateway(), body.ticket)).status).toBe(200);
        expect(codeOf(await exchange(gateway(), body.ticket))).toEqual([401, 'invalid_ticket']);
      });

      it('gives one of two simultaneous exchanges a session', async () => {
        const { ticket } = (await mint(minter, terminal())).body;
        const both = await Promise.all([exchange(gateway(), ticket), exchange(gateway(), ticket)]);
        expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
      });

      it.each([9, 601, 1.5, '60'])('is refused for %s seconds', async (expires_in) => {
        expect(
          (await minter.call('POST', '/api/auth/embed-ticket', { ...terminal(), expires_in })).status,
        ).toBe(422);
      });

      it('expires', async () => {
        const { ticket } = (await mint(minter, terminal())).body;
        const { db, tables } = gateway().store;
        await db.update(tables.tickets).set({ expires_at: PAST }).where(eq(tables.tickets.purpose, 'embed'));
        expect(codeOf(await exchange(gateway(), ticket))).toEqual([401, 'invalid_ticket']);
      });

      it('is stored as a digest', async () => {
        const { ticket } = (await mint(minter, terminal())).body;
        const { db, tables } = gateway().store;
        expect(JSON.stringify(await db.select().from(tables.tickets))).not.toContain(ticket);
      });

      it('needs reach of the server and its switch', async () => {
        const stranger = await gateway().user({ username: 'stranger', allowed_groups: ['elsewhere'] });
        expect(codeOf(await mint(stranger, terminal()))).toEqual([404, 'server_not_found']);
        const closed = await gateway().addServer({
          name: 'closed',
          port: 1,
          ssh_enabled: false,
          sftp_enabled: false,
        });
        expect(codeOf(await mint(minter, { ...terminal(), server_id: closed.id }))).toEqual([
          403,
          'ssh_disabled',
        ]);
        expect(codeOf(await mint(minter, { ...files(), server_id: closed.id }))).toEqual([
          403,
          'sftp_disabled',
        ]);
      });

      it('needs the scope of its kind from an API key', async () => {
        const owner = await newUser();
        const shells = await keyOf(owner, { scopes: ['terminal'] });
        const transfers = await keyOf(owner, { scopes: ['files'] });
        expect((await mint(shells, terminal())).status).toBe(200);
        expect((await mint(transfers, files())).status).toBe(200);
        expect(codeOf(await mint(shells, files()))).toEqual([403, 'scope_missing']);
        expect(codeOf(await mint(transfers, terminal()))).toEqual([403, 'scope_missing']);
      });

      it('is worthless once its minter has signed out', async () => {
        const user = await newUser();
        const { ticket } = (await mint(user, terminal())).body;
        await user.call('POST', '/api/auth/logout');
        expect(codeOf(await exchange(gateway(), ticket))).toEqual([401, 'invalid_ticket']);
      });

      it('is worthless once its minter has lost the server', async () => {
        const user = await newUser();
        const { ticket } = (await mint(user, terminal())).body;
        await setGroups(user, []);
        expect(codeOf(await exchange(gateway(), ticket))).toEqual([404, 'server_not_found']);
      });

      it('opens no socket, and a ticket for a socket starts no embedded session', async () => {
        const { ticket } = (await mint(minter, terminal())).body;
        const client = openTerminal(`${gateway().url}/api/ws/terminal/${server.id}?ticket=${ticket}`);
        expect((await client.closed()).code).toBe(4001);
        const plain = await minter.call<{ ticket: string }>('POST', '/api/auth/ws-ticket');
        expect(codeOf(await exchange(gateway(), plain.body.ticket))).toEqual([401, 'invalid_ticket']);
      });
    });

    describe('An embedded session', () => {
      it('says what it is and how long it lives', async () => {
        const { ticket } = (await mint(minter, { ...files(), mode: 'ro' })).body;
        const { body } = await exchange(gateway(), ticket);
        expect(body).toEqual({
          access_token: expect.any(String),
          token_type: 'bearer',
          expires_in: expect.any(Number),
          ends_at: expect.any(String),
          kind: 'files',
          mode: 'ro',
          username: 'minter',
          server: { id: server.id, name: 'box', sftp_read_only: true, sftp_allowed_paths: [] },
        });
        expect(body.expires_in).toBeGreaterThan(4 * 60);
        expect(body.expires_in).toBeLessThanOrEqual(5 * 60); // until its first renewal
        const hours = (Date.parse(body.ends_at) - Date.now()) / 3_600_000;
        expect(hours).toBeGreaterThan(11.9);
        expect(hours).toBeLessThanOrEqual(12);
      });

      it('ends no later than what minted it expires', async () => {
        const owner = await newUser();
        const expires_at = new Date(Date.now() + 3 * 60_000).toISOString();
        const key = await keyOf(owner, { expires_at });
        const { body } = await exchange(gateway(), (await mint(key, files())).body.ticket);
        expect(body.ends_at).toBe(expires_at);
        expect(body.expires_in).toBeLessThanOrEqual(180);
      });

      it('types into a terminal of its server', async () => {
        const client = open(await embed(gateway(), minter, terminal()));
        await client.frame('session');
        client.type('echo typed-$((1 + 1))\r');
        await client.sees('typed-2');
        client.close();
      });

      it('opens its terminal with a ticket for a socket', async () => {
        const embedded = await embed(gateway(), minter, terminal());
        const { body } = await embedded.call<{ ticket: string }>('POST', '/api/auth/ws-ticket');
        const client = openTerminal(`${gateway().url}/api/ws/terminal/${server.id}?ticket=${body.ticket}`);
        await client.frame('session');
        client.close();
        const again = await embedded.call<{ ticket: string }>('POST', '/api/auth/ws-ticket');
        const elsewhere = openTerminal(
          `${gateway().url}/api/ws/terminal/${other.id}?ticket=${again.body.ticket}`,
        );
        expect((await elsewhere.closed()).code).toBe(4004);
      });

      it('types nothing into a read-only terminal, and resizes it', async () => {
        const embedded = await embed(gateway(), minter, { ...terminal(), mode: 'ro' });
        const client = open(embedded);
        const { session_id } = await client.frame('session');
        client.type('echo typed-$((1 + 1))\r');
        client.send({ type: 'resize', cols: 101, rows: 33 });
        client.close(4900); // a drop
        const owner = open(minter, `resume/${session_id}`);
        await owner.frame('session');
        owner.type('stty size; echo seen-$((1 + 1))\r');
        await owner.sees('seen-2');
        expect(owner.output()).toContain('33 101');
        expect(owner.output()).not.toContain('typed-2');
        owner.close();
      });

      it('stays read-only when it resumes its terminal', async () => {
        const embedded = await embed(gateway(), minter, { ...terminal(), mode: 'ro' });
        const first = open(embedded);
        const { session_id } = await first.frame('session');
        first.close(4900);
        const again = open(embedded, `resume/${session_id}`);
        await again.frame('session');
        again.type('echo typed-$((1 + 1))\r');
        again.send({ type: 'ping' });
        await again.frame('pong');
        const owner = open(minter, `resume/${session_id}`);
        await owner.frame('session');
        owner.type('echo seen-$((1 + 1))\r');
        await owner.sees('seen-2');
        expect(owner.output()).not.toContain('typed-2');
        owner.close();
      });

      it('resumes no terminal that another session of the user has opened', async () => {
        const mine = open(minter);
        const { session_id } = await mine.frame('session');
        const [first, second] = [
          await embed(gateway(), minter, terminal()),
          await embed(gateway(), minter, terminal()),
        ];
        expect((await open(first, `resume/${session_id}`).closed()).code).toBe(4004);
        const theirs = open(first);
        const { session_id: theirs_id } = await theirs.frame('session');
        expect((await open(second, `resume/${theirs_id}`).closed()).code).toBe(4004);
        mine.close();
        theirs.close();
      });

      it('reads and changes files of its server', async () => {
        const embedded = await embed(gateway(), minter, files());
        const at = `/api/files/${server.id}`;
        expect((await embedded.call('GET', `${at}/ls?path=${sshd.folder}`)).status).toBe(200);
        const made = await embedded.call('POST', `${at}/mkdir`, {
          path: join(sshd.folder, decodeJwt(embedded.token).jti ?? ''),
        });
        expect(made.status).toBe(200);
        const path = join(sshd.folder, 'notes.txt');
        const { body } = await embedded.call<{ ticket: string }>('POST', `${at}/ticket`, { path });
        const download = await gateway().anonymous.fetch(`${at}/download?path=${path}&ticket=${body.ticket}`);
        expect(await download.text()).toBe('one line of text\n');
      });

      it('changes no file in the mode ro', async () => {
        const embedded = await embed(gateway(), minter, { ...files(), mode: 'ro' });
        const at = `/api/files/${server.id}`;
        const path = join(sshd.folder, 'notes.txt');
        expect((await embedded.call('GET', `${at}/read?path=${path}`)).status).toBe(200);
        const saved = await embedded.call('PUT', `${at}/write`, { path, content: 'changed' });
        expect(codeOf(saved)).toEqual([403, 'embed_read_only']);
      });

      it.each(GUARDED.filter(({ embed: demand, path }) => demand && /\{server_id\}/.test(path)))(
        'finds no other server with $method $path',
        async (operation) => {
          const kind = operation.embed?.kind === 'terminal' ? 'terminal' : 'files';
          const embedded = await embed(gateway(), minter, { server_id: server.id, kind });
          if (operation.socket) {
            expect((await open(embedded, other.id).closed()).code).toBe(4004);
            return;
          }
          const path = pathOf(operation, String(other.id)).replace(/(uploads)\/\d+$/, '$1/unknown');
          const query = 'path=%2F&q=x&member=a';
          const body = BODIES[operation.id];
          const { headers, method } = operation;
          const answer = body
            ? await embedded.call(method, path, body)
            : await embedded.fetch(`${path}?${query}`, { method, headers }).then(async (response) => ({
                status: response.status,
                body: JSON.parse(await response.text()) as object,
              }));
          expect(codeOf(answer)).toEqual([404, 'server_not_found']);
        },
      );

      it('copies nothing to another server', async () => {
        const embedded = await embed(gateway(), minter, files());
        const copied = await embedded.call('POST', `/api/files/${server.id}/copy-to`, {
          source_path: join(sshd.folder, 'notes.txt'),
          target_server_id: other.id,
          target_path: join(sshd.folder, 'copied.txt'),
        });
        expect(codeOf(copied)).toEqual([404, 'server_not_found']);
      });

      it('passes no right of an administrator, and needs no group of theirs', async () => {
        const embedded = await embed(gateway(), gateway().admin, files());
        expect((await embedded.call('GET', `/api/files/${server.id}/home`)).status).toBe(200);
        expect(codeOf(await embedded.call('GET', '/api/auth/users'))).toEqual([403, 'embed_refused']);
        expect(codeOf(await embedded.call('GET', '/api/no/such/path'))).toEqual([403, 'embed_refused']);
      });

      it('is renewed with a new token while it lives', async () => {
        const embedded = await embed(gateway(), minter, files());
        await changeSession(embedded, { expires_at: new Date(Date.now() + 60_000).toISOString() });
        const { status, body } = await embedded.call<{ access_token: string; expires_in: number }>(
          'POST',
          `${SESSION}/renew`,
        );
        expect([status, body.expires_in > 14 * 60]).toEqual([200, true]);
        expect(decodeJwt(body.access_token).jti).toBe(decodeJwt(embedded.token).jti);
        expect(
          (await gateway().actor(body.access_token).call('GET', `/api/files/${server.id}/home`)).status,
        ).toBe(200);
      });

      it('cannot be renewed beyond its longest time', async () => {
        const embedded = await embed(gateway(), minter, files());
        const soon = new Date(Date.now() + 60_000).toISOString();
        const stored = { ...files(), mode: 'rw', ends_at: soon } as const;
        const expires_at = new Date(Date.now() + 30_000).toISOString();
        await changeSession(embedded, { embed: stored, expires_at });
        const renewed = await embedded.call<{ expires_in: number }>('POST', `${SESSION}/renew`);
        expect(renewed.body.expires_in).toBeLessThanOrEqual(60);
        expect(codeOf(await embedded.call('POST', `${SESSION}/renew`))).toEqual([403, 'embed_over']);
      });

      it('is something that a sign-in can neither renew nor end', async () => {
        expect(codeOf(await minter.call('POST', `${SESSION}/renew`))).toEqual([403, 'embed_only']);
        expect(codeOf(await minter.call('DELETE', SESSION))).toEqual([403, 'embed_only']);
      });

      it('is in the user’s list of sessions, with its server', async () => {
        const user = await newUser();
        const embedded = await embed(gateway(), user, { ...files(), mode: 'ro' });
        const { body } = await user.call<WebSession[]>('GET', '/api/auth/sessions');
        expect(body.map(({ id, embed: shown }) => [id, shown])).toEqual(
          expect.arrayContaining([
            [decodeJwt(user.token).jti, null],
            [
              decodeJwt(embedded.token).jti,
              { server_id: server.id, server_name: 'box', kind: 'files', mode: 'ro' },
            ],
          ]),
        );
      });
    });

    describe('A terminal of an embedded session', () => {
      it.each<[string, (scene: { user: Actor; embedded: Actor; user_id: number }) => Promise<unknown>]>([
        ['the element ends its session', ({ embedded }) => embedded.call('DELETE', SESSION)],
        [
          'the user ends that session',
          ({ user, embedded }) => user.call('DELETE', `/api/auth/sessions/${decodeJwt(embedded.token).jti}`),
        ],
        ['the minting session signs out', ({ user }) => user.call('POST', '/api/auth/logout')],
        [
          'the user signs out everywhere else',
          ({ user }) => user.call('DELETE', '/api/auth/sessions?keep_current=true'),
        ],
        ['the user loses the group', ({ user }) => setGroups(user, [])],
        [
          'the user is disabled',
          ({ user_id }) => gateway().admin.call('PATCH', `/api/auth/users/${user_id}`, { disabled: true }),
        ],
        [
          'an administrator signs the user out',
          ({ user_id }) => gateway().admin.call('DELETE', `/api/auth/users/${user_id}/sessions`),
        ],
        ['it is not renewed', ({ embedded }) => changeSession(embedded, { expires_at: PAST })],
      ])('ends when %s', async (_what, end) => {
        const user = await newUser();
        const user_id = await idOf(user);
        const embedded = await embed(gateway(), user, terminal());
        const client = open(embedded);
        await client.frame('session');
        await end({ user, embedded, user_id });
        expect((await client.closed()).code).toBe(4009);
        const { status } = await embedded.call('POST', `${SESSION}/renew`);
        expect(status).toBe(401);
      });

      it('ends when the API key that minted it is revoked', async () => {
        const owner = await newUser();
        const key = await keyOf(owner, { scopes: ['terminal'] });
        const client = open(await embed(gateway(), key, terminal()));
        await client.frame('session');
        const { body } = await owner.call<{ id: number }[]>('GET', '/api/auth/api-keys');
        await owner.call('DELETE', `/api/auth/api-keys/${body[0]?.id}`);
        expect((await client.closed()).code).toBe(4009);
      });

      it('ends by an administrator', async () => {
        const client = open(await embed(gateway(), minter, terminal()));
        const { session_id } = await client.frame('session');
        await gateway().admin.call('DELETE', `/api/terminal/sessions/${session_id}`);
        expect((await client.closed()).code).toBe(4009);
      });
    });

    it('does not come back to life when the user regains the group', async () => {
      const user = await newUser();
      const embedded = await embed(gateway(), user, files());
      await setGroups(user, []);
      expect(codeOf(await embedded.call('GET', `/api/files/${server.id}/home`))).toEqual([
        401,
        'invalid_token',
      ]);
      await setGroups(user, ['lab']);
      await eventually(async () => {
        const { body } = await user.call<WebSession[]>('GET', '/api/auth/sessions');
        expect(body).toHaveLength(1);
      });
      expect((await embedded.call('GET', `/api/files/${server.id}/home`)).status).toBe(401);
      await eventually(async () => {
        const { db, tables } = gateway().store;
        const id = String(decodeJwt(embedded.token).jti);
        const swept_next = await db.select().from(tables.sessions).where(eq(tables.sessions.id, id));
        const query = `action=embed_end&username=${encodeURIComponent(`user ${users}`)}`;
        const recorded = await gateway().admin.call<object[]>('GET', `/api/auth/audit?${query}`);
        expect([...swept_next, ...recorded.body]).toHaveLength(1); // what the sweep finds, it records
      });
    });

    it.each<
      [
        string,
        (move: { user: Actor; at: Server }) => readonly [() => Promise<unknown>, () => Promise<unknown>],
      ]
    >([
      [
        'the user has lost the group',
        ({ user }) => [() => setGroups(user, []), () => setGroups(user, ['lab'])],
      ],
      ['the server has left the group', ({ at }) => [() => setGroup(at, 'away'), () => setGroup(at, 'lab')]],
    ])('ends when %s, though nothing asks before that is undone', async (_, movesOf) => {
      const user = await newUser();
      const { port, username, password } = sshd;
      const at = await gateway().addServer({ name: `moving ${users}`, port, username, password });
      const kinds = ['terminal', 'files'] as const;
      const embedded = await Promise.all(
        kinds.map((kind) => embed(gateway(), user, { server_id: at.id, kind })),
      );
      const [lose, regain] = movesOf({ user, at });
      await lose();
      await regain();
      for (const one of embedded) expect((await one.call('POST', `${SESSION}/renew`)).status).toBe(401);
    });

    it('mints nothing for a user who has to change the password', async () => {
      const user = await newUser();
      const { ticket } = (await mint(user, terminal())).body;
      const embedded = await embed(gateway(), user, terminal());
      const { db, tables } = gateway().store;
      await db
        .update(tables.users)
        .set({ must_change_password: true })
        .where(eq(tables.users.id, await idOf(user)));
      expect(codeOf(await exchange(gateway(), ticket))).toEqual([403, 'password_change_required']);
      expect(codeOf(await embedded.call('POST', '/api/auth/ws-ticket'))).toEqual([
        403,
        'password_change_required',
      ]);
    });

    describe('Another origin', () => {
      const preflight = (origin: string, path: string, method: string) =>
        gateway().anonymous.fetch(path, {
          method: 'OPTIONS',
          headers: {
            origin,
            'access-control-request-method': method,
            'access-control-request-headers': 'authorization,tus-resumable,upload-offset',
          },
        });

      it.each([
        ['POST', SESSION],
        ['PATCH', '/api/files/1/uploads/x'],
        ['GET', '/api/files/1/download'],
      ])('may send %s %s if it is allowed', async (method, path) => {
        const allowed = await preflight(PORTAL, path, method);
        expect(allowed.headers.get('access-control-allow-origin')).toBe(PORTAL);
        expect(allowed.headers.get('access-control-allow-methods')).toContain(method);
        expect(allowed.headers.get('access-control-allow-headers')).toContain('upload-offset');
        const refused = await preflight('https://evil.example', path, method);
        expect(refused.headers.get('access-control-allow-origin')).toBeNull();
      });

      it('may open the terminal if it is allowed', async () => {
        const embedded = await embed(gateway(), minter, terminal());
        const client = open(embedded, server.id, { origin: PORTAL });
        await client.frame('session');
        client.close();
        const evil = open(embedded, server.id, { origin: 'https://evil.example' });
        await expect(evil.frame('error')).rejects.toThrow(/403/);
      });
    });

    async function setGroups(user: Actor, allowed_groups: readonly string[]) {
      return gateway().admin.call('PUT', `/api/auth/users/${await idOf(user)}/groups`, { allowed_groups });
    }

    const setGroup = ({ id }: Server, group: string) =>
      gateway().admin.call('PUT', `/api/servers/${id}`, { group });

    async function changeSession(actor: Actor, fields: object): Promise<void> {
      const { db, tables } = gateway().store;
      const id = String(decodeJwt(actor.token).jti);
      await db.update(tables.sessions).set(fields).where(eq(tables.sessions.id, id));
    }
  },
  { env: { SERVICE_ALLOWED_ORIGINS: PORTAL } },
);

const BODIES: Readonly<Record<string, object>> = {
  'files.ticket': { path: '/' },
  'files.connect': { password: 'typed' },
  'files.write': { path: '/no/such/file', content: '' },
  'files.mkdir': { path: '/no/such/place' },
  'files.restore': { path: '/no/such/file', copy_path: '/no/such/copy' },
  'files.rename': { old_path: '/no/such/a', new_path: '/no/such/b' },
  'files.chmod': { path: '/no/such/file', mode: '644' },
  'files.zip_paths': { paths: ['/no/such/place'] },
  'files.copy_to': { source_path: '/no/such/a', target_server_id: 1, target_path: '/no/such/b' },
  'files.extract': { path: '/no/such/a.zip', target_path: '/no/such/b' },
};
