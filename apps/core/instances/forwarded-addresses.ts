import { jwtVerify, SignJWT } from 'jose';
import type { Keyring } from '../crypto/keyring.ts';
import { digest, randomToken } from '../lib/bytes/bytes.ts';
import type { Clock } from '../ports/runtime.ts';
import { CLOCK_SKEW_S, PROOF_LIFETIME_S } from './proofs.ts';
import { createUsedProofs } from './used-proofs.ts';

/** The audience of what an edge forwards: it knows the address of its worker, not its run. */
export const ANY_WORKER = 'worker';

/** The request that carries a proof. */
export interface ProvenRequest {
  readonly method: string;
  /** Without the path prefix of an instance, with the query. */
  readonly path: string;
  /** The headers that name the caller, or an empty string. */
  readonly authorization: string;
}

/** Where a forwarded request came from. */
export interface Sender {
  readonly ip_address: string;
  /** The host that the browser asked for, from an edge, which browsers know by another name than its worker. */
  readonly host?: string | undefined;
}

/** Carries a caller's address to another instance, so that audit entries and rate limits name the caller. */
export interface ForwardedAddresses {
  /** `audience` is the run that the request is sent to, by default `ANY_WORKER`. */
  sign(sender: Sender, request: ProvenRequest, audience?: string): Promise<string>;
  /**
   * Undefined unless another instance with the same secret signed it within the last minute, for this instance and this
   * request. Each proof is accepted once.
   */
  verify(signed: string, request: ProvenRequest): Promise<Sender | undefined>;
}

/** `audiences`: the names under which this instance is addressed. */
export function createForwardedAddresses(
  { forward }: Pick<Keyring, 'forward'>,
  clock: Clock,
  audiences: readonly string[],
): ForwardedAddresses {
  const used = createUsedProofs(clock);
  return {
    async sign({ ip_address, host }, request, audience = ANY_WORKER) {
      const now_ms = clock.now().getTime();
      return new SignJWT({ req: await digestOf(request), ...(host === undefined ? {} : { host }) })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject(ip_address)
        .setAudience(audience)
        .setJti(randomToken(16))
        .setIssuedAt(new Date(now_ms))
        .setExpirationTime(new Date(now_ms + PROOF_LIFETIME_S * 1000))
        .sign(forward);
    },

    async verify(signed, request) {
      if (audiences.length === 0) return undefined;
      try {
        const { payload } = await jwtVerify(signed, forward, {
          algorithms: ['HS256'],
          audience: [...audiences],
          requiredClaims: ['sub', 'exp', 'jti'],
          maxTokenAge: PROOF_LIFETIME_S,
          clockTolerance: CLOCK_SKEW_S,
          currentDate: clock.now(),
        });
        if (payload['req'] !== (await digestOf(request))) return undefined;
        if (!used.take(payload.jti ?? '', payload.exp ?? 0)) return undefined;
        const { sub: ip_address = '', host } = payload;
        return typeof host === 'string' ? { ip_address, host } : { ip_address };
      } catch {
        return undefined; // not one of our instances
      }
    },
  };
}

function digestOf({ method, path, authorization }: ProvenRequest): Promise<string> {
  return digest(JSON.stringify([method, path, authorization]));
}
