import { describe, expect, it } from 'vitest';
import { preferenceCommands } from '../../../apps/web/account/preference-commands.ts';
import { readPreferences } from '../../../apps/web/app/preferences.ts';
import { translateTo } from '../../support/texts.ts';

function setUp() {
  const values = readPreferences({}, ['en']);
  const chosen: [string, unknown][] = [];
  const preferences = {
    values,
    set: (name: string, value: unknown) => void chosen.push([name, value]),
    zoom: () => undefined,
  };
  const commands = preferenceCommands({ t: translateTo('en'), preferences });
  return { commands, chosen, titled: (title: string) => commands.find((one) => one.title === title) };
}

describe('The palette', () => {
  it('offers each value of each terminal preference but the one in force', () => {
    const { titled, chosen } = setUp();
    titled('Cursor: Bar')?.run();
    titled('Turn off: Blinking cursor')?.run();
    expect(chosen).toEqual([
      ['cursor_style', 'bar'],
      ['cursor_blink', false],
    ]);
    expect(titled('Cursor: Block')).toBeUndefined();
  });

  it('names each command differently', () => {
    const titles = setUp().commands.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.length).toBeGreaterThan(15);
  });
});
