import type { Schemas } from '#client/client.ts';

export type Palette = Schemas['Palette'];
export type Scheme = (typeof SCHEMES)[number];
export type PaletteName = (typeof PALETTE)[number];

export const SCHEMES = ['light', 'dark'] as const;
export const PALETTE = [
  'accent',
  'background',
  'surface',
  'text',
] as const satisfies readonly (keyof Palette)[];

/** The default colors: the values of `tokens.css`. */
export const OWN_COLORS: Readonly<Record<Scheme, Readonly<Record<PaletteName, string>>>> = {
  light: { accent: '#0b6168', background: '#f3f5f6', surface: '#ffffff', text: '#1a2226' },
  dark: { accent: '#62c5c9', background: '#12171a', surface: '#171d21', text: '#e3e9ec' },
};

/** The status colors. They cannot be changed, so the chosen background must contrast with them. */
export const STATUS_COLORS: Readonly<Record<Scheme, Readonly<Record<'good' | 'busy' | 'bad', string>>>> = {
  light: { good: '#17693a', busy: '#855400', bad: '#b02219' },
  dark: { good: '#63c58b', busy: '#e0b04e', bad: '#ff8b80' },
};

export const TEXT_CONTRAST = 4.5; // WCAG 2.2, 1.4.3
const SHAPE_CONTRAST = 3; // WCAG 2.2, 1.4.11
const WHITE = '#ffffff';
const BLACK = '#000000'; // white or black reaches a contrast of 4.58 on any color
const HEX = /^#[0-9a-f]{6}$/i;

/** The tokens derived from a palette; `tokens.css` reads each with a `-light` and a `-dark` suffix. */
export const BRANDED_TOKENS = [
  'page',
  'surface',
  'raised',
  'sunken',
  'hover',
  'line',
  'line-strong',
  'text',
  'text-soft',
  'bad-soft',
  'accent',
  'accent-fill',
  'accent-fill-hover',
  'on-accent',
  'focus',
  'chosen',
  'note-soft',
] as const;
export type BrandedToken = (typeof BRANDED_TOKENS)[number];
type Tokens = Partial<Record<BrandedToken, string>>;

export function isColor(text: unknown): text is string {
  return typeof text === 'string' && HEX.test(text);
}

/** Keeps the valid colors only. */
export function paletteOf(value: unknown): Palette {
  const fields: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  const known = PALETTE.flatMap((name) => {
    const color = fields[name];
    return isColor(color) ? [[name, color]] : [];
  });
  return Object.fromEntries(known);
}

export function colorsOf(palette: Palette, scheme: Scheme): Readonly<Record<PaletteName, string>> {
  return { ...OWN_COLORS[scheme], ...paletteOf(palette) };
}

/** Derives tokens from the chosen colors; all others keep their default. */
export function tokensOf(palette: Palette, scheme: Scheme): Tokens {
  const { accent, background, surface, text } = paletteOf(palette);
  const colors = colorsOf(palette, scheme);
  if (accent === undefined && background === undefined && surface === undefined && text === undefined)
    return {};
  return {
    ...((background ?? surface ?? text) ? neutralTokens(colors, scheme) : {}),
    ...(accent === undefined ? {} : accentTokens(accent)),
    chosen: mix(colors.surface, colors.accent, 0.18),
    'note-soft': mix(colors.surface, colors.accent, 0.1),
  };
}

function neutralTokens(colors: Readonly<Record<PaletteName, string>>, scheme: Scheme): Tokens {
  const { background, surface, text } = colors;
  const sunken = mix(background, text, 0.05);
  const hover = mix(surface, text, 0.08);
  return {
    page: background,
    surface,
    raised: mix(surface, text, scheme === 'dark' ? 0.04 : 0),
    sunken,
    hover,
    line: mix(surface, text, 0.17),
    'line-strong': fainter(text, [surface, background], SHAPE_CONTRAST),
    text,
    'text-soft': fainter(text, [background, surface, sunken, hover], TEXT_CONTRAST),
    'bad-soft': mix(surface, STATUS_COLORS[scheme].bad, 0.1),
  };
}

function accentTokens(accent: string): Tokens {
  const on_accent = contrastOf(WHITE, accent) >= contrastOf(BLACK, accent) ? WHITE : BLACK;
  return {
    accent,
    'accent-fill': accent,
    'accent-fill-hover': mix(accent, on_accent === WHITE ? BLACK : WHITE, 0.14), // away from what stands on it
    'on-accent': on_accent,
    focus: accent,
  };
}

/** The faintest shade that still has the needed contrast on all these backgrounds. */
function fainter(text: string, grounds: readonly string[], needed: number): string {
  const [ground = text] = grounds;
  const shades = [0.5, 0.4, 0.3, 0.2, 0.1].map((share) => mix(text, ground, share));
  return shades.find((shade) => grounds.every((each) => contrastOf(shade, each) >= needed)) ?? text;
}

export function mix(color: string, other: string, share: number): string {
  const [from, to] = [channelsOf(color), channelsOf(other)];
  const mixed = from.map((channel, at) => Math.round(channel + ((to[at] ?? 0) - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

/** The WCAG 2 contrast ratio, from 1 to 21. */
export function contrastOf(color: string, other: string): number {
  const [one, two] = [luminanceOf(color), luminanceOf(other)];
  return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export interface ContrastWarning {
  readonly front: 'text' | 'accent' | 'signs';
  readonly ground: 'background' | 'surface';
  readonly ratio: number;
}

/** The color pairs with too little contrast. */
export function contrastWarnings(palette: Palette, scheme: Scheme): ContrastWarning[] {
  const colors = colorsOf(palette, scheme);
  const fronts = [
    ['text', [colors.text]],
    ['accent', [colors.accent]],
    ['signs', Object.values(STATUS_COLORS[scheme])],
  ] as const;
  const pairs = fronts.flatMap(([front, shown]) =>
    (['background', 'surface'] as const).map((ground) => ({
      front,
      ground,
      ratio: Math.min(...shown.map((color) => contrastOf(color, colors[ground]))),
    })),
  );
  return pairs.filter(({ ratio }) => ratio < TEXT_CONTRAST);
}
