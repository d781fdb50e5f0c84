import type { Terminal } from '@xterm/xterm';
import { isAbsolute, tidyPath } from '../../lib/paths.ts';

const MAX_LETTERS = 12_300; // a path of 4,096 bytes, percent-encoded

/** OSC 7: the shell's current directory. Only the host that spoke first is followed: from there, `ssh` may lead to others. */
export function followDirectory(terminal: Terminal, located: (path: string | undefined) => void): void {
  let first_host: string | undefined;
  terminal.parser.registerOscHandler(7, (data) => {
    const [, host, path] = /^file:\/\/([^/]*)(\/.*)$/s.exec(data.slice(0, MAX_LETTERS + 1)) ?? [];
    if (host === undefined || path === undefined || data.length > MAX_LETTERS) return true;
    first_host ??= host;
    located(host === first_host ? pathOf(path) : undefined);
    return true;
  });
}

/** As the gateway spells it: in bytes only if it is not UTF-8. Undefined if it is not escaped correctly. */
function pathOf(escaped: string): string | undefined {
  if (/%(?![\dA-F]{2})/i.test(escaped)) return undefined;
  const path = tidyPath(`bytes:${escaped}`);
  return isAbsolute(path) ? path : undefined;
}
