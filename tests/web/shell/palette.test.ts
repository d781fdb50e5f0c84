import { describe, expect, it } from 'vitest';
import { recordingSearchPath } from '../../../apps/web/recordings/search/address.ts';
import { rankCommands } from '../../../apps/web/shell/palette/find-commands.ts';
import { translateTo } from '../../support/texts.ts';

const nothing = () => undefined;

function titlesFor(text: string, titles: readonly string[], also?: string): string[] {
  const commands = titles.map((title) => ({ title, hint: 'Action', also, run: nothing }));
  return rankCommands(text, commands).map(({ item }) => item.title);
}

describe('The commands of the palette', () => {
  it('are found at the starts of words, never by letters anywhere', () => {
    const titles = ['Backspace sends: ^H', 'Import ssh_config', 'Manage SSH keys'];
    expect(titlesFor('ssh', titles)).toEqual(['Import ssh_config', 'Manage SSH keys']);
    expect(titlesFor('ackspace', titles)).toEqual([]);
    expect(titlesFor('send back', titles)).toEqual(['Backspace sends: ^H']);
    expect(titlesFor('sshkeys', titles)).toEqual(['Manage SSH keys']);
  });

  it.each([
    ['en', 'log out', 'sign_out'],
    ['en', 'logout', 'sign_out'],
    ['en', 'find', 'search'],
    ['en', 'export', 'backup'],
    ['en', 'export', 'download'],
    ['en', 'docs', 'help'],
    ['es', 'salir', 'sign_out'],
    ['es', 'exportar', 'backup'],
    ['es', 'manual', 'help'],
  ] as const)('in %s are found as %j', (language, typed, key) => {
    const t = translateTo(language);
    expect(titlesFor(typed, [t(key)], t(`also_${key}`))).toEqual([t(key)]);
  });
});

describe('The search for a text in recordings', () => {
  it('opens the recordings that the user may see, with the text', () => {
    expect(recordingSearchPath('a&b', true)).toBe('/admin/recordings?q=a%26b');
    expect(recordingSearchPath('a&b', false)).toBe('/account/recordings?q=a%26b');
  });

  it('is not offered for a text that the search does not take', () => {
    expect([recordingSearchPath('a', true), recordingSearchPath('a'.repeat(201), true)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
