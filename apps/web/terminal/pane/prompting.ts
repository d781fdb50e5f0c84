import type { Terminal } from '@xterm/xterm';

const QUIET_MS = 200;
// Without bracketed paste nothing says that the shell reads a line: a slow start-up script may still run.
const UNSURE_QUIET_MS = 800;

// How prompts of shells and of network devices end; a question of a login ends with `:`, `?` or `]`.
const PROMPT = /[$#%>❯➜λ»›]\s?$/u;

export interface Prompting {
  /** The text is run without being seen first: a question of a login must not get it. */
  readonly is_strict: boolean;
}

export function endsLikePrompt(line: string): boolean {
  return PROMPT.test(line);
}

/** Calls back once a shell seems to prompt: output has stopped behind some text, outside a full-screen program. The result cancels. */
export function whenPrompting(terminal: Terminal, call: () => void, { is_strict }: Prompting): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  function look(): void {
    clearTimeout(timer);
    const { type, cursorX } = terminal.buffer.active;
    if (type !== 'normal' || cursorX === 0) return;
    const is_sure = terminal.modes.bracketedPasteMode;
    if (is_strict && !is_sure && !endsLikePrompt(beforeCursor(terminal))) return;
    timer = setTimeout(call, is_sure ? QUIET_MS : UNSURE_QUIET_MS);
  }
  const listening = terminal.onWriteParsed(look);
  return () => {
    clearTimeout(timer);
    listening.dispose();
  };
}

function beforeCursor({ buffer: { active } }: Terminal): string {
  const line = active.getLine(active.baseY + active.cursorY);
  return line?.translateToString(false, 0, active.cursorX) ?? '';
}
