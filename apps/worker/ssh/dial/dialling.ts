import type { Clock } from '#core/ports/runtime.ts';
import type { Ask, HostKeys } from '#core/ports/ssh.ts';
import type { HostLookup } from '../../names/host-lookup.ts';
import type { DialWatch } from '../attempt.ts';
import type { Connection } from '../connection.ts';
import type { PrivateKeyReader } from '../keys/private-keys.ts';
import type { AcquireSlot } from './handshake-slot.ts';
import type { Turns } from './turns.ts';

export interface DialOptions {
  readonly signal?: AbortSignal | undefined;
  readonly watch?: DialWatch;
  /** Answers servers' questions; without it, a server that asks refuses the login. */
  readonly ask?: Ask;
  /** How far the last hop is dialled: with `host_key` nothing about the user is sent, and the connection can only be closed. */
  readonly until?: 'host_key' | 'auth';
  /** Dials through this connection's destination instead of directly. */
  readonly over?: Connection | undefined;
  /** Replaces the default for each hop. */
  readonly timeout_ms?: number;
  /** Replaces those of the dialler. */
  readonly host_keys?: HostKeys;
  readonly acquireSlot?: AcquireSlot;
}

export interface DiallerOptions {
  readonly host_keys: HostKeys;
  readonly keys: PrivateKeyReader;
  readonly lookup: HostLookup;
  /** For each hop, from name resolution to the end of authentication, not counting the time a person takes to answer. */
  readonly connect_timeout_ms: number;
  readonly clock: Clock;
}

export interface Dialling extends DiallerOptions, Omit<DialOptions, 'host_keys'> {
  readonly signal: AbortSignal;
  readonly turns: Turns;
}
