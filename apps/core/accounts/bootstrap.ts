import { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import { assertNewPassword } from '../policy/passwords.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

export const DEFAULT_ADMIN = 'admin';

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  /** `SERVICE_ADMIN_PASSWORD`. */
  readonly admin_password: string | undefined;
}

/** Creates the default administrator in an empty database. A generated password is returned and shown once. */
export async function ensureAdministrator(deps: Deps): Promise<{ generated_password?: string }> {
  const { repositories, hasher, clock, admin_password } = deps;
  if (await repositories.users.byName(DEFAULT_ADMIN)) return {};
  if (admin_password !== undefined) assertAllowed(admin_password);
  const password = admin_password ?? randomToken(15);
  const created = await repositories.users.insertFirst({
    username: DEFAULT_ADMIN,
    password_hash: await hasher.hash(password),
    is_admin: true,
    must_change_password: true,
    totp_enabled: false,
    allowed_groups: [],
    source: 'local',
    disabled: false,
    created_at: clock.now().toISOString(),
  });
  return created && admin_password === undefined ? { generated_password: password } : {};
}

function assertAllowed(admin_password: string): void {
  try {
    assertNewPassword(admin_password, DEFAULT_ADMIN);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, `SERVICE_ADMIN_PASSWORD: ${error.detail}`, { cause: error });
  }
}
