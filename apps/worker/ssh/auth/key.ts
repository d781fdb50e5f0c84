import type { ParsedKey } from 'ssh2';
import { type Fault, toFault } from '#core/errors.ts';
import type { SshAuth } from '#core/ports/ssh.ts';
import { authFault } from '../faults.ts';
import type { Login, NextMethod } from './login.ts';

type KeyAuth = Extract<SshAuth, { method: 'key' }>;

/** The stored key, once. */
export function offerKey(login: Login, auth: KeyAuth): NextMethod {
  const { username } = login.attempt.hop;
  let offered: ParsedKey | undefined;
  return async () => {
    if (offered) throw keyRefused(login, offered);
    offered = await readKey(login, auth);
    return { type: 'publickey', username, key: signingKey(login, offered) };
  };
}

async function readKey({ attempt, keys }: Login, auth: KeyAuth): Promise<ParsedKey> {
  try {
    return await keys.read(auth.private_key, auth.passphrase);
  } catch (error) {
    const { code, detail } = toFault(error);
    throw attempt.fault(code, detail, error);
  }
}

/**
 * Left to itself, ssh2 signs with SHA-1 for hosts that do not say what they accept (RFC 8308 §3.1); under the name of
 * its signature an RSA key is offered with that one alone.
 */
function signingKey({ attempt }: Login, key: ParsedKey): ParsedKey {
  if (attempt.hop.algorithms === 'legacy') return key;
  if (key.type === 'ssh-dss')
    throw authFault(attempt, `is not offered the key: DSA signs with SHA-1. ${LEGACY_HINT}`);
  if (key.type !== 'ssh-rsa') return key;
  return Object.create(key, {
    type: { value: 'rsa-sha2-256' },
    sign: { value: (data: Buffer) => key.sign(data, 'sha256') },
  });
}

const LEGACY_HINT = `Setting the server's algorithms to "legacy" would allow it`;

function keyRefused(login: Login, { type }: ParsedKey): Fault {
  const { attempt } = login;
  const what = `refused the key of user ${attempt.hop.username}`;
  if (type !== 'ssh-rsa' || attempt.hop.algorithms === 'legacy' || !knowsOnlySha1(login)) {
    return authFault(attempt, what);
  }
  return authFault(attempt, `${what}: it knows RSA signatures with SHA-1 alone. ${LEGACY_HINT}`);
}

/** A host signs with what it can check: RSA host keys without RFC 8332 are those of hosts that do not know it. */
function knowsOnlySha1({ offers }: Login): boolean {
  const names = offers()?.host_key ?? [];
  return names.includes('ssh-rsa') && !names.some((name) => name.startsWith('rsa-sha2-'));
}
