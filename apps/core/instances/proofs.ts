import { jwtVerify, SignJWT } from 'jose';
import type { Keyring } from '../crypto/keyring.ts';
import type { InstanceRow } from '../model/terminal.ts';

type Address = Pick<InstanceRow, 'run_id' | 'url'>;

/** Write access to the database alone must not be enough to receive the tokens of relayed callers. */
export interface InstanceProofs {
  sign(address: Address): Promise<string>;
  holds(address: Address & Pick<InstanceRow, 'proof'>): Promise<boolean>;
}

const AUDIENCE = 'instance';

export function createInstanceProofs({ forward }: Keyring): InstanceProofs {
  return {
    sign: ({ run_id, url }) =>
      new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(AUDIENCE)
        .setSubject(url)
        .setJti(run_id)
        .sign(forward),

    async holds({ run_id, url, proof }) {
      try {
        const options = { algorithms: ['HS256'], audience: AUDIENCE, subject: url };
        return (await jwtVerify(proof, forward, options)).payload.jti === run_id;
      } catch {
        return false; // not signed with our secret
      }
    },
  };
}
