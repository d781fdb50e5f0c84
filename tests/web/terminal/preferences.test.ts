import { describe, expect, it } from 'vitest';
import { readPreferences } from '../../../apps/web/app/preferences.ts';

describe('stored terminal preferences', () => {
  it('have defaults when nothing is stored', () => {
    expect(readPreferences(undefined, ['en'])).toMatchObject({
      palette: 'page',
      cursor_style: 'block',
      scrollback_rows: 10_000,
      bell: 'visual',
      right_click: 'menu',
      clipboard: 'ask',
      screen_reader: false,
    });
  });

  it('are read field by field, without unknown values', () => {
    const kept = {
      palette: 'nord',
      bell: 'siren',
      scrollback_rows: 7,
      right_click: 'paste',
      clipboard: 'deny',
    };
    expect(readPreferences(kept, ['en'])).toMatchObject({
      palette: 'nord',
      bell: 'visual',
      scrollback_rows: 10_000,
      right_click: 'paste',
      clipboard: 'deny',
    });
  });
});
