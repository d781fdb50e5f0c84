import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { ALL_SCOPES, type Scope } from '#core/model/accounts/api-key.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { EmbedBounds } from '#core/model/embed.ts';
import type { Services } from '#core/service-types.ts';
import { composeGateway } from '#server/compose.ts';
import { parseConfig } from '#server/config/config.ts';
import { quickFolder } from '../../support/databases/quick-folder.ts';
import { placeMigratedFile, silent } from '../../support/databases/stores.ts';
import { VERBS, type Verb, WITHOUT_CALLER } from '../../support/features/verbs.ts';
import { ofEmbed, ofKey } from '../../support/gateway/callers.ts';
import { GUARDED, type Operation } from '../../support/gateway/operations.ts';

const FIRST_PASSWORD = 'first-password-1';
const PASSWORD = 'second-password-2';
const ORIGIN = { ip_address: '192.0.2.1', user_agent: '', via: 'page' } as const;
const NOWHERE = 2_147_483_647;

/** Refusals that depend on the caller and the action alone. */
const REFUSALS = new Set([
  'admin_only',
  'demo_mode',
  'embed_read_only',
  'embed_refused',
  'password_change_required',
  'pending_2fa',
  'scope_missing',
  'session_required',
  'step_up_required',
]);

interface Kind {
  readonly caller: Caller;
  /** What the document's marks say. */
  refusal(marks: Operation): string | undefined;
}

/** Served by the transport itself, or by the verb of another operation. */
const WITHOUT_VERB = ['files.zip_paths', 'meta.arrival', 'meta.metrics'];

const BY_METHOD = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

function inDemo({ method, allow, deny }: Operation): string | undefined {
  const is_open = !deny.includes('demo') && (!BY_METHOD.has(method) || allow.includes('demo_write'));
  return is_open ? undefined : 'demo_mode';
}

/** Every kind of caller that the marks distinguish, made of a real one. */
function kindsOf(admin: Caller): Readonly<Record<string, Kind>> {
  const user = { ...admin, is_admin: false, allowed_groups: ['lab'] };
  const ofUser = ({ access }: Operation) => (access === 'admin' ? 'admin_only' : undefined);
  const ofStale = ({ fresh }: Operation) => (fresh ? 'step_up_required' : undefined);
  const key = (owner: Caller, ...scopes: Scope[]): Caller => ({
    ...owner,
    credential: { kind: 'api_key', id: NOWHERE },
    scopes,
    is_fresh: false,
  });
  const embedded = (bounds: EmbedBounds): Kind => ({
    caller: { ...user, scopes: [bounds.kind], is_fresh: false, bounds },
    refusal: (marks) => ofEmbed(marks, bounds.kind, bounds.mode),
  });
  const keys = ALL_SCOPES.map((scope): [string, Kind] => [
    `API key, ${scope}`,
    { caller: key(admin, scope), refusal: (marks) => ofKey(marks, [scope], true) },
  ]);
  const embeds = (['terminal', 'files'] as const).flatMap((kind) =>
    (['rw', 'ro'] as const).map((mode): [string, Kind] => [
      `embedded ${kind}, ${mode}`,
      embedded({ server_id: NOWHERE, kind, mode }),
    ]),
  );
  const pending: Caller = { ...admin, credential: { kind: 'pending_2fa', id: 'none' }, scopes: [] };
  const due = { must_change_password: true };
  return {
    administrator: { caller: admin, refusal: () => undefined },
    user: { caller: user, refusal: ofUser },
    'stale administrator': { caller: { ...admin, is_fresh: false }, refusal: ofStale },
    'stale user': {
      caller: { ...user, is_fresh: false },
      refusal: (marks) => ofUser(marks) ?? ofStale(marks),
    },
    'pending second factor': {
      caller: pending,
      refusal: ({ allow }) => (allow.includes('pending_2fa') ? undefined : 'pending_2fa'),
    },
    'forced password change': {
      caller: { ...admin, ...due },
      refusal: ({ allow }) => (allow.includes('password_change') ? undefined : 'password_change_required'),
    },
    'API key of a user': {
      caller: key(user, ...ALL_SCOPES),
      refusal: (marks) => ofKey(marks, ALL_SCOPES, false),
    },
    'API key where a password change is due': {
      caller: { ...key(admin, ...ALL_SCOPES), ...due },
      refusal: () => 'password_change_required',
    },
    ...Object.fromEntries([...keys, ...embeds]),
    'visitor of a demo': {
      caller: { ...user, in_demo: true },
      refusal: (marks) => inDemo(marks) ?? ofUser(marks),
    },
  };
}

