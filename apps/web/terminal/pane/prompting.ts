import type { Terminal } from '@xterm/xterm';

const QUIET_MS = 200;
// Without bracketed paste nothing says that the shell reads a line: a slow start-up script may still run.
const UNSURE_QUIET_MS = 800;

/** Calls back once a shell seems to prompt: output has stopped behind some text, outside a full-screen program. The result cancels. */
export function whenPrompting(terminal: Terminal, call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  function look(): void {
    clearTimeout(timer);
    const { type, cursorX } = terminal.buffer.active;
    if (type !== 'normal' || cursorX === 0) return;
    timer = setTimeout(call, terminal.modes.bracketedPasteMode ? QUIET_MS : UNSURE_QUIET_MS);
  }
  const listening = terminal.onWriteParsed(look);
  return () => {
    clearTimeout(timer);
    listening.dispose();
  };
}
