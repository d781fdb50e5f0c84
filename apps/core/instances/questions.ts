import { jwtVerify, SignJWT } from 'jose';
import type { Keyring } from '../crypto/keyring.ts';
import { fromBase64, randomToken, toBase64, utf8 } from '../lib/bytes/bytes.ts';
import type { Clock } from '../ports/runtime.ts';
import { CLOCK_SKEW_S, PROOF_LIFETIME_S } from './proofs.ts';
import { createUsedProofs } from './used-proofs.ts';

const NONCE_BYTES = 12; // NIST SP 800-38D §8.2.2
const PADDED_TO = 1024; // an observer must not learn the length of a password

/** A signed question to another instance. */
export interface AskedQuestion {
  readonly signed: string;
  /** Throws unless the answer was sealed for this question. */
  open(answer: string): Promise<unknown>;
}

/** A question of another instance. */
export interface ReceivedQuestion {
  readonly about: unknown;
  seal(answer: object): Promise<string>;
}

/** Questions between instances with the same secret. Answers are sealed: instances may talk over plain http. */
export interface InstanceQuestions {
  ask(asked_run_id: string, about: object): Promise<AskedQuestion>;
  /** Undefined unless another instance signed it within the last minute for this one. Each is accepted once. */
  receive(signed: string): Promise<ReceivedQuestion | undefined>;
}

export function createInstanceQuestions(
  { questions: { signing, sealing } }: Pick<Keyring, 'questions'>,
  clock: Pick<Clock, 'now'>,
  run_id: string,
): InstanceQuestions {
  const used = createUsedProofs(clock);

  return {
    async ask(asked_run_id, about) {
      const now_ms = clock.now().getTime();
      const signed = await new SignJWT({ about })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(run_id)
        .setAudience(asked_run_id)
        .setJti(randomToken(16))
        .setIssuedAt(new Date(now_ms))
        .setExpirationTime(new Date(now_ms + PROOF_LIFETIME_S * 1000))
        .sign(signing);
      return { signed, open: (answer) => open(sealing, answer, signed) };
    },

    async receive(signed) {
      try {
        const { payload } = await jwtVerify(signed, signing, {
          algorithms: ['HS256'],
          audience: run_id,
          requiredClaims: ['iss', 'exp', 'jti'],
          maxTokenAge: PROOF_LIFETIME_S,
          clockTolerance: CLOCK_SKEW_S,
          currentDate: clock.now(),
        });
        if (!used.take(payload.jti ?? '', payload.exp ?? 0)) return undefined;
        return { about: payload['about'], seal: (answer) => seal(sealing, answer, signed) };
      } catch {
        return undefined; // not one of our instances
      }
    },
  };
}

/** The signed question is the additional data: it names both instances, is unique, and says what was asked. */
async function seal(key: CryptoKey, answer: object, signed: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const text = utf8(JSON.stringify(answer));
  const padded = new Uint8Array(Math.ceil(text.length / PADDED_TO) * PADDED_TO).fill(SPACE);
  padded.set(text);
  const how = { name: 'AES-GCM', iv, additionalData: utf8(signed) };
  const sealed = await crypto.subtle.encrypt(how, key, padded);
  return [iv, new Uint8Array(sealed)].map(toBase64).join(':');
}

const SPACE = 0x20; // JSON allows it after the value

async function open(key: CryptoKey, answer: string, signed: string): Promise<unknown> {
  const [nonce = '', ciphertext = ''] = answer.split(':');
  const how = { name: 'AES-GCM', iv: fromBase64(nonce), additionalData: utf8(signed) };
  return JSON.parse(new TextDecoder().decode(await crypto.subtle.decrypt(how, key, fromBase64(ciphertext))));
}
