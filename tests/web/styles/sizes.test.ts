import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Rule {
  readonly place: string;
  readonly selector: string;
  readonly name: string;
  readonly value: string;
}

/** Every declaration of the page's styles with the selector of its rule. */
function declarations(): Rule[] {
  const files = readdirSync('apps/web', { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.css'))
    .flatMap((file) => {
      const text = readFileSync(`apps/web/${file}`, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
      return [...text.matchAll(/([^{};]+)\{([^{}]*)\}/g)].flatMap(([, selector = '', body = '']) =>
        body.split(';').flatMap((line) => {
          const [name = '', ...value] = line.split(':');
          if (value.length === 0) return [];
          return [
            { place: file, selector: selector.trim(), name: name.trim(), value: value.join(':').trim() },
          ];
        }),
      );
    });
}

const said = ({ place, selector, name, value }: Rule) => `${place}: ${selector} { ${name}: ${value} }`;
/** Code within a text of any size, and the help of the player, which is as large as the player. */
const RELATIVE = new Set(['code, kbd', '.hidden-character', '.ap-player .ap-overlay-help > div div']);
const TOKEN = /var\(--font-(small|row|text|title|head)\)/;

describe('The styles', () => {
  const all = declarations();

  it('have five sizes of text, which are tokens', () => {
    const sized = all.filter(
      ({ name, value, selector }) =>
        (name === 'font-size' || name === 'font') &&
        value !== 'inherit' &&
        !RELATIVE.has(selector.replace(/\s+/g, ' ')) &&
        !TOKEN.test(value),
    );
    expect(sized.map(said)).toEqual([]);
    const tokens = all.filter(({ name }) => name.startsWith('--font-')).map(({ value }) => value);
    expect(tokens).toEqual(['12px', '13px', '14px', '17px', '21px']);
  });

  it('have two heights of buttons and fields, and one for fingers', () => {
    const CONTROL = /(button|input|select|\.menu-item|-filter|-choice|-action)(\b|$)/;
    const odd = all.filter(
      ({ selector, name, value }) =>
        /^(min-)?height$/.test(name) && CONTROL.test(selector) && /^(2[6-9]|3\d|4[0-4])px$/.test(value),
    );
    expect(odd.map(said)).toEqual([]);
    const tokens = all.filter(({ name }) => name.startsWith('--control')).map(({ value }) => value);
    expect(tokens).toEqual(['28px', '34px', '40px']);
  });
});
