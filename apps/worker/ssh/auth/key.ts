import type { ParsedKey } from 'ssh2';
import { Fault, toFault } from '#core/errors.ts';
import type { SshAuth } from '#core/ports/ssh.ts';
import { authFault } from '../faults.ts';
import type { PrivateKey } from '../keys/private-keys.ts';
import { signOnce } from './later-signature.ts';
import type { Login, NextMethod } from './login.ts';

type KeyAuth = Extract<SshAuth, { method: 'key' }>;

/** Offers the stored key once. */
export function offerKey(login: Login, auth: KeyAuth): NextMethod {
  const { username } = login.attempt.hop;
  let offered: ParsedKey | undefined;
  return async () => {
    if (offered) throw keyRefused(login, offered);
    const key = await readKey(login, auth);
    offered = key.parsed;
    const named = namedKey(login, offered);
    signOnce(login, key);
    return { type: 'publickey', username, key: named };
  };
}

async function readKey({ attempt, keys, over }: Login, auth: KeyAuth): Promise<PrivateKey> {
  try {
    return await keys.read(auth.private_key, auth.passphrase, { user_id: attempt.user_id, signal: over });
  } catch (error) {
    const { code, detail, options } = toFault(error);
    throw new Fault(code, detail, { ...options, ...attempt.fault(code, detail, error).options });
  }
}

/**
 * By default, ssh2 signs with SHA-1 for hosts that do not announce what they accept (RFC 8308 §3.1). Naming the
 * signature algorithm as the key type makes ssh2 offer an RSA key with that algorithm only.
 */
function namedKey({ attempt }: Login, key: ParsedKey): ParsedKey {
  if (key.type !== 'ssh-rsa' || attempt.hop.algorithms === 'legacy') return key;
  return Object.create(key, { type: { value: 'rsa-sha2-256' } });
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
