import type { Schemas } from '../client.ts';
import { ClientError } from '../transport/client-error.ts';

export type GatewayFrame = Schemas['TerminalGatewayFrame'];
export type ExitFrame = Extract<GatewayFrame, { type: 'exit' }>;
export type PromptFrame = Extract<GatewayFrame, { type: 'prompt' }>;
export type ErrorFrame = Extract<GatewayFrame, { type: 'error' }>;
export type LinkError = Omit<ErrorFrame, 'type'>;

/** Why a terminal ended. */
export type Ending =
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null }
  /** The shell ended while nobody was connected. */
  | { readonly kind: 'lost' }
  /** The user declined to answer a prompt. */
  | { readonly kind: 'given_up' }
  /** No socket could be opened. */
  | { readonly kind: 'unreachable' }
  /** The gateway said why. */
  | { readonly kind: EndingKind; readonly error: LinkError };

type EndingKind =
  /** Requests reach the gateway, sockets do not. */
  | 'proxy'
  | 'sign_in'
  | 'refused'
  | 'unknown'
  | 'taken_over'
  | 'share_ended'
  | 'ended_by_other'
  | 'idle_timeout'
  | 'shutting_down'
  | 'failed';

/** What a closed socket means: the terminal has ended, or it reconnects. */
export type Outcome =
  | { readonly kind: 'over'; readonly ending: Ending }
  | { readonly kind: 'drop'; readonly error?: LinkError | undefined };

export interface SocketClose {
  readonly code: number;
  readonly reason: string;
  /** Whether the shell has been reached by this socket or an earlier one. */
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
  4004: 'unknown',
  4008: 'refused',
  4009: 'ended_by_other',
  4010: 'idle_timeout',
  4011: 'failed',
};

const KINDS_BY_ERROR: Readonly<Record<string, EndingKind>> = {
  terminal_taken_over: 'taken_over',
  terminal_in_use: 'taken_over',
  share_ended: 'share_ended',
  not_session_owner: 'refused',
};

// Without an exit frame the shell still runs: the network, a proxy or its instance failed.
const DROPS: ReadonlySet<number> = new Set([1000, 1001, 1005, 1006, 1013, 1014, 1015]);

// The terminal keeps running, and another process takes it over.
const CONTINUED: ReadonlySet<string> = new Set(['relay_stopped', 'gateway_restarting']);

export function outcomeOf(close: SocketClose): Outcome {
  const { code, reason, exit, error, established } = close;
  if (exit) return over({ kind: 'exit', code: exit.code, signal: exit.signal });
  if (established && (DROPS.has(code) || CONTINUED.has(error?.code ?? ''))) return { kind: 'drop', error };
  const kind = KINDS_BY_ERROR[error?.code ?? ''] ?? KINDS[code] ?? (error ? 'failed' : undefined);
  if (kind === undefined) return over({ kind: 'unreachable' });
  const reported = error ?? { code: `close_${code}`, message: reason };
  if (kind === 'unknown' && established)
    return over(
      reported.code === 'share_not_found' ? { kind: 'share_ended', error: reported } : { kind: 'lost' },
    );
  return over({ kind, error: reported });
}

/** What it means that a socket could not be opened. */
export function outcomeOfRefusal(refusal: unknown, established: boolean): Outcome {
  const failed = refusal instanceof ClientError ? refusal : undefined;
  const error = failed && failed.status > 0 ? { code: failed.code, message: failed.detail } : undefined;
  if (established && isTransient(failed?.status ?? 0)) return { kind: 'drop', error };
  if (!error) return over({ kind: 'unreachable' });
  return over({ kind: failed?.status === 401 ? 'sign_in' : 'refused', error });
}

/** Worth a retry: no answer, too many requests, or a server error. */
function isTransient(status: number): boolean {
  return status === 0 || status === 429 || status >= 500;
}

function over(ending: Ending): Outcome {
  return { kind: 'over', ending };
}
