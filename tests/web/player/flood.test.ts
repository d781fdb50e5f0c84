import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Keyframe } from '../../../apps/web/player/keyframes.ts';
import { CastReel } from '../../../apps/web/player/reel.ts';
import { createShowing } from '../../../apps/web/player/showing.ts';
import type { CastEvent } from '../../../apps/web/player/timeline.ts';

const CONTROL_MS = 2; // scrolling a screen of 300 by 100 takes less than half of it
const HOLD_MS = 40; // a turn of 16 ms and the slice that ends it
const FLOODS = {
  scrolls: '\x1b[200S'.repeat(682),
  fills: '\x1b#8'.repeat(1365),
  'eight-bit scrolls': '\x9b200S'.repeat(819),
  'colors before scrolls': '\x1b[31m\x1b[200S'.repeat(372),
  'line feeds': '\n'.repeat(4096),
};
const SIZE = { cols: 300, rows: 100 };

const controlsIn = (text: string) =>
  [...text].filter((character) => character < ' ' || character === '\x9b').length;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A terminal that takes its time for each control character, and what the page noticed of it. */
function setUp(flood: string, frame?: Keyframe) {
  let now_ms = 0;
  let drawn = '';
  let resized_after = 0;
  const turns_ms = [0];
  const events: CastEvent[] = [
    [0, 'o', 'a'],
    [1, 'o', flood],
    [2, 'r', '80x24'],
    [3, 'o', 'z'],
  ];
  const showing = createShowing({
    cast: { ...SIZE, events },
    keyframe: () => frame,
    now: () => now_ms,
    dispatch(name, data) {
      const text = name === 'output' ? [data].flat().join('') : (data as Keyframe).init;
      if (name === 'reset') drawn = '';
      if (name === 'resize') resized_after = drawn.length;
      drawn += text ?? '';
      now_ms += controlsIn(text ?? '') * CONTROL_MS;
    },
  });
  function finish(): number {
    turns_ms.push(now_ms);
    while (vi.getTimerCount() > 0) {
      vi.advanceTimersToNextTimer();
      turns_ms.push(now_ms);
    }
    return Math.max(...turns_ms.map((at_ms, index) => at_ms - (turns_ms[index - 1] ?? 0)));
  }
  return { showing, finish, drawn: () => drawn, resized_after: () => resized_after };
}

describe.each(Object.entries(FLOODS))('A recording full of %s', (_what, flood) => {
  it('leaves the page its turns, and is drawn whole and in order', () => {
    const { showing, finish, drawn, resized_after } = setUp(flood);
    showing.advance(4);
    expect(finish()).toBeLessThan(HOLD_MS);
    expect(drawn()).toBe(`a${flood}z`);
    expect(resized_after()).toBe(1 + flood.length);
    expect(showing.is_behind()).toBe(false);
  });
});

describe('A jump', () => {
  it('over a flood leaves the page its turns', () => {
    const { showing, finish, drawn } = setUp(FLOODS.fills);
    showing.jump(4);
    expect(finish()).toBeLessThan(HOLD_MS);
    expect(drawn()).toBe(`a${FLOODS.fills}z`);
  });

  it('to a keyframe full of colors leaves the page its turns', () => {
    const init = '\x1b[31mx'.repeat(500);
    const { showing, finish, drawn } = setUp('', { count: 3, size: SIZE, init });
    showing.jump(4);
    expect(finish()).toBeLessThan(HOLD_MS);
    expect(drawn()).toBe(`${init}z`);
  });

  it('back, or a stop, drops the output that waits', () => {
    const { showing, finish, drawn } = setUp(FLOODS.fills);
    showing.advance(4);
    expect(showing.is_behind()).toBe(true);
    showing.jump(1);
    finish();
    expect(drawn()).toBe('a');
    showing.advance(4);
    showing.stop();
    expect([vi.getTimerCount(), showing.is_behind()]).toEqual([0, false]);
  });
});

it('A slice of a recording never ends within a character', () => {
  const outputs: unknown[] = [];
  const text = `${'😀'.repeat(2047)}x${'😀'.repeat(4000)}`;
  const cast = { ...SIZE, events: [[0, 'o', text]] as const };
  const dispatch = (name: string, data?: unknown) => name === 'output' && outputs.push(data);
  createShowing({ cast, keyframe: () => undefined, dispatch }).advance(1);
  expect(outputs.length).toBeGreaterThan(1);
  expect(outputs.flat().every((part) => typeof part === 'string' && !/\p{Surrogate}/u.test(part))).toBe(true);
});

it('A recording whose last output is slow to draw ends after it', () => {
  const told: string[] = [];
  let slow_ms = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + slow_ms);
  const cast = { ...SIZE, events: [[100, 'o', '\x1b#8'.repeat(20)]] as const };
  const driver = new CastReel(cast, [], { speed: 1, idle_ms: 2000 }).drive((name) => {
    told.push(name);
    if (name === 'output') slow_ms += 20;
  });
  driver.init();
  driver.play();
  vi.advanceTimersByTime(1000);
  expect(told.slice(-4)).toEqual(['output', 'output', 'output', 'ended']);
  clock.mockRestore();
});
