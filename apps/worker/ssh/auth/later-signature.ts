import type { Client, ParsedKey } from 'ssh2';
import { toFault } from '#core/errors.ts';
import { authFault } from '../faults.ts';
import type { PrivateKey } from '../keys/private-keys.ts';
import type { Hash } from '../keys/signing.ts';
import type { Login } from './login.ts';

type Signed = (signature: Buffer) => void;
type SignRequest = (data: Buffer, signed: Signed) => void;

interface Protocol {
  /** Without a `sign`, asks whether the host would accept the key. */
  authPK(username: string, key: ParsedKey, algorithm: string | undefined, sign?: SignRequest): void;
}

/**
 * ssh2 signs while it handles a packet, but sends the signature whenever it is told. So the key signs without blocking
 * the event loop, and once only: ssh2 would sign for each "key accepted" of the host, as often as it says so.
 */
export function signOnce(login: Login, key: PrivateKey): void {
  const protocol = protocolOf(login.client);
  const authPK = protocol.authPK.bind(protocol);
  let has_signed = false;
  protocol.authPK = (username, offered, algorithm = offered.type, sign) => {
    if (!sign) return authPK(username, offered, algorithm);
    if (has_signed) return login.fail(authFault(login.attempt, 'asked for more than one signature'));
    has_signed = true;
    authPK(username, offered, algorithm, (data, signed) => {
      key
        .sign(data, hashOf(algorithm))
        .then((signature) => login.over.aborted || signed(signature))
        .catch((error) => login.fail(toFault(error)));
    });
  };
}

function hashOf(algorithm: string): Hash {
  if (algorithm === 'ssh-rsa') return 'sha1';
  return algorithm === 'rsa-sha2-512' ? 'sha512' : 'sha256';
}

/** Exists once the client connects; ssh2 has no other way to sign later that keeps a partial success (RFC 4252 §5.1). */
function protocolOf(client: Client): Protocol {
  return (client as unknown as { readonly _protocol: Protocol })._protocol;
}
