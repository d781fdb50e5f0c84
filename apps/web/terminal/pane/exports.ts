import { SerializeAddon } from '@xterm/addon-serialize';
import type { IBuffer, Terminal } from '@xterm/xterm';

/** The selection with its colors. */
export function htmlOf(terminal: Terminal): string {
  const serializer = new SerializeAddon();
  serializer.activate(asMarkup(terminal));
  const html = serializer.serializeAsHTML({ onlySelection: true, includeGlobalBackground: true });
  serializer.dispose();
  return html;
}

/** The terminal as the add-on may write it into HTML: it escapes neither the font nor a cell of several characters. */
function asMarkup(terminal: Terminal): Terminal {
  const { buffer, options } = terminal;
  const { active } = buffer;
  const getNullCell = () => {
    const cell = active.getNullCell(); // the add-on reads every cell into one of these
    const getChars = cell.getChars.bind(cell);
    return Object.assign(cell, { getChars: () => escaped(getChars()) });
  };
  const view: Terminal = Object.create(terminal, {
    options: { value: Object.create(options, { fontFamily: { value: 'monospace' } }) },
    buffer: {
      value: Object.create(buffer, {
        active: { value: Object.create(active, { getNullCell: { value: getNullCell } }) },
      }),
    },
  });
  return view;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
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
