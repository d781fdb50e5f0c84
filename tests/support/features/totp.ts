import { Secret, TOTP } from 'otpauth';
import { onTestFinished, vi } from 'vitest';
import type { Actor } from '../gateway/gateway.ts';

const PERIOD_MS = 30_000;

export interface Enrolled {
  readonly secret: string;
  readonly recovery_codes: readonly string[];
  /** A code that was not used yet: later by one time step each time, at most one ahead of the clock. */
  nextCode(): string;
}

const stepOf = (at_ms: number) => Math.floor(at_ms / PERIOD_MS);

/** The six digits of a moment. */
export function codeAt(secret: string, at_ms = Date.now()): string {
  return new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30, algorithm: 'SHA1' }).generate({
    timestamp: at_ms,
  });
}

/** Holds the clock in the middle of a time step: none ends between a code and its use. Timers run on. */
export function standStill(): void {
  const middle = Math.floor(Date.now() / PERIOD_MS) * PERIOD_MS + PERIOD_MS / 2;
  vi.useFakeTimers({ toFake: ['Date'], now: middle });
  onTestFinished(() => void vi.useRealTimers());
}

/** Switches two-factor on, with the code of the step before this one, so that two later ones can still be used. */
export async function enrol(actor: Actor): Promise<Enrolled> {
  const { body } = await actor.call<{ secret: string }>('POST', '/api/auth/totp/setup');
  const confirm = (code: string) =>
    actor.call<{ recovery_codes: string[] }>('POST', '/api/auth/totp/verify', { code });
  let at_ms = Date.now() - PERIOD_MS;
  let answer = await confirm(codeAt(body.secret, at_ms));
  if (answer.status !== 200 && stepOf(Date.now()) > stepOf(at_ms) + 1) {
    at_ms = Date.now() - PERIOD_MS; // the step had ended on the way
    answer = await confirm(codeAt(body.secret, at_ms));
  }
  if (answer.status !== 200) throw new Error(`Not enrolled: ${JSON.stringify(answer.body)}`);
  return {
    secret: body.secret,
    recovery_codes: answer.body.recovery_codes,
    nextCode() {
      at_ms += PERIOD_MS;
      return codeAt(body.secret, at_ms);
    },
  };
}
