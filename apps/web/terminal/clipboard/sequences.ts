import { Base64, ClipboardAddon } from '@xterm/addon-clipboard';
import type { Terminal } from '@xterm/xterm';
import type { PaneEvents } from '../pane/events.ts';

const MAX_LETTERS = 1024 * 1024;
const SYSTEM = 'c';

/** OSC 52: programs write to the clipboard or ask to read it. Output does not wait for the user's answer. */
export function handleClipboardSequences(terminal: Terminal, events: PaneEvents): void {
  const provider = {
    readText: () => '',
    writeText: (_selection: string, text: string) => {
      if (text !== '' && text.length <= MAX_LETTERS) events.clipboardWritten(text);
    },
  };
  terminal.loadAddon(new ClipboardAddon(new Base64(), provider));
  // Runs before the add-on, which would answer immediately.
  terminal.parser.registerOscHandler(52, (data) => {
    if (!data.endsWith(';?')) return false;
    events.clipboardAsked();
    return true;
  });
}

/** The answer to a program that asked for the clipboard. */
export function clipboardReply(text: string): string {
  return `\x1b]52;${SYSTEM};${new Base64().encodeText(text)}\x07`;
}