/** The names of all functions of all services. */
function verbsOf(services: Services): string[] {
  return Object.entries(services).flatMap(([name, service]) => {
    if (typeof service === 'function') return [name];
    if (typeof service !== 'object') return [];
    const members = Object.entries<unknown>(service).filter(([, member]) => typeof member === 'function');
    return members.map(([verb]) => `${name}.${verb}`);
  });
}

async function outcomeOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Fault && REFUSALS.has(error.code) ? error.code : undefined;
  }
}

describe('The door of every verb', () => {
  const data_dir = quickFolder('sallyport-door-');
  let services: Services;
  let close: () => Promise<void>;
  let admin: Caller;

  beforeAll(async () => {
    await placeMigratedFile(join(data_dir, 'sallyport.db'));
    const config = parseConfig({
      SERVICE_PORT: '0',
      SERVICE_DATA_DIR: data_dir,
      SERVICE_SECRET_KEY: 'a secret key of the tests, long enough',
      SERVICE_ADMIN_PASSWORD: FIRST_PASSWORD,
      SERVICE_DISABLE_MONITOR: 'true',
      SERVICE_QUICK_CONNECT: 'false', // nobody is dialled
    });
    const hash_cost = { memoryCost: 256, timeCost: 1, parallelism: 1 };
    const gateway = await composeGateway(config, silent, { hash_cost });
    close = gateway.close;
    await gateway.bootstrap(() => undefined);
    services = gateway.services;
    const first = await signIn('admin', FIRST_PASSWORD);
    await services.account.changePassword(first, { new_password: PASSWORD });
    admin = await signIn('admin', PASSWORD);
  });
  afterAll(async () => {
    await close?.();
    rmSync(data_dir, { recursive: true, force: true });
  });

  async function signIn(username: string, password: string): Promise<Caller> {
    const { access_token } = await services.sign_in.login({ username, password }, ORIGIN);
    return services.callers.fromBearer(access_token, ORIGIN.ip_address);
  }

  it('knows no caller whose account is disabled, by whatever credential', async () => {
    const { users, api_keys, tickets, callers } = services;
    const fields = { username: 'barred', password: 'barred-password-1', allowed_groups: [], is_admin: false };
    const { id } = await users.create(admin, { ...fields, must_change_password: false });
    const barred = await signIn('barred', fields.password);
    const { key } = await api_keys.create(barred, { name: 'kept' });
    const { ticket } = await tickets.forSocket(barred);
    await users.update(admin, id, { disabled: true });
    const { ip_address } = ORIGIN;
    if (barred.credential.kind !== 'session') throw new Error('No session');
    await expect(callers.fromCredential(barred.credential, ip_address)).rejects.toMatchObject({
      code: 'invalid_token',
    });
    await expect(callers.fromBearer(key, ip_address)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await expect(tickets.redeemForSocket(ticket, ip_address)).rejects.toBeInstanceOf(Fault);
    await expect(signIn('barred', fields.password)).rejects.toBeInstanceOf(Fault);
  });

  it('is in the table, or the verb acts for no caller', () => {
    const named = [...Object.keys(VERBS).map((name) => name.replace(/ .*/, '')), ...WITHOUT_CALLER];
    expect(verbsOf(services).sort()).toEqual([...new Set(named)].sort());
  });

  it('is open to each operation that has a caller', () => {
    const used = new Set(Object.values(VERBS).map(({ marks }) => marks.id));
    const others = GUARDED.filter(({ id }) => !used.has(id)).map(({ id }) => id);
    expect(others.sort()).toEqual(WITHOUT_VERB);
  });

  it.each(Object.entries(VERBS))('%s refuses whom the document says', async (_name, verb: Verb) => {
    const expected: Record<string, string | undefined> = {};
    const found: Record<string, string | undefined> = {};
    for (const [name, { caller, refusal }] of Object.entries(kindsOf(admin))) {
      expected[name] = refusal(verb.marks);
      found[name] = await outcomeOf(() => verb.call(services, caller));
    }
    expect(found).toEqual(expected);
  });
});
