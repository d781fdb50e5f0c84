import { jwtVerify, SignJWT } from 'jose';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../ports/runtime.ts';

const LIFETIME_S = 60;

/** Carries a caller's address from an edge to its worker, so that audit entries and rate limits name the caller. */
export interface ForwardedAddresses {
  sign(ip_address: string): Promise<string>;
  /** Undefined unless an edge with the same secret signed it within the last minute. */
  verify(signed: string): Promise<string | undefined>;
}

export function createForwardedAddresses({ forward }: Keyring, clock: Clock): ForwardedAddresses {
  return {
    sign: (ip_address) =>
      new SignJWT()
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject(ip_address)
        .setExpirationTime(new Date(clock.now().getTime() + LIFETIME_S * 1000))
        .sign(forward),

    async verify(signed) {
      try {
        const options = { algorithms: ['HS256'], requiredClaims: ['sub', 'exp'], currentDate: clock.now() };
        return (await jwtVerify(signed, forward, options)).payload.sub;
      } catch {
        return undefined; // not one of our edges
      }
    },
  };
}
