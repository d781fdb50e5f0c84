import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from '#core/errors.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { type CallerKind, callerKinds } from '../../support/gateway/callers.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { GUARDED, OPERATIONS, type Operation, pathOf, withQuery } from '../../support/gateway/operations.ts';
import { connectedTerminal } from '../../support/gateway/ws.ts';

const GATES = new Set([
  'not_authenticated',
  'invalid_token',
  'invalid_api_key',
  'invalid_ticket',
  'pending_2fa',
  'password_change_required',
  'session_required',
  'admin_only',
  'scope_missing',
  'step_up_required',
  'embed_refused',
  'embed_read_only',
]);

/** Requests about one server, whose group decides. */
const OF_ONE_SERVER = GUARDED.filter(
  ({ access, path }) => access === 'user' && /^\/api\/(servers|files|ws\/terminal)\/\{/.test(path),
);

/** One operation of each kind that the gates distinguish. */
const ONE_OF_A_KIND = [...new Map(GUARDED.map((operation) => [kindOf(operation), operation])).values()];

describe.each(DIALECTS)('Who may do what (%s)', (dialect) => {
  let gateway: TestGateway;
  let database: FreshDatabase;
  let kinds: Record<string, CallerKind>;
  let server_id: number;
  const actors = new Map<string, Actor>();

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    gateway = await startGateway({ database_url: database.url });
    kinds = await callerKinds(gateway);
    server_id = (await gateway.addServer({ port: 1, group: 'lab' })).id;
  });
  afterAll(async () => {
    await gateway?.close();
    await database?.cleanup();
  });

  // The gates ask the database who is calling, never about what.
  it.each(dialect === 'postgres' ? GUARDED : ONE_OF_A_KIND)(
    'applies the gates of $method $path to every kind of caller',
    async (operation) => {
      for (const [kind, caller] of Object.entries(kinds)) {
        const refusal = caller.refusal(operation);
        const { status, code } = await askSignedIn(kind, caller, operation, pathOf(operation));
        if (refusal) {
          expect({ kind, code }).toEqual({ kind, code: refusal });
          if (!operation.socket) expect({ kind, status }).toEqual({ kind, status: statusOf(refusal) });
        } else {
          expect({ kind, code, is_gate: GATES.has(code) }).toEqual({ kind, code, is_gate: false });
          expect({ kind, status, is_error: status >= 500 }).toEqual({ kind, status, is_error: false });
        }
      }
    },
  );

  it.each(OF_ONE_SERVER)(
    'reveals nothing outside the caller’s groups to $method $path',
    async (operation) => {
      const path = pathOf(operation, String(server_id));
      const answerTo = (kind: string) => askSignedIn(kind, kindNamed(kind), operation, path);
      expect((await answerTo('user out of the group')).code).toBe('server_not_found');
      expect((await answerTo('user in the group')).code).not.toBe('server_not_found');
      expect((await answerTo('admin')).code).not.toBe('server_not_found');
    },
  );

  /** Keeps the session, since signing in costs more than the requests, and signs in again if it has ended. */
  async function askSignedIn(kind: string, caller: CallerKind, operation: Operation, path: string) {
    const askAs = (actor: Actor) => ask(actor, operation, path, gateway.url);
    const known = actors.get(kind);
    const answer = known && (await askAs(known));
    if (answer && (answer.code !== 'invalid_token' || caller.refusal(operation) === answer.code))
      return answer;
    const actor = await caller.actor();
    actors.set(kind, actor);
    return askAs(actor);
  }

  function kindNamed(name: string): CallerKind {
    const kind = kinds[name];
    if (!kind) throw new Error(`No such kind of caller: ${name}`);
    return kind;
  }

  it.each(OPERATIONS.filter(({ access }) => access === 'public'))(
    'lets anybody call $method $path',
    async (operation) => {
      const { code } = await ask(gateway.anonymous, operation, pathOf(operation), gateway.url);
      expect(GATES.has(code)).toBe(false);
    },
  );

  it('has a scope for every operation that is not public', () => {
    expect(GUARDED.filter(({ scope }) => scope === undefined)).toEqual([]);
  });

  it('wants a fresh session for what outlasts it', () => {
    const fresh = OPERATIONS.filter((operation) => operation.fresh).map(({ id }) => id);
    expect(fresh.sort()).toEqual(FRESH);
  });

  it('requires the scope that is documented', () => {
    for (const { path, method, access, scope, socket } of GUARDED) {
      if (scope === 'session' || OF_ANY_SCOPE.includes(path)) continue;
      const expected =
        access === 'admin'
          ? 'admin'
          : path.startsWith('/api/files')
            ? 'files'
            : scopeOfRest(path, method, socket);
      expect({ path, method, scope }).toEqual({ path, method, scope: expected });
    }
  });
});

/** They say nothing of a server: for embedding with any key, and for pages whose terminals do not open. */
const OF_ANY_SCOPE = ['/api/auth/embed-ticket', '/api/arrival'];

/** What lasts longer than the session that did it. */
const FRESH = [
  'agent.test_settings',
  'agent.update_settings',
  'api_keys.create',
  'api_keys.revoke',
  'backups.export',
  'backups.restore',
  'servers.remove_revoked_host_key',
  'settings.reset',
  'settings.update',
  'totp.disable',
  'totp.renew_recovery_codes',
  'totp.set_up',
  'totp.verify',
  'users.create',
  'users.delete',
  'users.end_sessions',
  'users.reset_password',
  'users.reset_totp',
  'users.set_groups',
  'users.unlock',
  'users.update',
];

function kindOf({ access, scope, fresh, allow, socket, embed }: Operation): string {
  return JSON.stringify([access, scope, fresh, allow, socket, embed]);
}

function scopeOfRest(path: string, method: string, socket: boolean): string {
  // The agent reads files and runs programs for whoever asks it.
  const is_read = method === 'GET' && !socket && !path.startsWith('/api/agent/');
  const only_reads = path.endsWith('/{id}/ticket') || path === '/api/recordings/search';
  return is_read || only_reads ? 'read' : 'terminal';
}

/** With a body that is valid only where it is ignored, so that nothing is done. */
async function ask(actor: Actor, operation: Operation, path: string, url: string) {
  if (operation.socket) return askSocket(actor, `${url}${path}?cols=80&rows=24`);
  const { method, headers } = operation;
  const asked = withQuery(operation, path);
  if (Object.keys(headers).length > 0) return answerOf(await actor.fetch(asked, { method, headers }));
  const { status, body } = await actor.call(method, asked, bodyFor(operation));
  return { status, code: String(body['code'] ?? '') };
}

async function answerOf(response: Response) {
  const text = await response.text();
  return { status: response.status, code: String(text.startsWith('{') ? (JSON.parse(text).code ?? '') : '') };
}

async function askSocket(actor: Actor, address: string) {
  const headers: Record<string, string> = actor.token ? { authorization: `Bearer ${actor.token}` } : {};
  const client = await connectedTerminal(address, { headers });
  client.send({ type: 'open' }); // Otherwise a quick connection waits for it.
  const frame = await client.frame('error');
  await client.closed();
  return { status: 0, code: String(frame['code']) };
}

/** A request about one server must be valid before the server is looked up. */
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

function bodyFor({ body, id }: Operation): object | undefined {
  return body && (BODIES[id] ?? {});
}

function statusOf(code: string): number | undefined {
  return Object.entries(FAULTS).find(([name]) => name === code)?.[1].status;
}
