import { describe, expect, it } from 'vitest';
import { paletteChord } from '../../../apps/web/shell/keyboard/shortcuts.ts';

describe('the shortcut of the command palette', () => {
  it.each([
    ['where no tab is in front', undefined, 'Ctrl K'],
    ['over files', { kind: 'files' }, 'Ctrl K'],
    ['over a terminal, whose shell has Ctrl+K', { kind: 'terminal' }, 'Ctrl Shift P'],
  ] as const)('%s', (_place, active, chord) => {
    expect(paletteChord(active)).toBe(chord);
  });
});
