import { describe, expect, it } from 'vitest';
import { isSmall, shrunkFont, slidTo } from '../../../apps/web/terminal/pane/fixed-fit.ts';

describe('the font size of a terminal whose size others decide', () => {
  const room = { width: 336, height: 580 };
  it.each([
    ['stay as they are where all fits', { width: 336, height: 580 }, 14],
    ['shrink until its columns fit', { width: 983, height: 300 }, 4.7],
    ['shrink until its rows fit', { width: 300, height: 1160 }, 7],
    ['shrink by a step at least', { width: 336.5, height: 580 }, 13.9],
    ['stay as they are where nothing is drawn yet', { width: 0, height: 0 }, 14],
  ])('%s', (_rule, drawn, font_px) => {
    expect(shrunkFont(14, drawn, room)).toBe(font_px);
  });

  it.each([
    [8.9, 14, true],
    [9, 14, false],
    [8, 8, false],
    [6, 8, true],
  ])('fitted to %f px, with an own setting of %f px, is too small: %s', (fitted, own, is_small) => {
    expect(isSmall(fitted, own)).toBe(is_small);
  });
});

describe('the part that stays visible', () => {
  const window = { from: 100, length: 50 };
  it.each([
    ['is left where it is', { from: 110, length: 10 }, 100],
    ['is reached forwards, as little as it takes', { from: 160, length: 10 }, 120],
    ['is reached backwards', { from: 30, length: 10 }, 30],
    ['begins with the window where it is longer', { from: 90, length: 80 }, 90],
  ])('%s', (_rule, wanted, from) => {
    expect(slidTo(window, wanted)).toBe(from);
  });
});
