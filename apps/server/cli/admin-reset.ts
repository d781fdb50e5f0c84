import { createLockouts } from '#core/accounts/lockouts.ts';
import { createAuditTrail } from '#core/audit/trail.ts';
import { createAuditChain } from '#core/audit/writer.ts';
import { type AuditSeal, createAuditSeal } from '#core/crypto/audit-seal.ts';
import { randomToken } from '#core/lib/bytes.ts';
import { wellFormed } from '#core/lib/text.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import { look } from '#db/migrate/apply.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { createArgon2Hasher } from '../adapters/argon2.ts';
import { systemClock as clock } from '../adapters/clock.ts';
import type { Config } from '../config/config.ts';
import { existingSecretKey, keyringsOf } from '../config/secret-key.ts';

export const WRONG_KEY =
  'SERVICE_SECRET_KEY: the audit log was signed with another key; run this with the variables of the gateway';
const SILENT = { warn: () => undefined, error: () => undefined };

/** Stops the command with one line. */
export class ResetRefused extends Error {
  override name = 'ResetRefused';
}

/** The way back in for whoever may run commands on the gateway's machine; works beside a running gateway. */
export async function resetPassword(config: Config, username: string): Promise<string> {
  const secret_key = await existingSecretKey(config);
  const looking = openStore(config.database_url, { read_only: true }); // never makes a database where there is none
  try {
    if (!(await look(looking)).has('audit_entries')) {
      throw new DatabaseUnusable('No gateway of this version has used this database yet: start it first');
    }
  } finally {
    await looking.close();
  }
  const store = openStore(config.database_url);
  try {
    const seal = createAuditSeal(...(await keyringsOf(config, secret_key)));
    return await reset(createRepositories(store), username, seal);
  } finally {
    await store.close();
  }
}

async function reset(repositories: Repositories, username: string, seal: AuditSeal): Promise<string> {
  const { users, second_factors, web_sessions, pending_sign_ins } = repositories;
  const user = await users.byName(username);
  if (!user) throw new ResetRefused(`There is no user ${wellFormed(username, 150)}`);
  if (user.source !== 'local') throw new ResetRefused(`The directory keeps the password of ${username}`);
  const roll = await repositories.audit.roll();
  if (roll && !(await seal.isGenuineRoll(roll))) throw new ResetRefused(WRONG_KEY);
  // Written down before it is done: what can't be recorded is not done.
  const chain = createAuditChain({ repositories, seal, clock, log: SILENT, instance_id: 'command line' });
  const actor = { user_id: null, username: '', ip_address: '' };
  const detail = `${user.username}, on the command line; enabled, unlocked, second factor off`;
  await createAuditTrail({ chain, clock }).record(actor, 'user_password_reset', detail, { owed: false });
  const password = randomToken(15);
  const password_hash = await createArgon2Hasher().hash(password);
  await users.setPassword(user.id, password_hash, { must_change_password: true });
  await users.update(user.id, { disabled: false });
  await second_factors.clear(user.id);
  await pending_sign_ins.removeOfUser(user.id);
  await web_sessions.removeOfUser(user.id);
  await createLockouts({ repositories, clock, never_locked: undefined }).clear(user.username);
  return password;
}
