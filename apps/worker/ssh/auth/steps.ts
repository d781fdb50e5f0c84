import type { AnyAuthMethod } from 'ssh2';
import type { Fault } from '#core/errors.ts';
import { authFault } from '../faults.ts';
import type { KeyOffers } from './key.ts';
import { type Dialogue, startDialogue } from './keyboard-interactive.ts';
import type { Login, NextMethod } from './login.ts';
import { type OneUse, typedPassword } from './one-use.ts';
import { askPassword } from './typed-credentials.ts';

const MAX_TRIES = 3; // as in OpenSSH's client

/** What there is to answer a host with, until it accepts or goes on with partial success. */
export interface Answers {
  readonly username: string;
  readonly password: OneUse;
  readonly key?: KeyOffers | undefined;
  /** Whether a person may type a password for the method `password`. */
  readonly can_type: boolean;
  /** What the host does when it asks and nobody is there to answer; follows its address. */
  readonly unanswerable: (methods_left: readonly string[]) => string;
  /** The Fault when the host offers nothing that fits. */
  readonly unfit: (methods_left: readonly string[]) => Fault;
}

type Sent = 'key' | 'password' | Dialogue;

/** Offers the key, then the password, and three times what a person answers. */
export function createSteps(login: Login, answers: Answers): NextMethod {
  const { username, key, unfit } = answers;
  let { password } = answers;
  let sent: Sent | undefined;
  let refusal: Fault | undefined;
  let tries = 0;
  let is_silent = false; // the host refuses keyboard-interactive without a question

  async function retype(what: string): Promise<void> {
    if (!login.ask) return;
    const said = `${login.attempt.hop.name} ${what} the password of user ${username}.`;
    password = typedPassword(await askPassword(login.ask, said));
  }

  /** Throws if nothing may be sent after this refusal. */
  async function refused(what: Refused): Promise<void> {
    if (what === 'silently') is_silent = true;
    else refusal = what === 'key' ? key?.refused() : refusalOf(login, username, what);
    if (what !== 'password' && what !== 'answers') return;
    if (what === 'answers' || password.is_typed) tries += 1;
    else throw refusal; // a stored password is never sent again
    if (tries === MAX_TRIES) throw refusal;
    if (what === 'password') await retype('refused');
  }

  function converse(methods_left: readonly string[]): AnyAuthMethod {
    const unanswerable = answers.unanswerable(methods_left);
    const dialogue = startDialogue(login, { username, password, unanswerable });
    sent = dialogue;
    return dialogue.method;
  }

  async function sendPassword(): Promise<AnyAuthMethod | undefined> {
    if (!password.isLeft() && answers.can_type) await retype('asks for');
    if (!password.isLeft()) return undefined;
    sent = 'password';
    return { type: 'password', username, password: password.take() };
  }

  async function sendKey(): Promise<AnyAuthMethod | undefined> {
    const offer = await key?.next();
    if (offer) sent = 'key';
    return offer;
  }

  const send = { key: sendKey, password: sendPassword, dialogue: converse };

  return async (methods_left) => {
    const last = sent;
    sent = undefined;
    if (last) await refused(refusedIn(last));
    for (const means of login.ask ? WITH_PERSON : WITHOUT_PERSON) {
      const is_offered = methods_left.includes(METHODS[means]) && !(means === 'dialogue' && is_silent);
      if (!is_offered) continue;
      const method = await send[means](methods_left);
      if (method) return method;
    }
    throw refusal ?? unfit(methods_left);
  };
}

type Refused = 'key' | 'password' | 'answers' | 'silently';

function refusedIn(sent: Sent): Refused {
  if (sent === 'key' || sent === 'password') return sent;
  const by = sent.answeredBy();
  if (by === 'nobody') return 'silently';
  return by === 'password' ? 'password' : 'answers';
}

const METHODS = { key: 'publickey', password: 'password', dialogue: 'keyboard-interactive' } as const;
type Means = keyof typeof METHODS;

/**
 * If a person answers, keyboard-interactive comes before the method `password`, as in OpenSSH: hosts with a second factor often
 * offer both, and take the password for the code in the other.
 */
const WITH_PERSON: readonly Means[] = ['key', 'dialogue', 'password'];
const WITHOUT_PERSON: readonly Means[] = ['key', 'password', 'dialogue'];

function refusalOf({ attempt }: Login, username: string, what: 'password' | 'answers'): Fault {
  if (what === 'password') return authFault(attempt, `refused the password of user ${username}`);
  return authFault(attempt, `did not accept the answers of user ${username}`);
}
