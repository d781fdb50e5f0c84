import { createPlace } from '../lib/storage.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

export interface Widths {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

export const RAIL_PX = { least: 200, most: 560, usual: 272 } as const satisfies Widths;

export const keptPreferences = () => createPlace('local', 'preferences');

/** Of the stored preferences, what the page needs before it is first painted. */
export function readPageLook(value: Readonly<Record<string, unknown>>) {
  return {
    theme: THEMES.find((one) => one === value['theme']) ?? 'system',
    rail_open: value['rail_open'] !== false,
    rail_px: widthIn(RAIL_PX, value['rail_px']),
  };
}

export function widthIn({ least, most, usual }: Widths, value: unknown): number {
  return typeof value === 'number' ? Math.min(most, Math.max(least, value)) : usual;
}

export function applyTheme(themed: HTMLElement, theme: Theme): void {
  if (theme === 'system') delete themed.dataset['theme'];
  else themed.dataset['theme'] = theme;
}
