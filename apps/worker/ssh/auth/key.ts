import type { ParsedKey } from 'ssh2';
import { type Fault, toFault } from '#core/errors.ts';
import type { SshAuth } from '#core/ports/ssh.ts';
import { authFault } from '../faults.ts';
import type { Login, NextMethod } from './login.ts';

type KeyAuth = Extract<SshAuth, { method: 'key' }>;

/** Offers the stored key once. */
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
 * By default, ssh2 signs with SHA-1 for hosts that do not announce what they accept (RFC 8308 §3.1). Naming the
 * signature algorithm as the key type makes ssh2 offer an RSA key with that algorithm only.
 */
function signingKey({ attempt }: Login, key: ParsedKey): ParsedKey {
  if (attempt.hop.algorithms === 'legacy') return key;
  if (key.type === 'ssh-dss')
    throw authFault(attempt, `was not offered the key, because DSA signs with SHA-1. ${LEGACY_HINT}`);
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
  return authFault(attempt, `${what}: it only supports RSA signatures with SHA-1. ${LEGACY_HINT}`);
}

/** A host that offers RSA host keys only with SHA-1 does not know RFC 8332 for user keys either. */
function knowsOnlySha1({ offers }: Login): boolean {
  const names = offers()?.host_key ?? [];
  return names.includes('ssh-rsa') && !names.some((name) => name.startsWith('rsa-sha2-'));
}
