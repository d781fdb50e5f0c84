import { encodingOf } from '../lib/text/encodings.ts';
import type { TerminalKind } from '../ports/ssh.ts';

interface Wishes {
  readonly terminal_type?: string | undefined;
  readonly terminal_encoding?: string | undefined;
}

/** How the shell of a server or of a quick connection is opened. */
export function terminalOf({ terminal_type, terminal_encoding }: Wishes): TerminalKind {
  return {
    type: terminal_type ?? 'xterm-256color',
    encoding: encodingOf(terminal_encoding ?? '') ?? 'utf-8',
  };
}
