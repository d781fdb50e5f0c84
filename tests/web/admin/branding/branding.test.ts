import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BRANDING_IMAGES, PALETTE as MODEL_PALETTE } from '../../../../apps/core/model/branding.ts';
import { brandingOf, IMAGES } from '../../../../apps/web/admin/branding/branding.ts';
import {
  BRANDED_TOKENS,
  contrastOf,
  contrastWarnings,
  mix,
  OWN_COLOURS,
  PALETTE,
  SCHEMES,
  SIGNS,
  TEXT_CONTRAST,
  tokensOf,
} from '../../../../apps/web/admin/branding/colours.ts';
import { draftOf, imageProblem, inputOf, isSendable } from '../../../../apps/web/admin/branding/draft.ts';

const CSS = readFileSync(new URL('../../../../apps/web/styles/tokens.css', import.meta.url), 'utf8');
const PLAIN = brandingOf(undefined);

/** Light and dark, as the style sheet has them where nobody has chosen any. */
function ownOf(token: string): string[] {
  const [line = ''] = new RegExp(`\\n  --${token}: .*`).exec(CSS) ?? [];
  return [...line.matchAll(/#[0-9a-f]{6}/g)].map(([colour]) => colour);
}

describe('our own colours', () => {
  it.each([...PALETTE])('of %s are those of the style sheet', (name) => {
    const token = name === 'background' ? 'page' : name;
    expect(ownOf(token)).toEqual(SCHEMES.map((scheme) => OWN_COLOURS[scheme][name]));
  });

  it.each(['good', 'busy', 'bad'] as const)('of the sign %s are those of the style sheet', (name) => {
    expect(ownOf(name)).toEqual(SCHEMES.map((scheme) => SIGNS[scheme][name]));
  });

  it.each([...BRANDED_TOKENS])('%s has a place for another one in each theme', (token) => {
    for (const scheme of SCHEMES) expect(CSS).toContain(`var(--${token}-${scheme}, #`);
  });

  it('are easy to read', () => {
    for (const scheme of SCHEMES) expect(contrastWarnings({}, scheme)).toEqual([]);
  });
});

it('names the colours and images that the gateway names', () => {
  expect(PALETTE).toEqual(MODEL_PALETTE);
  expect(IMAGES).toEqual(BRANDING_IMAGES);
});

describe('what is chosen', () => {
  it('changes nothing where nothing is', () => {
    for (const scheme of SCHEMES) expect(tokensOf({}, scheme)).toEqual({});
  });

  it('leaves what does not follow from it', () => {
    const { accent, page, text } = tokensOf({ accent: '#aa0033' }, 'light');
    expect([accent, page, text]).toEqual(['#aa0033', undefined, undefined]);
  });

  it('never lets anything but a colour into the style', () => {
    const hostile = { accent: 'red; background: url(//evil)', text: '#12345', surface: '#12345678' };
    expect(tokensOf(hostile, 'light')).toEqual({});
    expect(brandingOf({ colors: { ...hostile, background: '#00ff00' } }).colors).toEqual({
      background: '#00ff00',
    });
  });

  it.each(['#ffcc00', '#000000', '#ffffff', '#777777', '#e2001a'])(
    'has a readable word on a button in %s, also under the pointer',
    (accent) => {
      const tokens = tokensOf({ accent }, 'dark');
      for (const fill of [tokens['accent-fill'], tokens['accent-fill-hover']])
        expect(contrastOf(tokens['on-accent'] ?? '', fill ?? '')).toBeGreaterThanOrEqual(TEXT_CONTRAST);
    },
  );

  it('keeps soft text readable on every ground that follows', () => {
    const tokens = tokensOf({ background: '#2b1a3d', surface: '#33214a', text: '#f4eefc' }, 'dark');
    for (const ground of ['page', 'surface', 'raised', 'sunken', 'hover'] as const)
      expect(contrastOf(tokens['text-soft'] ?? '', tokens[ground] ?? '')).toBeGreaterThanOrEqual(
        TEXT_CONTRAST,
      );
  });
});

describe('contrast', () => {
  it('is that of WCAG', () => {
    expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
    expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080');
  });

  it('is warned of by the pair and its ratio', () => {
    const warnings = contrastWarnings({ accent: '#ffcc00' }, 'light');
    expect(warnings.map(({ front, ground }) => `${front} on ${ground}`)).toEqual([
      'accent on background',
      'accent on surface',
    ]);
    expect(warnings[1]?.ratio).toBeCloseTo(1.5, 1);
  });

  it('is also that of the signs which nobody chooses', () => {
    expect(contrastWarnings({ surface: '#222222', text: '#eeeeee' }, 'light')).toContainEqual(
      expect.objectContaining({ front: 'signs', ground: 'surface' }),
    );
  });
});

describe('a draft', () => {
  it('sends only what was changed, palettes as a whole', () => {
    const saved = {
      ...PLAIN,
      colors: { accent: '#112233', text: '#000000' },
      logo: 'api/branding/images/logo?v=1',
    };
    const draft = draftOf(saved);
    expect(inputOf(draft, saved)).toEqual({});
    const changed = { ...draft, tagline: ' Ships ', colors: { ...draft.colors, text: '' }, logo: null };
    expect(inputOf(changed, saved)).toEqual({ tagline: 'Ships', colors: { accent: '#112233' }, logo: null });
  });

  it('is not sent while something in it is no colour', () => {
    const draft = draftOf(PLAIN);
    expect(isSendable(draft)).toBe(true);
    expect(isSendable({ ...draft, colors_dark: { ...draft.colors_dark, accent: '#12' } })).toBe(false);
  });

  it.each([
    ['image/png', 2 * 2 ** 20, undefined],
    ['image/png', 2 * 2 ** 20 + 1, 'image_too_large'],
    ['image/svg+xml', 10, 'image_kind'],
  ])('takes an image of %s with %i bytes: %s', (type, size, problem) => {
    expect(imageProblem({ type, size })).toBe(problem);
  });
});
