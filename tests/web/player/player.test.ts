import { describe, expect, it } from 'vitest';
import { createCastReader, loadCast } from '../../../apps/web/player/load-cast.ts';
import { createTexts, languageFor, TEXTS } from '../../../apps/web/player/texts.ts';
import { toHex } from '../../../apps/web/player/theme.ts';
import { type CastEvent, createTimeline, markersOf } from '../../../apps/web/player/timeline.ts';

const HEADER = '{"version":2,"width":80,"height":24}\n';

function read(...pieces: string[]) {
  const reader = createCastReader();
  for (const piece of pieces) reader.take(piece);
  return reader.end();
}

describe('The cast reader', () => {
  it('accepts lines in several chunks', () => {
    const cast = read(HEADER.slice(0, 9), `${HEADER.slice(9)}[0.5,"o","a"]\n[1,"r"`, ',"90x30"]\n');
    expect(cast).toEqual({
      ...{ cols: 80, rows: 24 },
      events: [
        [500, 'o', 'a'],
        [1000, 'r', '90x30'],
      ],
    });
  });

  it('skips a truncated line and anything that is not an event', () => {
    const { events } = read(HEADER, '[1,"i","typed"]\n{}\n["x","o","a"]\n[2,"o",3]\n[3,"o","b"]\n[4,"o","br');
    expect(events).toEqual([[3000, 'o', 'b']]);
  });

  it('never lets time go backwards', () => {
    expect(read(HEADER, '[2,"o","a"]\n[1,"o","b"]\n').events.map(([at]) => at)).toEqual([2000, 2000]);
  });

  it.each(['', '<html>', '{"version":1,"width":80,"height":24}', '{"version":2,"width":0,"height":24}'])(
    'refuses a file that is not a cast: %j',
    (text) => {
      expect(() => read(`${text}\n`)).toThrow('no_cast');
    },
  );

  it('says why there is nothing to play', async () => {
    await expect(loadCast('http://127.0.0.1:9/cast', () => undefined)).rejects.toThrow('cannot_load');
  });
});

describe('A pause', () => {
  const EVENTS: CastEvent[] = [
    [1000, 'o', 'a'],
    [11_000, 'o', 'b'],
    [12_000, 'o', 'c'],
    [200_000, 'o', 'd'],
  ];

  it('is shortened in the player, and mapped back to session time', () => {
    const { duration_ms, toShown, toPlayer, countAt } = createTimeline(EVENTS, 2000);
    expect(duration_ms).toBe(6000);
    expect([0, 1000, 2999, 3000, 4000, 5999, 6000].map(toShown)).toEqual([
      ...[0, 1000, 2999, 11_000, 12_000, 13_999, 200_000],
    ]);
    expect([0, 1000, 2500, 10_000, 11_000, 100_000, 200_000].map(toPlayer)).toEqual([
      ...[0, 1000, 2500, 3000, 3000, 6000, 6000],
    ]);
    expect([999, 1000, 4000, 6000].map(countAt)).toEqual([0, 1, 3, 4]);
  });

  it('below the limit changes no time', () => {
    const { duration_ms, toShown, toPlayer } = createTimeline(EVENTS, Number.POSITIVE_INFINITY);
    expect([duration_ms, toShown(123_456), toPlayer(123_456)]).toEqual([200_000, 123_456, 123_456]);
  });

  it('gets a marker at its end when it is long', () => {
    const markers = markersOf(EVENTS, ({ length_ms }) => `${length_ms} ms`);
    expect(markers).toEqual([{ shown_ms: 200_000, label: '188000 ms' }]);
  });

  it('gets one of at most a hundred markers, for the longest ones, in order', () => {
    const many = Array.from(
      { length: 150 },
      (_, index): CastEvent => [(index + 1) * 100_000 - index ** 2, 'o', ''],
    );
    const markers = markersOf(many, () => 'x');
    expect(markers).toHaveLength(100);
    expect(markers).toEqual(markers.toSorted((one, other) => one.shown_ms - other.shown_ms));
    expect(markers.at(-1)?.shown_ms).toBeLessThan(many.at(-1)?.[0] ?? 0);
  });
});

describe('The texts of the replay page', () => {
  it('are in the preferred language', () => {
    expect([['es-MX'], [undefined, 'fr', 'es'], ['fr'], []].map(languageFor)).toEqual([
      'es',
      'es',
      'en',
      'en',
    ]);
    expect(createTexts('es')('minutes', { count: 3 })).toBe('3 min');
  });

  it('are the same keys in each language', () => {
    expect(Object.keys(TEXTS.es)).toEqual(Object.keys(TEXTS.en));
  });
});

it('Colors of the player are hexadecimal', () => {
  expect(['rgb(1, 20, 255)', 'rgba(0, 0, 0, 0.5)'].map(toHex)).toEqual(['#0114ff', '#000000']);
});
