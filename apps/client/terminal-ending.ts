import type { Schemas } from './client.ts';

export type GatewayFrame = Schemas['TerminalGatewayFrame'];
export type ExitFrame = Extract<GatewayFrame, { type: 'exit' }>;
export type PromptFrame = Extract<GatewayFrame, { type: 'prompt' }>;
export type ErrorFrame = Extract<GatewayFrame, { type: 'error' }>;

/** Why a terminal is over. */
export type Ending =
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null }
  /** The socket broke after the shell was there. */
  | { readonly kind: 'lost' }
  /** Somebody did not want to answer what the host asked. */
  | { readonly kind: 'given_up' }
  /** No socket came about. */
  | { readonly kind: 'unreachable' }
  /** The gateway said why. */
  | { readonly kind: EndingKind; readonly error: Omit<ErrorFrame, 'type'> };

type EndingKind = 'sign_in' | 'refused' | 'unknown_server' | 'ended_by_other' | 'shutting_down' | 'failed';

export interface SocketClose {
  readonly code: number;
  readonly reason: string;
  readonly established: boolean;
  readonly exit?: ExitFrame | undefined;
  readonly error?: ErrorFrame | undefined;
}

const KINDS: Readonly<Record<number, EndingKind>> = {
  1008: 'failed',
  1011: 'failed',
  1012: 'shutting_down',
  4001: 'sign_in',
  4003: 'refused',
  4004: 'unknown_server',
  4008: 'refused',
  4009: 'ended_by_other',
  4010: 'refused',
};

/** What the end of a socket means to a person. */
export function endingOf(close: SocketClose): Ending {
  const { code, reason, exit, error, established } = close;
  if (exit) return { kind: 'exit', code: exit.code, signal: exit.signal };
  const kind = KINDS[code] ?? (error ? 'failed' : undefined);
  if (kind) return { kind, error: error ?? { code: `close_${code}`, message: reason } };
  return { kind: established ? 'lost' : 'unreachable' };
}
