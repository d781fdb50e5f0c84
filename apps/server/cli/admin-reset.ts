import { createLockouts } from '#core/accounts/lockouts.ts';
import { THE_GATEWAY } from '#core/audit/trail.ts';
import { randomToken } from '#core/lib/bytes/bytes.ts';
import { wellFormed } from '#core/lib/text/printable.ts';
import { userLabel } from '#core/model/accounts/user.ts';
import { passwordKeeperOf } from '#core/model/accounts/user-source.ts';
import { createArgon2Hasher } from '../adapters/argon2.ts';
import type { Config } from '../config/config.ts';
import { systemClock as clock } from '../lib/clock.ts';
import { type Maintenance, openMaintenance } from './maintenance.ts';
import { CommandRefused } from './output.ts';

/** The way back in for an operator with shell access; also works beside a running gateway. */
export async function resetPassword(config: Config, username: string): Promise<string> {
  const maintenance = await openMaintenance(config, { read_only: false, tables: ['audit_entries'] });
  try {
    return await reset(maintenance, username);
  } finally {
    await maintenance.close();
  }
}

async function reset({ repositories, trail }: Maintenance, username: string): Promise<string> {
  const { users, second_factors, web_sessions, pending_sign_ins } = repositories;
  const user = await users.byName(username);
  if (!user) throw new CommandRefused(`There is no user ${wellFormed(username, 150)}`);
  if (passwordKeeperOf(user) !== 'gateway') {
    throw new CommandRefused(`${username} signs in with a directory password: reset it in the directory`);
  }
  // Recorded first: a reset that cannot be recorded does not happen.
  const detail = `${userLabel(user)}, on the command line; enabled, unlocked, second factor off`;
  await trail.record(THE_GATEWAY, 'user_password_reset', detail, { retry: false });
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
