import type { Terminal } from '@xterm/xterm';
import { isAbsolute, tidyPath } from '../../lib/paths.ts';

const MAX_LETTERS = 12_300; // a path of 4,096 bytes, percent-encoded

type Located = (path: string | undefined) => void;

export interface DirectoryReports {
  /** Comes before handlers that were registered since. */
  renew(): void;
}

/**
 * The shell's current directory: OSC 7, OSC 633 of VS Code, OSC 1337 of iTerm2. Only the host that spoke first is followed:
 * from there, `ssh` may lead to others.
 */
export function followDirectory(terminal: Pick<Terminal, 'parser'>, located: Located): DirectoryReports {
  const { at, on } = createFollowing(located);
  terminal.parser.registerOscHandler(7, (data) => {
    const [, host, path] = /^file:\/\/([^/]*)(\/.*)$/s.exec(data.slice(0, MAX_LETTERS + 1)) ?? [];
    if (host !== undefined && path !== undefined && data.length <= MAX_LETTERS) on(host, path);
    return true;
  });
  terminal.parser.registerOscHandler(633, (data) => {
    if (data.startsWith('P;Cwd=') && data.length <= MAX_LETTERS) at(escapedFrom633(data.slice(6)));
    return false;
  });
  const onITerm = (data: string) => {
    const [, name, value = ''] = /^(CurrentDir|RemoteHost)=(.*)$/s.exec(data.slice(0, MAX_LETTERS + 1)) ?? [];
    if (name === undefined || data.length > MAX_LETTERS) return name !== undefined;
    if (name === 'CurrentDir') at(escaped(value));
    else on(value.slice(value.lastIndexOf('@') + 1), undefined);
    return true;
  };
  const renew = () => void terminal.parser.registerOscHandler(1337, onITerm);
  renew();
  return { renew };
}

function createFollowing(located: Located) {
  let first_host: string | undefined;
  let is_elsewhere = false;
  return {
    /** On the host that was named last. */
    at(path: string): void {
      if (!is_elsewhere) located(pathOf(path));
    },
    on(host: string, path: string | undefined): void {
      first_host ??= host;
      is_elsewhere = host !== first_host;
      if (is_elsewhere) located(undefined);
      else if (path !== undefined) located(pathOf(path));
    },
  };
}

/** Spells a path like the gateway: in bytes only if it is not UTF-8. Undefined if it is not escaped correctly. */
function pathOf(escaped_path: string): string | undefined {
  if (!escaped_path.startsWith('/') || /%(?![\dA-F]{2})/i.test(escaped_path)) return undefined;
  const path = tidyPath(`bytes:${escaped_path}`);
  return isAbsolute(path) ? path : undefined;
}

function escaped(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('%2F', '/');
}

/** In OSC 633, `\\` is a backslash and `\x3b` a byte. */
function escapedFrom633(text: string): string {
  return text
    .split(/(\\\\|\\x[\da-fA-F]{2})/)
    .map((part, at) => {
      if (at % 2 === 0) return escaped(part);
      return part === '\\\\' ? '%5C' : `%${part.slice(2)}`;
    })
    .join('');
}
