import { SerializeAddon } from '@xterm/addon-serialize';
import type { IBuffer, Terminal } from '@xterm/xterm';

/** The selection with its colors. */
export function htmlOf(terminal: Terminal): string {
  const serializer = new SerializeAddon();
  terminal.loadAddon(serializer);
  const html = serializer.serializeAsHTML({ onlySelection: true, includeGlobalBackground: true });
  serializer.dispose();
  return html;
}

/** All output that is still there, and below it the screen of a full-screen program. */
export function outputOf({ buffer: { active, normal } }: Pick<Terminal, 'buffer'>): string {
  const screens = active.type === 'alternate' ? [normal, active] : [normal];
  return screens.map((screen) => `${linesOf(screen).trimEnd()}\n`).join('\n');
}

/** A line that wraps is one. */
function linesOf(buffer: IBuffer): string {
  let text = '';
  for (let row = 0; row < buffer.length; row += 1) {
    const line = buffer.getLine(row);
    if (row > 0 && !line?.isWrapped) text += '\n';
    text += line?.translateToString(!buffer.getLine(row + 1)?.isWrapped) ?? '';
  }
  return text;
}
