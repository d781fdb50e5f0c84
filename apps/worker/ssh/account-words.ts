import type { Fault } from '#core/errors.ts';
import type { Connection } from './connection.ts';

// The words of OpenSSH, and of nologin (util-linux, shadow, BSD).
const PASSWORD_EXPIRED = /password (has|change) (expired|required)|must change your password/i;
const NO_LOGIN = /account is (currently )?not available/i;

/** Undefined unless the host says so. */
export function passwordExpired(connection: Connection, said: string, cause?: unknown): Fault | undefined {
  if (!PASSWORD_EXPIRED.test(said)) return undefined;
  const { username } = connection.hop;
  const what = `wants user ${username} to change the expired password, which needs a terminal`;
  return connection.fault('password_expired', what, cause);
}

/** Undefined unless the host says so. */
export function loginDisabled(connection: Connection, said: string, cause?: unknown): Fault | undefined {
  if (!NO_LOGIN.test(said)) return undefined;
  const { username } = connection.hop;
  return connection.fault('login_disabled', `does not let user ${username} run anything`, cause);
}
