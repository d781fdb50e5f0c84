import { createRoot } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFinishWatch, QUIET_MS } from '../../../apps/web/terminal/alerts/finish-watch.ts';
import { createRateLimit } from '../../../apps/web/terminal/alerts/rate-limit.ts';
import { createReplay } from '../../../apps/web/terminal/alerts/replay.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Notifications of one terminal', () => {
  function setUp() {
    const shown: [string, number][] = [];
    return { shown, limit: createRateLimit<string>((newest, count) => void shown.push([newest, count])) };
  }

  it('come at most once a second, and of a burst only the newest is shown', () => {
    const { shown, limit } = setUp();
    for (const text of ['a', 'b', 'c']) limit.offer(text);
    expect(shown).toEqual([['a', 1]]);
    vi.advanceTimersByTime(999);
    expect(shown).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(shown).toEqual([
      ['a', 1],
      ['c', 2],
    ]);
  });

  it('become rare while a program goes on and on, and are prompt again after a pause', () => {
    const { shown, limit } = setUp();
    for (let second = 0; second < 600; second++) {
      limit.offer('again');
      vi.advanceTimersByTime(1000);
    }
    expect(shown.length).toBeLessThan(20);
    vi.advanceTimersByTime(200_000);
    limit.offer('new');
    expect(shown.at(-1)).toEqual(['new', 1]);
  });

  it('that wait are dropped when the terminal is seen', () => {
    const { shown, limit } = setUp();
    limit.offer('a');
    limit.offer('b');
    limit.clear();
    vi.runAllTimers();
    expect(shown).toEqual([['a', 1]]);
  });
});

describe('The end of a command', () => {
  function setUp() {
    const ends: unknown[] = [];
    const watch = createRoot(() => createFinishWatch((how) => void ends.push(how)));
    return { ends, watch };
  }

  it('is what the shell reports, with the exit code', () => {
    const { ends, watch } = setUp();
    watch.told('C');
    watch.set(true);
    watch.printed();
    vi.advanceTimersByTime(10 * QUIET_MS);
    expect(ends).toEqual([]);
    watch.told('D;2;aid=1');
    watch.told('D;0');
    expect(ends).toEqual([{ kind: 'command', code: 2 }]);
    expect(watch.is_on()).toBe(false);
  });

  it('is assumed when output stops, where the shell reports nothing', () => {
    const { ends, watch } = setUp();
    watch.set(true);
    vi.advanceTimersByTime(10 * QUIET_MS);
    expect(ends).toEqual([]);
    watch.printed();
    vi.advanceTimersByTime(QUIET_MS - 1);
    watch.printed();
    vi.advanceTimersByTime(QUIET_MS - 1);
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ends).toEqual([{ kind: 'quiet' }]);
  });

  it('is reported once, also when the terminal ends, and not at all once it is unwanted', () => {
    const { ends, watch } = setUp();
    watch.ended();
    watch.set(true);
    watch.ended();
    watch.ended();
    watch.set(true);
    watch.printed();
    watch.set(false);
    vi.runAllTimers();
    expect(ends).toEqual([{ kind: 'ended' }]);
  });
});

describe('Output after a new connection', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const text = (part: Uint8Array) => new TextDecoder().decode(part);
  const session = {
    type: 'session',
    session_id: 's',
    offset: 0,
    server: 'web',
    recording: false,
    cols: 80,
    rows: 24,
    resume_s: 60,
    connection: [] as never[],
  } as const;

  it('is new only after the screen that the gateway sends again', () => {
    const replay = createReplay(() => undefined);
    replay.begin({ ...session, screen_bytes: 5 });
    expect(['old', 'tonew', 'more'].map((part) => text(replay.newIn(bytes(part))))).toEqual([
      '',
      'new',
      'more',
    ]);
    replay.begin(session);
    expect(text(replay.newIn(bytes('missed')))).toBe('missed');
  });

  it('is new to a guest after the first screen', () => {
    const replay = createReplay(() => undefined);
    const { session_id, server, cols, rows } = session;
    replay.begin({ type: 'joined', session_id, server, cols, rows, owner: 'ann', mode: 'ro' });
    expect(['screen', 'new'].map((part) => text(replay.newIn(bytes(part))))).toEqual(['', 'new']);
  });
});
