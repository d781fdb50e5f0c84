import { describe, expect, it } from 'vitest';
import { fuzzyFilter, fuzzyScore } from '../../../apps/web/lib/fuzzy.ts';

const names = ['Terminal on web-backup-1', 'Terminal on wb-1', 'Files on web-1', 'Sign out'];
const found = (query: string) => fuzzyFilter(query, names, (text) => ({ text }));

describe('the command palette’s search', () => {
  it('finds letters in order, anywhere in the text', () => {
    expect(found('sgnt')).toEqual(['Sign out']);
  });

  it('finds nothing when a letter is missing', () => {
    expect(fuzzyScore('webx', 'Files on web-1')).toBeUndefined();
  });

  it('prefers the starts of words', () => {
    expect(found('fw')[0]).toBe('Files on web-1');
  });

  it('prefers adjacent letters', () => {
    expect(found('wb1')[0]).toBe('Terminal on wb-1');
  });

  it('prefers the start of the text', () => {
    const among = ['Switch to web-1 Terminal', 'Terminal on a host of a longer name'];
    expect(fuzzyFilter('term', among, (text) => ({ text }))[0]).toBe(among[1]);
  });

  it('ignores case and accents', () => {
    expect(fuzzyScore('sesion', 'Cerrar sesión')).toBeDefined();
  });

  it.each(['harbor', 'Har', 'HARBOR', 'files', 'edit', 'test'])(
    'offers for the name %j the terminal first, then files, test and edit',
    (query) => {
      const servers = ['harbor', 'files', 'edit', 'test'];
      const kinds = ['Edit', 'Test connection to', 'Files on', 'Terminal on'];
      const commands = servers.flatMap((name) =>
        kinds.map((kind, weight) => ({ text: `${kind} ${name} ${name}.example`, name, weight })),
      );
      const [name] = servers.filter((candidate) => candidate.startsWith(query.toLowerCase()));
      const tabs = [{ text: `Switch to ${name} Terminal` }];
      const best = fuzzyFilter(query, [...tabs, ...commands], (command) => command).slice(0, 4);
      expect(best.map(({ text }) => text)).toEqual(
        kinds.toReversed().map((kind) => `${kind} ${name} ${name}.example`),
      );
    },
  );

  it('keeps the order for an empty query', () => {
    expect(found(' ')).toEqual(names);
  });
});
