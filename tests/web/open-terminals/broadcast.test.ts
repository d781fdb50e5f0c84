import { createRoot } from 'solid-js';
import { describe, expect, it } from 'vitest';
import { createBroadcast } from '../../../apps/web/open-terminals/broadcast.ts';
import { isAnswer, isReport } from '../../../apps/web/open-terminals/reports.ts';
import { createTerminals } from '../../../apps/web/open-terminals/terminals.ts';
import { fakeTerminal } from '../terminal/fake-terminal.ts';

function broadcastOf(...names: string[]) {
  const terminals = createTerminals();
  const fakes = names.map((name) => fakeTerminal(name));
  for (const { handle } of fakes) terminals.add(handle);
  return { fakes, broadcast: createRoot(() => createBroadcast(terminals)) };
}

describe('a broadcast', () => {
  it('sends input from any chosen terminal to all chosen ones, once', () => {
    const { broadcast, fakes } = broadcastOf('a', 'b', 'c', 'd');
    broadcast.start(['a', 'b', 'c']);
    fakes[1]?.type('ls\r');
    expect(fakes.map(({ sent }) => sent)).toEqual([['ls\r'], [], ['ls\r'], []]);
  });

  it('leaves out terminals that are read-only', () => {
    const { broadcast, fakes } = broadcastOf('a', 'b', 'c');
    fakes[2]?.setMode('ro');
    broadcast.start(['a', 'b', 'c']);
    fakes[0]?.type('x');
    expect(fakes.map(({ sent }) => sent)).toEqual([[], ['x'], []]);
  });

  it('ends when fewer than two remain, and does not restart with a new shell', () => {
    const { broadcast, fakes } = broadcastOf('a', 'b');
    broadcast.start(['a', 'b']);
    fakes[1]?.setSession(undefined);
    expect(broadcast.members()).toEqual([]);
    fakes[1]?.setSession('another');
    fakes[0]?.type('x');
    expect([broadcast.members(), fakes[1]?.sent]).toEqual([[], []]);
  });

  it('continues among the remaining terminals', () => {
    const { broadcast, fakes } = broadcastOf('a', 'b', 'c');
    broadcast.start(['a', 'b', 'c']);
    fakes[2]?.setMode('ro');
    fakes[0]?.type('x');
    expect(broadcast.members().map(({ tab_id }) => tab_id)).toEqual(['a', 'b']);
    expect(fakes.map(({ sent }) => sent)).toEqual([[], ['x'], []]);
  });

  it('stops', () => {
    const { broadcast, fakes } = broadcastOf('a', 'b');
    broadcast.start(['a', 'b']);
    broadcast.stop();
    fakes[0]?.type('x');
    expect(fakes[1]?.sent).toEqual([]);
    expect(broadcast.has('a')).toBe(false);
  });

  it('sends a snippet to all chosen terminals, or only to one that was not chosen', () => {
    const { broadcast, fakes } = broadcastOf('a', 'b', 'c');
    broadcast.start(['a', 'b']);
    const send = (at: number) => fakes[at] && broadcast.send(fakes[at].handle, 'w\r');
    send(0);
    send(2);
    expect(fakes.map(({ sent }) => sent)).toEqual([['w\r'], ['w\r'], ['w\r']]);
  });

  it.each(['\x1b[?1;2c', '\x1b[24;80R', '\x1b[I', '\x1b[<0;3;4M', '\x1b]11;rgb:ffff/ffff/ffff\x1b\\'])(
    'does not forward a terminal’s own reports: %j',
    (report) => {
      const { broadcast, fakes } = broadcastOf('a', 'b');
      broadcast.start(['a', 'b']);
      fakes[0]?.type(report);
      expect(fakes[1]?.sent).toEqual([]);
    },
  );

  it.each(['a', '\x1b[A', '\x1bOP', '\x1b[1;5C', '\x1b[200~text\x1b[201~', '\x1b', '\x03', '\x1b[15~', 'c'])(
    'forwards typed input: %j',
    (typed) => {
      expect(isReport(typed)).toBe(false);
    },
  );
});

describe('The answer to a query', () => {
  it.each([
    ['attributes', '\x1b[?62;4;9;22c'],
    ['version', '\x1b[>0;276;0c'],
    ['cursor position', '\x1b[24;80R'],
    ['mode', '\x1b[?2004;1$y'],
    ['images', '\x1b[?1;0;256S'],
    ['window size', '\x1b[8;24;80t'],
    ['focus', '\x1b[O'],
    ['color', '\x1b]4;1;rgb:cdcd/0000/0000\x1b\\'],
    ['settings', '\x1bP1$r0m\x1b\\'],
  ])('is told from keys: %s', (_of, answer) => {
    expect(isAnswer(answer)).toBe(true);
  });

  it.each([
    ['Shift+F3', '\x1b[1;2R'],
    ['Ctrl+F4', '\x1b[1;5S'],
    ['a click', '\x1b[<0;3;4M'],
    ['Alt+]', '\x1b]'],
    ['text', 'c'],
  ])('is not %s', (_what, typed) => {
    expect(isAnswer(typed)).toBe(false);
  });
});
