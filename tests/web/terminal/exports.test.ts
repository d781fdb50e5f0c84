import headless from '@xterm/headless';
import type { Terminal } from '@xterm/xterm';
import { describe, expect, it } from 'vitest';
import { htmlOf } from '../../../apps/web/terminal/pane/exports.ts';

/** The first row as HTML. */
async function copied(output: string, fontFamily = 'monospace'): Promise<string> {
  const terminal = new headless.Terminal({ allowProposedApi: true, cols: 60, rows: 2 });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const getSelectionPosition = () => ({ start: { x: 0, y: 0 }, end: { x: 60, y: 0 } });
  const view: Terminal = Object.create(terminal, {
    options: { value: Object.create(terminal.options, { fontFamily: { value: fontFamily } }) },
    getSelectionPosition: { value: getSelectionPosition },
  });
  return htmlOf(view);
}

describe('A selection as HTML', () => {
  it('has no markup of a program, also in a cell of several characters', async () => {
    expect(await copied('漢<img src=x>&amp;')).toContain('漢&lt;img src=x&gt;&amp;amp;');
    expect(await copied('<\u0600img src=x>')).toContain('&lt;\u0600img src=x&gt;'); // with graphemes, it joins the next one
  });

  it('keeps colors', async () => {
    expect(await copied('plain \x1b[1;31mred\x1b[0m')).toMatch(
      /<span style='color: #[^']*bold;'>red<\/span>/,
    );
  });

  it('has no markup of a font', async () => {
    const html = await copied('x', "O'Reilly><img src=x onerror=alert(1)>");
    expect(html).toContain('font-family: monospace;');
    expect(html).not.toContain('<img');
  });
});
