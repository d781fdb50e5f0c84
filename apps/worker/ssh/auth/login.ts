import type { AnyAuthMethod, Client } from 'ssh2';
import type { Fault } from '#core/errors.ts';
import type { KexInit } from '../algorithms/kexinit.ts';
import type { Attempt } from '../attempt.ts';
import type { PrivateKeyReader } from '../keys/private-keys.ts';
import type { AskPerson } from './ask-person.ts';

export interface Login {
  readonly client: Client;
  readonly attempt: Attempt;
  readonly keys: PrivateKeyReader;
  /** Undefined if there is nobody to ask. */
  readonly ask: AskPerson | undefined;
  readonly offers: () => KexInit | undefined;
  /** The signature algorithms that the host says it accepts from users (RFC 8308 §3.1). */
  readonly signatures: () => readonly string[] | undefined;
  fail(fault: Fault): void;
  /** Once aborted, ssh2 must not be called any more. */
  readonly over: AbortSignal;
}

/** Each call returns the next method to offer, or throws the Fault that ends the attempt. */
export type NextMethod = (methods_left: readonly string[]) => AnyAuthMethod | Promise<AnyAuthMethod>;
