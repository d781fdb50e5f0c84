import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stretchesOf } from '../../../apps/web/player/keyframes.ts';
import { placeOn } from '../../../apps/web/player/places.ts';
import { CastReel } from '../../../apps/web/player/reel.ts';
import { createShowing } from '../../../apps/web/player/showing.ts';
import type { CastEvent } from '../../../apps/web/player/timeline.ts';

const EVENTS: CastEvent[] = [
  [1000, 'o', 'a'],
  [2000, 'o', 'b'],
  [2000, 'r', '90x30'],
  [10_000, 'o', 'c'],
];
const CAST = { cols: 80, rows: 24, events: EVENTS };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A reel, and what it reported to its player. */
function setUp(pace = { speed: 1, idle_ms: 2000 }) {
  const told: string[] = [];
  const reel = new CastReel(CAST, [{ shown_ms: 10_000, label: 'later' }], pace);
  const driver = reel.drive((name, data) => told.push(`${name} ${JSON.stringify(data) ?? ''}`.trim()));
  driver.init();
  const heard = () => told.splice(0);
  return { reel, driver, heard };
}

const RESET = 'reset {"size":{"cols":80,"rows":24},"init":"","theme":null}';
const output = (text: string) => `output "${text}"`;
const RESIZE = 'resize {"cols":90,"rows":30}';

describe('A reel', () => {
  it('reports duration, markers and size before it shows anything', () => {
    const { heard } = setUp();
    expect(heard()).toEqual(['metadata {"duration":4,"markers":[[4,"later"]],"hasAudio":false}', RESET]);
  });

  it('shows each event on time, shortens pauses, and ends', () => {
    const { reel, driver, heard } = setUp();
    heard();
    driver.play();
    expect(heard()).toEqual(['play', 'playing']);
    vi.advanceTimersByTime(1000);
    expect(heard()).toEqual([output('a')]);
    vi.advanceTimersByTime(1000);
    expect([heard(), driver.getCurrentTime(), reel.shown_ms()]).toEqual([[output('b'), RESIZE], 2, 2000]);
    vi.advanceTimersByTime(2000);
    expect([heard(), driver.getCurrentTime(), reel.shown_ms()]).toEqual([[output('c'), 'ended'], 4, 10_000]);
  });

  it('changes speed and pause handling from the current position', () => {
    const { reel, driver, heard } = setUp();
    driver.play();
    vi.advanceTimersByTime(2500);
    heard();
    reel.change({ speed: 4, idle_ms: Number.POSITIVE_INFINITY });
    expect(heard()).toEqual(['metadata {"duration":10,"markers":[[10,"later"]],"hasAudio":false}', 'seeked']);
    expect(driver.getCurrentTime()).toBe(2.5);
    vi.advanceTimersByTime(1875);
    expect(heard()).toEqual([output('c'), 'ended']);
  });

  it('seeks back and forth, and continues if it was playing', () => {
    const { driver, heard } = setUp();
    driver.play();
    heard();
    driver.seek(3);
    expect(heard()).toEqual([output('ab'), RESIZE, 'seeked']);
    driver.seek('25%');
    expect(heard()).toEqual([RESET, output('a'), 'seeked']);
    vi.advanceTimersByTime(1000);
    expect(heard()).toEqual([output('b'), RESIZE]);
    driver.seek({ marker: 'next' });
    expect(heard()).toEqual([output('c'), 'seeked', 'ended']);
    vi.advanceTimersByTime(60_000);
    expect(heard()).toEqual([]);
  });

  it('does not move while paused, except by steps', () => {
    const { driver, heard } = setUp();
    driver.play();
    vi.advanceTimersByTime(1500);
    driver.pause();
    heard();
    vi.advanceTimersByTime(60_000);
    expect([heard(), driver.getCurrentTime()]).toEqual([[], 1.5]);
    driver.step();
    expect([heard(), driver.getCurrentTime()]).toEqual([[output('b'), RESIZE], 2]);
    driver.step(-2);
    expect([heard(), driver.getCurrentTime()]).toEqual([[RESET, output('a')], 1]);
  });

  it('shows the latest event even when drawing the earlier ones was slow', () => {
    const told: string[] = [];
    let spent_ms = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + spent_ms);
    const reel = new CastReel(CAST, [], { speed: 1, idle_ms: 2000 });
    const driver = reel.drive((name, data) => {
      told.push(`${name} ${JSON.stringify(data) ?? ''}`.trim());
      if (told.at(-1) === output('b')) spent_ms = 60_000;
    });
    driver.init();
    driver.play();
    vi.advanceTimersByTime(2000);
    vi.advanceTimersByTime(2000);
    expect(told.slice(-2)).toEqual([output('c'), 'ended']);
    clock.mockRestore();
  });

  it('restarts when it is played at its end', () => {
    const { driver, heard } = setUp();
    driver.seek(99);
    heard();
    driver.play();
    expect(heard()).toEqual(['play', RESET, 'playing']);
  });

  it('does nothing more once it is stopped', () => {
    const { driver, heard } = setUp();
    driver.play();
    driver.stop();
    heard();
    vi.advanceTimersByTime(60_000);
    expect(heard()).toEqual([]);
  });
});

describe('A position', () => {
  const tape = { present_ms: 50_000, duration_ms: 100_000, markers_ms: [10_000, 49_500, 80_000] };

  it.each([
    [7, 7000],
    [1e9, 100_000],
    ['<<', 45_000],
    ['>>', 55_000],
    ['<<<', 40_000],
    ['>>>', 60_000],
    ['90%', 90_000],
    ['what', 50_000],
    [{ marker: 'next' }, 80_000],
    [{ marker: 'prev' }, 10_000], // that it has just passed one is no reason to stay
    [{ marker: 1 }, 49_500],
    [{ marker: 9 }, 50_000],
  ] as const)('%j is %i', (where, expected) => {
    expect(placeOn(tape, where)).toBe(expected);
  });
});

describe('A keyframe', () => {
  const FRAME = { count: 3, size: { cols: 90, rows: 30 }, init: 'screen' };
  const show = () => {
    const told: unknown[] = [];
    const keyframe = (count: number) => (count >= FRAME.count ? FRAME : undefined);
    const showing = createShowing({
      cast: CAST,
      keyframe,
      dispatch: (name, data) => told.push([name, data]),
    });
    told.splice(0);
    return { showing, told };
  };

  it('saves a jump from replaying what precedes it', () => {
    const { showing, told } = show();
    showing.jump(4);
    expect(told).toEqual([
      ['reset', { size: FRAME.size, init: '', theme: null }],
      ['output', 'screen'],
      ['output', 'c'],
    ]);
  });

  it('is not used for continuous playback', () => {
    const { showing, told } = show();
    showing.advance(4);
    expect(told).toEqual([
      ['output', 'ab'],
      ['resize', { cols: 90, rows: 30 }],
      ['output', 'c'],
    ]);
  });

  it('follows after enough output', () => {
    expect(stretchesOf(CAST, 2)).toEqual([
      { count: 2, size: { cols: 80, rows: 24 }, steps: ['ab'] },
      { count: 3, size: { cols: 80, rows: 24 }, steps: [{ cols: 90, rows: 30 }] },
    ]);
  });
});
