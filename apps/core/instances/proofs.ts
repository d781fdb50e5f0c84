import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import type { Keyring } from '../crypto/keyring.ts';
import type { InstanceRow } from '../model/terminal.ts';
import type { Clock } from '../ports/runtime.ts';

type Address = Pick<InstanceRow, 'run_id' | 'url'>;

/** Write access to the database alone must not be enough to receive the tokens of relayed callers. */
export interface InstanceProofs {
  /** Valid for a minute: signed again with each heartbeat. */
  sign(address: Address): Promise<string>;
  holds(address: Address & Pick<InstanceRow, 'proof'>): Promise<boolean>;
  /** Like `holds`, for a proof that may have expired. */
  isSigned(address: Address & Pick<InstanceRow, 'proof'>): Promise<boolean>;
}

export const PROOF_LIFETIME_S = 60;
export const CLOCK_SKEW_S = 30; // between the clocks of two instances

const AUDIENCE = 'instance';

export function createInstanceProofs(
  { instances }: Pick<Keyring, 'instances'>,
  clock: Pick<Clock, 'now'>,
): InstanceProofs {
  async function isValid(
    { run_id, url, proof }: Address & Pick<InstanceRow, 'proof'>,
    at: (proof: string) => Date,
  ): Promise<boolean> {
    try {
      const { payload } = await jwtVerify(proof, instances, {
        algorithms: ['HS256'],
        audience: AUDIENCE,
        subject: url,
        requiredClaims: ['exp'],
        maxTokenAge: PROOF_LIFETIME_S,
        clockTolerance: CLOCK_SKEW_S,
        currentDate: at(proof),
      });
      return payload.jti === run_id;
    } catch {
      return false; // not signed with our secret, or too old
    }
  }

  return {
    sign({ run_id, url }) {
      const now_ms = clock.now().getTime();
      return new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(AUDIENCE)
        .setSubject(url)
        .setJti(run_id)
        .setIssuedAt(new Date(now_ms))
        .setExpirationTime(new Date(now_ms + PROOF_LIFETIME_S * 1000))
        .sign(instances);
    },

    holds: (address) => isValid(address, () => clock.now()),
    isSigned: (address) => isValid(address, (proof) => new Date((decodeJwt(proof).iat ?? 0) * 1000)),
  };
}
