import { toFault } from '#core/errors.ts';
import { authFault } from '../faults.ts';
import { onPublicKeyRequest } from '../internals/public-key-requests.ts';
import type { PrivateKey } from '../keys/private-keys.ts';
import type { Hash } from '../keys/signing.ts';
import type { Login } from './login.ts';

export interface LaterSignature {
  /** Call it before each offer of a key. */
  expect(key: PrivateKey, algorithm: string): void;
}

interface Offer {
  readonly key: PrivateKey;
  readonly algorithm: string;
  has_signed: boolean;
}

/**
 * ssh2 signs while it handles a packet, but sends the signature whenever it is told. So the key signs without blocking
 * the event loop, and once for each offer: ssh2 would sign for each "key accepted" of the host, as often as it says so.
 */
export function createLaterSignature(login: Login): LaterSignature {
  let current: Offer | undefined;
  onPublicKeyRequest(login.client, ({ is_signed, send }) => {
    const offer = current;
    if (!offer) return login.fail(authFault(login.attempt, 'asked for a key that was not offered'));
    const { key, algorithm } = offer;
    if (!is_signed) return send(algorithm);
    if (offer.has_signed) return login.fail(authFault(login.attempt, 'asked for more than one signature'));
    offer.has_signed = true;
    send(algorithm, (data, signed) => {
      key
        .sign(data, hashOf(algorithm))
        .then((signature) => {
          if (!login.over.aborted && offer === current) signed(signature);
        })
        .catch((error) => login.fail(toFault(error)));
    });
  });
  return {
    expect(key, algorithm) {
      current = { key, algorithm, has_signed: false };
    },
  };
}

function hashOf(algorithm: string): Hash {
  if (algorithm === 'ssh-rsa') return 'sha1';
  return algorithm === 'rsa-sha2-512' ? 'sha512' : 'sha256';
}
