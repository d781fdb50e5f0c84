import type {
  AnyAuthMethod,
  AuthHandlerMiddleware,
  KeyboardInteractiveCallback,
  ParsedKey,
  Prompt,
} from 'ssh2';
import { type Fault, toFault } from '#core/errors.ts';
import type { SshHop } from '#core/ports/ssh.ts';
import type { Attempt } from './attempt.ts';
import type { PrivateKeyReader } from './private-keys.ts';

type Refuse = (fault: Fault) => void;

export interface AuthOptions {
  readonly attempt: Attempt;
  readonly keys: PrivateKeyReader;
  readonly proved: () => Promise<void>;
  readonly refuse: Refuse;
}

/**
 * Offers the declared method and nothing else; any refusal ends the attempt with a Fault. ssh2 asks for the first time
 * after the key exchange: `proved` comes before anything is said of the user.
 */
export function createAuthHandler({ attempt, keys, proved, refuse }: AuthOptions): AuthHandlerMiddleware {
  const nextMethod =
    attempt.hop.auth.method === 'key' ? offerKey(attempt, keys) : offerPassword(attempt, refuse);
  return (methods_left, partial_success, next) => {
    proved()
      .then(() => nextMethod(methods_left ?? [], partial_success === true))
      .then((method) => attempt.signal.aborted || next(method))
      .catch((error) => refuse(toFault(error)));
  };
}

/** Each call names the next thing to offer, or throws the Fault that ends the attempt. */
type NextMethod = (
  methods_left: readonly string[],
  partial_success: boolean,
) => AnyAuthMethod | Promise<AnyAuthMethod>;

function offerKey(attempt: Attempt, keys: PrivateKeyReader): NextMethod {
  let offered = false;
  return async (_methods_left, partial_success) => {
    if (partial_success) throw furtherStep(attempt, 'the key');
    if (offered) throw refusal(attempt, `refused the key of user ${attempt.hop.username}`);
    offered = true;
    return { type: 'publickey', username: attempt.hop.username, key: await parsedKey(attempt, keys) };
  };
}

async function parsedKey(attempt: Attempt, keys: PrivateKeyReader): Promise<ParsedKey> {
  const { auth } = attempt.hop;
  if (auth.method !== 'key') throw refusal(attempt, 'has no private key stored for it');
  try {
    return await keys.read(auth.private_key, auth.passphrase);
  } catch (error) {
    const { code, detail } = toFault(error);
    throw attempt.fault(code, detail, error);
  }
}

/** `none` first, as OpenSSH does, to learn whether the host takes the password plainly or by prompt. */
function offerPassword(attempt: Attempt, refuse: Refuse): NextMethod {
  const { username, auth } = attempt.hop;
  const password = auth.method === 'password' ? auth.password : '';
  let step: 'ask' | 'offer' | 'offered' = 'ask';
  return (methods_left, partial_success) => {
    if (partial_success) throw furtherStep(attempt, 'the password');
    if (step === 'offered') throw refusal(attempt, `refused the password of user ${username}`);
    step = step === 'ask' ? 'offer' : 'offered';
    if (step === 'offer') return { type: 'none', username };
    if (methods_left.includes('password')) return { type: 'password', username, password };
    if (!methods_left.includes('keyboard-interactive')) throw noPasswords(attempt, methods_left);
    return { type: 'keyboard-interactive', username, prompt: answerOnce(attempt, password, refuse) };
  };
}

function noPasswords(attempt: Attempt, offered: readonly string[]): Fault {
  return refusal(attempt, `does not accept passwords (it offers ${offered.join(', ') || 'nothing'})`);
}

function answerOnce(attempt: Attempt, password: string, refuse: Refuse) {
  let rounds = 0;
  return (
    _name: string,
    _instructions: string,
    _language: string,
    prompts: Prompt[],
    finish: KeyboardInteractiveCallback,
  ) => {
    rounds += 1;
    const [only] = prompts;
    if (rounds > 1 || prompts.length !== 1 || only?.echo) {
      return refuse(refusal(attempt, 'asks for more than a password, which nobody is there to answer'));
    }
    finish([password]);
  };
}

export function expiredPassword(attempt: Attempt): Fault {
  return refusal(attempt, `wants user ${attempt.hop.username} to choose a new password first`);
}

function furtherStep(attempt: Attempt, accepted: string): Fault {
  return refusal(attempt, `accepted ${accepted} of user ${attempt.hop.username} but asks for a further step`);
}

function refusal(attempt: Attempt, what: string): Fault {
  return attempt.fault('host_auth_failed', `${attempt.address} ${what}`);
}

export function acceptedBy(hop: SshHop): string {
  return `User ${hop.username} accepted by ${hop.auth.method}`;
}
