import type { AnyAuthMethod } from 'ssh2';
import type { Fault } from '#core/errors.ts';
import type { KexInit } from '../algorithms/kexinit.ts';
import type { Attempt } from '../attempt.ts';
import type { PrivateKeyReader } from '../keys/private-keys.ts';
import type { AskPerson } from './ask-person.ts';

export interface Login {
  readonly attempt: Attempt;
  readonly keys: PrivateKeyReader;
  /** Undefined where nobody can be asked. */
  readonly ask: AskPerson | undefined;
  readonly offers: () => KexInit | undefined;
  fail(fault: Fault): void;
  /** Once it does, ssh2 must not be given anything any more. */
  readonly over: AbortSignal;
}

/** Each call names the next thing to offer, or throws the Fault that ends the attempt. */
export type NextMethod = (methods_left: readonly string[]) => AnyAuthMethod | Promise<AnyAuthMethod>;
