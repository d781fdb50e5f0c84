import type { AuditTrail } from '../audit/trail.ts';
import { Fault, invalidField } from '../errors.ts';
import { createKeyedLimiter } from '../lib/concurrency/limiter.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { Fresh, StepUpInput, UserRow } from '../model/accounts/user.ts';
import { assertMay } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import { byProof, needsSecondFactor, type Proof } from './proofs/proof.ts';
import type { SecondProof, SignInProofs } from './proofs/sign-in-proofs.ts';
import type { Origin, WebSessions } from './web-sessions.ts';

const AT_ONCE = 2; // per user: attempts count before they are checked

/** Makes the caller's session fresh again after the same proofs as a sign-in. */
export interface StepUp {
  prove(caller: Caller, input: StepUpInput, origin: Origin): Promise<Fresh>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly proofs: SignInProofs;
  readonly web_sessions: Pick<WebSessions, 'refresh'>;
  readonly trail: AuditTrail;
}

export function createStepUp({ repositories, proofs, web_sessions, trail }: Deps): StepUp {
  const limited = createKeyedLimiter(AT_ONCE);

  async function whoProves(caller: Caller, proof: Proof, origin: Origin): Promise<UserRow> {
    const user = await proofs.check(proof, origin);
    if (user.id !== caller.user_id) throw new Fault('invalid_credentials'); // the directory gave the name to someone else
    return user;
  }

  async function refresh(caller: Caller, second: SecondProof | undefined): Promise<Fresh> {
    // An ended session: the password was reset while the old one was being checked.
    const fresh_until = await web_sessions.refresh(String(caller.credential.id));
    if (fresh_until === undefined) throw new Fault('invalid_token');
    if (second === 'recovery_code') await trail.record(caller, 'recovery_code_use', '');
    await trail.record(caller, 'step_up', second ? 'with a second factor' : '');
    return { fresh_until };
  }

  function proveNow(caller: Caller, proof: Proof, origin: Origin): Promise<Fresh> {
    return proofs.counted(caller.username, origin, async (attempt) => {
      const user = await whoProves(caller, proof, origin);
      const code = codeFor(user, proof);
      const second = code === undefined ? undefined : await proofs.secondFactor(user, code, origin);
      await attempt.succeeded(user.username);
      return refresh(caller, second);
    });
  }

  return {
    async prove(caller, input, origin) {
      assertMay(caller, 'change_own_sessions');
      const proof = toProof(caller, input);
      const user = await repositories.users.byId(caller.user_id);
      // Before the proof is checked: a request that cannot succeed must not tell whether it is right.
      if (user) codeFor(user, proof);
      return limited(String(caller.user_id), () => proveNow(caller, proof, origin));
    },
  };
}

function toProof({ username }: Caller, { password, totp_code }: StepUpInput): Proof {
  return { kind: 'password', username, password: required('password', password), totp_code };
}

/** The code that the account's second factor needs beside the proof; undefined when it needs none. */
function codeFor(user: UserRow, proof: Proof): string | undefined {
  if (!needsSecondFactor(proof, user)) return undefined;
  return byProof(proof, { password: ({ totp_code }) => required('totp_code', totp_code) });
}

function required(path: keyof StepUpInput, value: string | undefined): string {
  if (value !== undefined) return value;
  throw invalidField(path, 'Required', `${path}: Required`);
}
