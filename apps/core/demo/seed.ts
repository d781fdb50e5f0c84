import { Fault } from '../errors.ts';
import type { ServerChanges } from '../hosts/changes.ts';
import { createIdPool } from '../lib/id-pool.ts';
import type { UserRow } from '../model/accounts/user.ts';
import { DEMO_CREDENTIALS } from '../model/demo.ts';
import { ServerInput } from '../model/hosts/server.ts';
import { SnippetInput } from '../model/snippet.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

const GROUP = 'demo';
const FRESH_MS = 60_000; // another instance that has just created the user also adds the servers

interface Deps {
  readonly repositories: Pick<Repositories, 'users' | 'servers' | 'snippets'>;
  readonly hasher: PasswordHasher;
  readonly changes: Pick<ServerChanges, 'newRow'>;
  readonly clock: Clock;
}

/** Adds missing demo data; leaves existing rows as they are. */
export async function seedDemo(deps: Deps): Promise<void> {
  const is_new = await addUser(deps);
  const user = await deps.repositories.users.byName(DEMO_CREDENTIALS.username);
  if (!is_new && user && isFresh(user, deps.clock.now())) return;
  const { servers, snippets } = deps.repositories;
  if (!(await servers.groups('all')).includes(GROUP)) await addServers(deps);
  if (user && (await snippets.visibleTo(user.id)).length === 0) await addSnippets(deps, user.id);
}

/** False when the user already exists. */
async function addUser({ repositories: { users }, hasher, clock }: Deps): Promise<boolean> {
  const { username, password } = DEMO_CREDENTIALS;
  if (await users.byName(username)) return false;
  try {
    await users.insert({
      username,
      password_hash: await hasher.hash(password),
      is_admin: false,
      must_change_password: false,
      totp_enabled: false,
      allowed_groups: [GROUP],
      source: 'local',
      disabled: false,
      created_at: clock.now().toISOString(),
    });
    return true;
  } catch (error) {
    if (error instanceof Fault && error.code === 'username_taken') return false;
    throw error;
  }
}

async function addServers({ repositories: { servers }, changes, clock }: Deps): Promise<void> {
  const nextId = createIdPool(servers.reserveIds);
  const add = async (fields: { name: string; description: string; jump_via_id?: number }) => {
    const input = ServerInput.parse({ ...SAMPLE, ...fields });
    const place = { id: await nextId(), at: clock.now().toISOString() };
    return (await servers.insert(await changes.newRow(input, place, {}))).id;
  };
  await add({ name: 'Sample server', description: 'Connects to the machine that runs the gateway' });
  const jump_via_id = await add({ name: 'Sample bastion', description: 'Jump host for the inner server' });
  await add({ name: 'Sample inner server', description: 'Reached through the sample bastion', jump_via_id });
}

/** If two instances start at once, only the one that inserts the first snippet adds the others. */
async function addSnippets({ repositories: { snippets }, clock }: Deps, user_id: number): Promise<void> {
  const created_at = clock.now().toISOString();
  try {
    for (const [made, input] of SNIPPETS.entries()) {
      const snippet = SnippetInput.parse({ ...input, shared: true });
      await snippets.insert({ ...snippet, user_id, created_at }, made + 1);
    }
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'too_many_snippets')) throw error;
  }
}

const SNIPPETS = [
  { name: 'Disk usage', command: 'df -h' },
  { name: 'Follow a log', command: 'tail -f {file}', description: 'Ctrl+C ends it' },
  { name: 'Restart a service', command: 'sudo systemctl restart {service}', confirm: true },
];

const SAMPLE = {
  hostname: '127.0.0.1',
  ...DEMO_CREDENTIALS,
  group: GROUP,
  tags: ['sample'],
  sftp_read_only: true,
};

function isFresh({ created_at }: UserRow, now: Date): boolean {
  return now.getTime() - Date.parse(created_at) < FRESH_MS;
}
