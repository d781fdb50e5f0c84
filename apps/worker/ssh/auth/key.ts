import type { AnyAuthMethod, ParsedKey } from 'ssh2';
import { Fault, toFault } from '#core/errors.ts';
import type { StoredKey } from '#core/ports/ssh.ts';
import { authFault } from '../faults.ts';
import type { PrivateKey } from '../keys/private-keys.ts';
import { createLaterSignature, type LaterSignature } from './later-signature.ts';
import type { Login, NextMethod } from './login.ts';

const RSA = ['rsa-sha2-512', 'rsa-sha2-256'] as const; // RFC 8332
const RSA_WITH_SHA1 = 'ssh-rsa';

/** The stored key, offered once with each algorithm that it can sign with. */
export interface KeyOffers {
  isUsed(): boolean;
  /** Undefined when nothing is left. */
  next(): Promise<AnyAuthMethod | undefined>;
  refused(): Fault;
}

export function createKeyOffers(login: Login, username: string, stored: StoredKey): KeyOffers {
  let later: LaterSignature | undefined;
  let key: PrivateKey | undefined;
  let algorithms: string[] = [];
  return {
    isUsed: () => key !== undefined,
    async next() {
      if (!key) {
        key = await readKey(login, stored);
        algorithms = algorithmsFor(login, key.parsed);
        later = createLaterSignature(login);
      }
      const algorithm = algorithms.shift();
      if (algorithm === undefined) return undefined;
      later?.expect(key, algorithm);
      return { type: 'publickey', username, key: named(key.parsed, algorithm) };
    },
    refused: () => keyRefused(login, username, key?.parsed.type),
  };
}

/** Offers the key until the host accepts it, or asks for something else. */
export function offerKey(key: KeyOffers): NextMethod {
  let is_first = true;
  return async (methods_left) => {
    const may_ask = is_first || methods_left.includes('publickey');
    is_first = false;
    const offer = may_ask ? await key.next() : undefined;
    if (offer) return offer;
    throw key.refused();
  };
}

async function readKey({ attempt, keys, over }: Login, stored: StoredKey): Promise<PrivateKey> {
  try {
    return await keys.read(stored.private_key, stored.passphrase, { user_id: attempt.user_id, signal: over });
  } catch (error) {
    const { code, detail, options } = toFault(error);
    throw new Fault(code, detail, { ...options, ...attempt.fault(code, detail, error).options });
  }
}

/** Hosts accept either algorithm of RSA or both, whatever they announce; what they leave out, they do not accept. */
function algorithmsFor({ attempt, signatures }: Login, { type }: ParsedKey): string[] {
  if (type !== RSA_WITH_SHA1) return [type];
  const all = attempt.hop.algorithms === 'legacy' ? [...RSA, RSA_WITH_SHA1] : [...RSA];
  const announced = signatures();
  return announced ? all.filter((name) => announced.includes(name)) : all;
}

/** Naming the algorithm as the type of the key makes ssh2 offer it with this one only. */
function named(key: ParsedKey, algorithm: string): ParsedKey {
  return algorithm === key.type ? key : Object.create(key, { type: { value: algorithm } });
}

const LEGACY_HINT = `Setting the server's algorithms to "legacy" would allow it`;

function keyRefused(login: Login, username: string, type: string | undefined): Fault {
  const { attempt, signatures } = login;
  const what = `refused the key of user ${username}`;
  if (type !== RSA_WITH_SHA1) return authFault(attempt, what);
  if (attempt.hop.algorithms !== 'legacy' && knowsOnlySha1(login)) {
    return authFault(attempt, `${what}: it only supports RSA signatures with SHA-1. ${LEGACY_HINT}`);
  }
  const takes_rsa = signatures()?.some((name) => name === RSA_WITH_SHA1 || isSha2(name)) ?? true;
  return authFault(attempt, takes_rsa ? what : `${what}: it accepts no RSA keys`);
}

/** A host that offers RSA host keys only with SHA-1 does not know RFC 8332 for user keys either. */
function knowsOnlySha1({ offers, signatures }: Login): boolean {
  const names = signatures() ?? offers()?.host_key ?? [];
  return names.includes(RSA_WITH_SHA1) && !names.some(isSha2);
}

function isSha2(name: string): boolean {
  return name.startsWith('rsa-sha2-');
}
