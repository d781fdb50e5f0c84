import { Fault } from '../../errors.ts';
import { assertDepths } from '../../hosts/imports/jumps.ts';
import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import { toUsernameKey } from '../../model/accounts/user.ts';
import type { BackupContent } from '../../model/backup/content.ts';
import { jumpsOf } from './servers.ts';

/** Checks across rows: unique names, existing owners and jump hosts. */
export async function validateContent(content: BackupContent, created_at: string): Promise<void> {
  validateUsers(content);
  validateOwners(content);
  await validateJumps(content);
  assertDistinct('setting', content.settings, ({ key }) => key);
  assertDistinct('image', content.images, ({ name }) => name);
  assertDistinct('audit chain', content.audit, ({ chain }) => chain.id);
  await validateTimes(content, created_at);
}

function validateUsers({ users }: BackupContent): void {
  assertDistinct('username', users, ({ username }) => toUsernameKey(username));
  assertDistinct(
    'directory entry',
    users.filter(({ directory_id }) => directory_id !== null),
    ({ directory_id }) => directory_id,
  );
  assertDistinct(
    'default administrator',
    users.filter(({ is_default_admin }) => is_default_admin),
    () => '',
  );
}

function validateOwners({ users, api_keys, quick_keys, snippets }: BackupContent): void {
  const names = new Set(users.map(({ username }) => toUsernameKey(username)));
  const ownerless = [...api_keys, ...quick_keys, ...snippets].find(
    ({ owner }) => !names.has(toUsernameKey(owner)),
  );
  if (ownerless) throw new Fault('backup_unreadable', `The bundle has no user ${ownerless.owner}`);
  assertDistinct('API key', api_keys, ({ key_digest }) => key_digest);
  assertDistinct('pinned key', quick_keys, ({ owner, hostname, port }) =>
    JSON.stringify([toUsernameKey(owner), hostname, port]),
  );
}

async function validateJumps({ servers }: BackupContent): Promise<void> {
  const lost = servers.find(({ jump }) => jump !== null && jump >= servers.length);
  if (lost) throw new Fault('jump_host_unknown', `${lost.name}: its jump host is not in the bundle`);
  await assertDepths(jumpsOf(servers), async () => 0);
}

/** No audit entry is newer than the bundle. */
async function validateTimes({ audit }: BackupContent, created_at: string): Promise<void> {
  const giveWay = createGiveWay();
  const end_ms = Date.parse(created_at);
  for (const { chain, entries } of audit) {
    for (const entry of entries) {
      await giveWay();
      if (Date.parse(entry.created_at) <= end_ms) continue;
      throw new Fault('backup_unreadable', `Audit chain ${chain.number}: an entry is newer than the bundle`);
    }
  }
}

function assertDistinct<Row>(what: string, rows: readonly Row[], keyOf: (row: Row) => unknown): void {
  if (new Set(rows.map(keyOf)).size === rows.length) return;
  throw new Fault('backup_unreadable', `The bundle has the same ${what} twice`);
}
