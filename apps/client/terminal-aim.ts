import type { Schemas } from './client.ts';

export type ClientFrame = Schemas['TerminalClientFrame'];
export type QuickOpenFrame = Schemas['TerminalQuickOpenFrame'];
export type QuickSecrets = Pick<QuickOpenFrame, 'password' | 'private_key' | 'passphrase'>;

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** What a terminal is opened on. */
export type LinkAim =
  | { readonly kind: 'server'; readonly server_id: number }
  | {
      readonly kind: 'quick';
      readonly host: string;
      readonly port: number;
      readonly username: string;
      /** Asked for when they are sent. */
      readonly secrets?: () => QuickSecrets;
    }
  | { readonly kind: 'join'; readonly token: string; readonly mode: 'rw' | 'ro' }
  | { readonly kind: 'watch'; readonly session_id: string }
  /** An own session that runs already. */
  | { readonly kind: 'session'; readonly session_id: string };

/** How a socket is asked for. */
export interface Road {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Its first frame. */
  hello?(): ClientFrame | QuickOpenFrame;
  /** The size that this says. */
  readonly size: TerminalSize | undefined;
}

const SOCKETS = '/api/ws/terminal';

export function roadOf(aim: LinkAim, size: TerminalSize | undefined): Road {
  switch (aim.kind) {
    case 'server':
      return {
        path: `${SOCKETS}/${aim.server_id}`,
        query: {},
        hello: () => ({ type: 'open', ...size }),
        size,
      };
    case 'quick':
      return { path: `${SOCKETS}/quick`, query: {}, hello: () => quickOpen(aim, size), size };
    case 'join':
      return { path: `${SOCKETS}/join/${aim.token}`, query: { mode: aim.mode }, size };
    case 'watch':
      return { path: `${SOCKETS}/watch/${aim.session_id}`, query: {}, size };
    case 'session':
      return resumeRoad(aim.session_id, undefined, size);
  }
}

/** Back to an own session: from `offset` on, or with its present screen. */
export function resumeRoad(
  session_id: string,
  offset: number | undefined,
  size: TerminalSize | undefined,
): Road {
  return {
    path: `${SOCKETS}/resume/${session_id}`,
    query: {
      ...(offset === undefined ? {} : { offset: String(offset) }),
      ...(size ? { cols: String(size.cols), rows: String(size.rows) } : {}),
    },
    size,
  };
}

function quickOpen(aim: Extract<LinkAim, { kind: 'quick' }>, size: TerminalSize | undefined): QuickOpenFrame {
  const { host, port, username, secrets } = aim;
  return { type: 'open', ...size, host, port, username, ...secrets?.() };
}
