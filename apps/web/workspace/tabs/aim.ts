/** Targets of a terminal tab other than a registered server. */
export type TerminalAim =
  | {
      readonly kind: 'quick';
      readonly host: string;
      readonly port: number;
      readonly username: string;
      readonly terminal_type?: string;
      readonly terminal_encoding?: string;
    }
  | { readonly kind: 'join'; readonly token: string; readonly mode: 'rw' | 'ro' }
  | { readonly kind: 'watch'; readonly session_id: string }
  /** An own session that runs already. */
  | { readonly kind: 'session'; readonly session_id: string };

/** Restores a stored target, if it is valid. */
export function readAim(kept: unknown): TerminalAim | undefined {
  const value: Readonly<Record<string, unknown>> =
    typeof kept === 'object' && kept !== null ? { ...kept } : {};
  const { kind, session_id, token, mode } = value;
  if (kind === 'quick') return readQuick(value);
  if (kind === 'join' && typeof token === 'string') return { kind, token, mode: mode === 'ro' ? 'ro' : 'rw' };
  if ((kind === 'watch' || kind === 'session') && typeof session_id === 'string') return { kind, session_id };
  return undefined;
}

function readQuick(value: Readonly<Record<string, unknown>>): TerminalAim | undefined {
  const { host, port, username, terminal_type, terminal_encoding } = value;
  if (typeof host !== 'string' || typeof port !== 'number' || typeof username !== 'string') return undefined;
  return {
    ...{ kind: 'quick', host, port, username },
    ...(typeof terminal_type === 'string' ? { terminal_type } : {}),
    ...(typeof terminal_encoding === 'string' ? { terminal_encoding } : {}),
  };
}
