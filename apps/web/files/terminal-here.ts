import type { App } from '../app/context.ts';
import type { TextKey } from '../i18n/languages.ts';
import { isInBytes } from '../lib/paths.ts';
import { visibleText } from '../lib/visible-text.ts';
import type { Server } from '../servers/servers.ts';

/** Opens a terminal with the command that goes to a directory at its prompt. The user presses Enter. */
export interface TerminalHere {
  /** Why it cannot be done; undefined if it can. */
  why(directory: string): string | undefined;
  open(directory: string): void;
}

interface Options {
  readonly app: App;
  readonly server: () => Partial<Pick<Server, 'ssh_enabled'>> | undefined;
  readonly say: (text: string) => void;
  /** Opens a terminal with this text at its prompt. */
  readonly onTerminal: (command: string) => void;
}

export function createTerminalHere({ app, server, say, onTerminal }: Options): TerminalHere {
  function why(directory: string): string | undefined {
    const key = terminalHindrance(directory, server());
    return key && app.t(key);
  }
  return {
    why,
    open(directory) {
      const reason = why(directory);
      say(reason ?? '');
      if (reason === undefined) onTerminal(goTo(directory));
    },
  };
}

/** Why a path cannot be in a command at the prompt, which must read as it will run: a terminal has to show it as it is. */
export function terminalHindrance(
  directory: string,
  server: Partial<Pick<Server, 'ssh_enabled'>> | undefined,
): TextKey | undefined {
  if (server?.ssh_enabled === false) return 'ssh_off';
  const is_shown = !isInBytes(directory) && !/[\t\n\u2028\u2029]/.test(directory);
  return is_shown && visibleText(directory) === directory ? undefined : 'files_why_not_typed';
}

// A backslash escapes inside the single quotes of fish; PowerShell takes the four others for a single quote.
const UNQUOTED = /['\\\u2018-\u201b]/g;

/** Quoted for POSIX shells, fish and PowerShell: a name must not end the quotes in any of them. */
export function goTo(directory: string): string {
  return `cd -- ${quoted(directory)}`;
}

/** Keeps owner and mode of the target, which exists. */
export function copyAsRoot(from: string, to: string): string {
  return `sudo cp -- ${quoted(from)} ${quoted(to)}`;
}

function quoted(path: string): string {
  const inQuotes = (character: string) => `'"${character === '\\' ? '\\\\' : character}"'`;
  return `'${path.replace(UNQUOTED, inQuotes)}'`;
}
