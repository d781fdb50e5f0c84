import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BRANDING_IMAGES, PALETTE as MODEL_PALETTE } from '../../../apps/core/model/settings/branding.ts';
import { draftOf, imageProblem, inputOf, isSendable } from '../../../apps/web/admin/branding/draft.ts';
import { IMAGES } from '../../../apps/web/branding/branding.ts';
import {
  BRANDED_TOKENS,
  contrastOf,
  contrastWarnings,
  mix,
  OWN_COLORS,
  PALETTE,
  SCHEMES,
  STATUS_COLORS,
  TEXT_CONTRAST,
  tokensOf,
} from '../../../apps/web/branding/colors.ts';
import { brandingOf } from '../../../apps/web/branding/kept.ts';

const CSS = readFileSync(new URL('../../../apps/web/styles/tokens.css', import.meta.url), 'utf8');
const PLAIN = brandingOf(undefined);

/** The light and dark defaults of the style sheet. */
function ownOf(token: string): string[] {
  const [line = ''] = new RegExp(`\\n  --${token}: .*`).exec(CSS) ?? [];
  return [...line.matchAll(/#[0-9a-f]{6}/g)].map(([color]) => color);
}

describe('the default colors', () => {
  it.each([...PALETTE])('of %s match the style sheet', (name) => {
    const token = name === 'background' ? 'page' : name;
    expect(ownOf(token)).toEqual(SCHEMES.map((scheme) => OWN_COLORS[scheme][name]));
  });

  it.each(['good', 'busy', 'bad'] as const)('of the logo %s match the style sheet', (name) => {
    expect(ownOf(name)).toEqual(SCHEMES.map((scheme) => STATUS_COLORS[scheme][name]));
  });

  it.each([...BRANDED_TOKENS])('%s can be overridden in each theme', (token) => {
    for (const scheme of SCHEMES) expect(CSS).toContain(`var(--${token}-${scheme}, #`);
  });

  it('are readable', () => {
    for (const scheme of SCHEMES) expect(contrastWarnings({}, scheme)).toEqual([]);
  });
});

it('include every color and image that the gateway knows', () => {
  expect(PALETTE).toEqual(MODEL_PALETTE);
  expect(IMAGES).toEqual(BRANDING_IMAGES);
});

describe('a chosen color', () => {
  it('changes nothing when none is chosen', () => {
    for (const scheme of SCHEMES) expect(tokensOf({}, scheme)).toEqual({});
  });

  it('leaves unrelated colors unchanged', () => {
    const { accent, page, text } = tokensOf({ accent: '#aa0033' }, 'light');
    expect([accent, page, text]).toEqual(['#aa0033', undefined, undefined]);
  });

  it('never puts anything but a color into the style sheet', () => {
    const hostile = { accent: 'red; background: url(//evil)', text: '#12345', surface: '#12345678' };
    expect(tokensOf(hostile, 'light')).toEqual({});
    expect(brandingOf({ colors: { ...hostile, background: '#00ff00' } }).colors).toEqual({
      background: '#00ff00',
    });
  });

  it.each(['#ffcc00', '#000000', '#ffffff', '#777777', '#e2001a'])(
    'gives a button in %s a readable label, even on hover',
    (accent) => {
      const tokens = tokensOf({ accent }, 'dark');
      for (const fill of [tokens['accent-fill'], tokens['accent-fill-hover']])
        expect(contrastOf(tokens['on-accent'] ?? '', fill ?? '')).toBeGreaterThanOrEqual(TEXT_CONTRAST);
    },
  );

  it('keeps muted text readable on every derived background', () => {
    const tokens = tokensOf({ background: '#2b1a3d', surface: '#33214a', text: '#f4eefc' }, 'dark');
    for (const ground of ['page', 'surface', 'raised', 'sunken', 'hover'] as const)
      expect(contrastOf(tokens['text-soft'] ?? '', tokens[ground] ?? '')).toBeGreaterThanOrEqual(
        TEXT_CONTRAST,
      );
  });
});

describe('contrast', () => {
  it('is calculated as WCAG defines it', () => {
    expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
    expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080');
  });

  it('causes a warning that names the pair and its ratio', () => {
    const warnings = contrastWarnings({ accent: '#ffcc00' }, 'light');
    expect(warnings.map(({ front, ground }) => `${front} on ${ground}`)).toEqual([
      'accent on background',
      'accent on surface',
    ]);
    expect(warnings[1]?.ratio).toBeCloseTo(1.5, 1);
  });

  it('is checked for status colors too, which nobody chooses', () => {
    expect(contrastWarnings({ surface: '#222222', text: '#eeeeee' }, 'light')).toContainEqual(
      expect.objectContaining({ front: 'signs', ground: 'surface' }),
    );
  });
});

describe('a branding draft', () => {
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

  it('is not sent while it contains an invalid color', () => {
    const draft = draftOf(PLAIN);
    expect(isSendable(draft)).toBe(true);
    expect(isSendable({ ...draft, colors_dark: { ...draft.colors_dark, accent: '#12' } })).toBe(false);
  });

  it.each([
    ['image/png', 2 * 2 ** 20, undefined],
    ['image/png', 2 * 2 ** 20 + 1, 'image_too_large'],
    ['image/svg+xml', 10, 'image_kind'],
  ])('accepts an image of %s with %i bytes: %s', (type, size, problem) => {
    expect(imageProblem({ type, size })).toBe(problem);
  });
});
