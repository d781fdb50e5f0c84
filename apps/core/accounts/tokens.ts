import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../ports/runtime.ts';

export const SESSION_LIFETIME_S = 24 * 60 * 60;
export const PENDING_LIFETIME_S = 2 * 60;

const Claims = z.object({
  sub: z.string().regex(/^[1-9]\d{0,9}$/),
  jti: z.string(),
  typ: z.enum(['session', 'pending_2fa', 'embedded']),
});

export interface TokenClaims {
  readonly user_id: number;
  readonly jti: string;
  /** `embedded` is a session too; versions that know no bounds refuse its token. */
  readonly typ: 'session' | 'pending_2fa' | 'embedded';
}

export interface Tokens {
  sign(claims: TokenClaims, expires_at: Date): Promise<string>;
  /** Undefined unless the token is ours and still valid. */
  verify(token: string): Promise<TokenClaims | undefined>;
}

export function createTokens({ signing }: Keyring, clock: Clock): Tokens {
  return {
    sign: ({ user_id, jti, typ }, expires_at) =>
      new SignJWT({ typ, ...(typ === 'pending_2fa' ? { pending_2fa: true } : {}) })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(String(user_id))
        .setJti(jti)
        .setIssuedAt(clock.now())
        .setExpirationTime(expires_at)
        .sign(signing),

    async verify(token) {
      const payload = await payloadOf(token, signing, clock.now());
      const claims = Claims.safeParse(payload);
      if (!claims.success) return undefined;
      return { user_id: Number(claims.data.sub), jti: claims.data.jti, typ: claims.data.typ };
    },
  };
}

async function payloadOf(token: string, key: CryptoKey, now: Date): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      requiredClaims: ['sub', 'jti', 'iat', 'exp', 'typ'],
      currentDate: now,
    });
    return payload;
  } catch {
    return undefined; // forged, expired or malformed: the caller does not distinguish
  }
}
