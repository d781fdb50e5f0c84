import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createForwardedAddresses } from '#core/instances/forwarded-addresses.ts';
import type { Ticket } from '#core/model/accounts/ticket.ts';
import { systemClock } from '#server/lib/clock.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { createKey, makeStale } from '../../support/features/accounts.ts';
import { type OpenShell, resumed, shellOn, socketTo } from '../../support/features/shells.ts';
import { tusCaller } from '../../support/features/tus.ts';
import { type Actor, SECRET_KEY, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { OPERATIONS, type Operation, pathOf } from '../../support/gateway/operations.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const FRESH = OPERATIONS.filter(({ fresh }) => fresh);

let sshd: Sshd;
let database: FreshDatabase;
let one: TestGateway;
let other: TestGateway;
let server_id: number;
/** An administrator who signed in long ago. */
let stale: Actor;

beforeAll(async () => {
  sshd = await startSshd();
  await writeFile(join(sshd.folder, 'notes.txt'), 'kept\n');
  database = await migratedDatabaseUrl('sqlite');
  one = await startGateway({ database_url: database.url });
  other = await startGateway({ database_url: database.url, untouched: true });
  const { port, username, password } = sshd;
  server_id = (await one.addServer({ port, username, password })).id;
  stale = await makeStale(one, await one.user({ username: 'stale', is_admin: true }));
});
afterAll(async () => {
  await one?.close();
  await other?.close();
  await database?.cleanup();
  await sshd?.stop();
});

const bearer = ({ token }: Pick<Actor, 'token'>) => ({ authorization: `Bearer ${token}` });

/** How each operation that wants a fresh session refuses this request. */
async function refusals(
  request: (
    operation: Operation,
    path: string,
  ) => Promise<{ query?: string; headers: Record<string, string> }>,
): Promise<string[]> {
  const codes = new Set<string>();
  for (const operation of FRESH) {
    const path = pathOf(operation, '1');
    const { query = '', headers } = await request(operation, path);
    const body = operation.body ? { body: '{}' } : {};
    const response = await fetch(`${one.url}${path}${query}`, {
      method: operation.method,
      headers: { 'content-type': 'application/json', ...headers },
      ...body,
    });
    const { code } = (await response.json()) as { code?: string };
    codes.add(`${response.status} ${code}`);
  }
  return [...codes];
}

const ticketFor = async (actor: Actor, path: string, body?: object) =>
  (await actor.call<Ticket>('POST', path, body)).body.ticket;

const TICKETS: Readonly<Record<string, () => Promise<string>>> = {
  'a WebSocket': () => ticketFor(one.admin, '/api/auth/ws-ticket'),
  'a file': () => ticketFor(one.admin, `/api/files/${server_id}/ticket`, { path: '/' }),
  'an archive': () => ticketFor(one.admin, `/api/files/${server_id}/ticket`, { paths: ['/'] }),
};

describe('What wants a fresh sign-in', () => {
  it('takes the token of a session in the header, and nothing else', () => {
    const others = FRESH.filter(
      ({ ticket, socket, scope, allow }) =>
        ticket !== undefined || socket || scope !== 'session' || allow.includes('token_in_query'),
    );
    expect(others).toEqual([]);
    expect(FRESH.length).toBeGreaterThan(15);
  });

  it.each(Object.entries(TICKETS))('is not reached with a ticket for %s', async (_what, ticket) => {
    const query = `?ticket=${await ticket()}`;
    expect(await refusals(async () => ({ query, headers: {} }))).toEqual(['401 not_authenticated']);
    const both = async () => ({ query, headers: bearer(stale) });
    expect(await refusals(both)).toEqual(['403 step_up_required']);
  });

  it('is not reached with a fresh token in the query', async () => {
    const query = `?token=${one.admin.token}`;
    const both = async () => ({ query, headers: bearer(stale) });
    expect(await refusals(both)).toEqual(['403 step_up_required']);
  });

  it('is not reached with the link of a share', async () => {
    const { client, session_id } = await shellOn(one, server_id, one.admin);
    const share = await one.admin.call<{ token: string }>('POST', `/api/terminal/share/${session_id}`);
    const { token } = share.body;
    expect(await refusals(async () => ({ headers: bearer({ token }) }))).toEqual(['401 invalid_token']);
    client.close(1000);
  });

  it('is not reached with an API key of all scopes, even one of a fresh administrator', async () => {
    const { key } = await createKey(one.admin);
    const asked = async () => ({ headers: bearer({ token: key }) });
    expect(await refusals(asked)).toEqual(['403 session_required']);
  });

  it('is not reached through another instance that vouches for the address', async () => {
    const { forward } = await createKeyring(SECRET_KEY);
    const addresses = createForwardedAddresses({ forward }, systemClock, []);
    const { instances } = one.store.tables;
    const runs = await one.store.db.select({ run_id: instances.run_id }).from(instances);
    expect(runs.length).toBeGreaterThan(0);
    for (const { run_id } of runs) {
      const relayed = async ({ method }: Operation, path: string) => {
        const proven = { method, path, ...bearer(stale) };
        const proof = await addresses.sign({ ip_address: '192.0.2.9' }, proven, run_id);
        return { headers: { ...bearer(stale), 'x-sallyport-passed-on': '1', 'x-sallyport-client': proof } };
      };
      expect(await refusals(relayed)).toEqual(['403 step_up_required']);
    }
  });
});

describe('A session that signed in long ago', () => {
  const shellAt = (gateway: TestGateway) => shellOn(gateway, server_id, stale);
  const end = ({ client }: OpenShell) => client.close(1000);

  it('opens, resumes, shares and joins terminals, on any instance', async () => {
    const shell = await shellAt(one);
    const again = resumed(other, shell, stale);
    await again.frame('session');
    const path = `/api/terminal/share/${shell.session_id}`;
    const shared = await other.actor(stale.token).call<{ token: string }>('POST', path);
    expect(shared.status).toBe(200);
    await socketTo(other, `join/${shared.body.token}?mode=ro`, stale).frame('joined');
    end({ ...shell, client: again });
  });

  it('opens a terminal with a ticket', async () => {
    const ticket = await ticketFor(stale, '/api/auth/ws-ticket');
    const client = openTerminal(`${one.url}/api/ws/terminal/${server_id}?cols=80&rows=24&ticket=${ticket}`);
    await client.frame('session');
    client.close(1000);
  });

  it('uploads and downloads files', async () => {
    const { begin, append } = tusCaller(stale, server_id);
    const upload = await begin({ path: sshd.folder, filename: 'sent.txt', length: 4 });
    expect((await append(upload, 0, new TextEncoder().encode('sent'))).status).toBe(204);
    const path = join(sshd.folder, 'notes.txt');
    const ticket = await ticketFor(stale, `/api/files/${server_id}/ticket`, { path });
    const asked = `/api/files/${server_id}/download?path=${encodeURIComponent(path)}&ticket=${ticket}`;
    expect(await (await one.anonymous.fetch(asked)).text()).toBe('kept\n');
  });
});
