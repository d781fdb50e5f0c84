import type { Schemas } from '../client.ts';

export type ClientFrame = Schemas['TerminalClientFrame'];
export type QuickOpenFrame = Schemas['TerminalQuickOpenFrame'];
export type QuickSecrets = Pick<QuickOpenFrame, 'password' | 'private_key' | 'passphrase'>;

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** What a terminal is opened on. */
export type TerminalTarget =
  | { readonly kind: 'server'; readonly server_id: number }
  | {
      readonly kind: 'quick';
      readonly host: string;
      readonly port: number;
      readonly username: string;
      /** `TERM` of its shell. */
      readonly terminal_type?: string;
      /** What programs on the host write and read; clients see UTF-8 in any case. */
      readonly terminal_encoding?: string;
      /** Read only when the first frame is sent. */
      readonly secrets?: () => QuickSecrets;
    }
  | { readonly kind: 'join'; readonly token: string; readonly mode: 'rw' | 'ro' }
  | { readonly kind: 'watch'; readonly session_id: string }
  /** One of the user's own sessions that is already running. */
  | {
      readonly kind: 'session';
      readonly session_id: string;
      /** If false, it is left to another client that has it; by default it is taken over. */
      readonly take_over?: boolean;
    };

/** How to request a socket. */
export interface SocketRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The first frame to send, with the size known by then. */
  hello?(size: TerminalSize | undefined): ClientFrame | QuickOpenFrame;
  /** The size that this request announces. */
  readonly size: TerminalSize | undefined;
}

const SOCKETS = '/api/ws/terminal';

/** `client_id` names the client over its sockets. */
export function socketRequestFor(
  target: TerminalTarget,
  size: TerminalSize | undefined,
  client_id: string,
): SocketRequest {
  switch (target.kind) {
    case 'server':
      return {
        path: `${SOCKETS}/${target.server_id}`,
        query: { client_id },
        hello: (present) => ({ type: 'open', ...present }),
        size,
      };
    case 'quick':
      return {
        path: `${SOCKETS}/quick`,
        query: { client_id },
        hello: (present) => quickOpen(target, present),
        size,
      };
    case 'join':
      return {
        path: `${SOCKETS}/join/${encodeURIComponent(target.token)}`,
        query: { mode: target.mode },
        size,
      };
    case 'watch':
      return { path: `${SOCKETS}/watch/${encodeURIComponent(target.session_id)}`, query: {}, size };
    case 'session':
      return resumeRequest({ ...target, client_id }, size);
  }
}

interface Resuming {
  readonly session_id: string;
  readonly offset?: number | undefined;
  readonly client_id: string;
  readonly take_over?: boolean;
}

/** Resumes an own session from `offset`, or with its current screen. */
function resumeRequest(
  { session_id, offset, client_id, take_over = true }: Resuming,
  size: TerminalSize | undefined,
): SocketRequest {
  return {
    path: `${SOCKETS}/resume/${encodeURIComponent(session_id)}`,
    query: {
      ...(offset === undefined ? {} : { offset: String(offset) }),
      ...(size ? { cols: String(size.cols), rows: String(size.rows) } : {}),
      client_id,
      ...(take_over ? {} : { take_over: 'false' }),
    },
    size,
  };
}

interface Again {
  readonly target: TerminalTarget;
  /** The own session, and how far its output was received. */
  readonly own: Pick<Resuming, 'session_id' | 'offset'> | undefined;
  readonly client_id: string;
  /** Takes the session back from another client. */
  readonly take_over: boolean;
}

/** Resumes the own session, or requests what was wanted at first. */
export function requestAgain(
  { target, own, client_id, take_over }: Again,
  size: TerminalSize | undefined,
): SocketRequest {
  if (own) return resumeRequest({ ...own, client_id, take_over }, size);
  const wanted = take_over && target.kind === 'session' ? { ...target, take_over } : target;
  return socketRequestFor(wanted, size, client_id);
}

function quickOpen(
  target: Extract<TerminalTarget, { kind: 'quick' }>,
  size: TerminalSize | undefined,
): QuickOpenFrame {
  const { kind: _, secrets, ...host } = target;
  return { type: 'open', ...size, ...host, ...secrets?.() };
}
