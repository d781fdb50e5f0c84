import { describe, expect, it } from 'vitest';
import { createInputLog, type InputLog } from '#client/terminal/input.ts';

const text = (value: string) => new TextEncoder().encode(value);
const said = (log: InputLog) =>
  log
    .take()
    .map((bytes) => new TextDecoder().decode(bytes))
    .join('');

/** Input that was sent. */
function logOf(...typed: string[]): InputLog {
  const log = createInputLog();
  for (const one of typed) log.add(text(one), true);
  log.take();
  return log;
}

describe('The input of a terminal', () => {
  it('is sent again from where the shell has it', () => {
    const log = logOf('one', 'two');
    expect([log.resume(4), said(log)]).toEqual([true, 'wo']);
  });

  it('is not sent again once it was taken', () => {
    const log = logOf('one');
    log.taken(3);
    log.add(text('two'), false);
    expect([log.resume(3), said(log)]).toEqual([true, 'two']);
  });

  it('is counted from what the gateway had before', () => {
    const log = createInputLog();
    log.begin(100);
    log.add(text('one'), true);
    log.take();
    expect([log.resume(101), said(log)]).toEqual([true, 'ne']);
  });

  it('that may be lost is not sent again, and what follows is', () => {
    const log = logOf('rm x\n');
    log.add(text('ls'), false);
    expect([log.resume(undefined), said(log)]).toEqual([false, 'ls']);
    log.taken(2); // the gateway counts anew
    expect([log.untaken(), log.resume(2)]).toEqual([0, true]);
  });

  it('is forgotten where the gateway does not count', () => {
    const log = logOf('one');
    log.forgetSent();
    expect([log.untaken(), log.resume(undefined), said(log)]).toEqual([0, true, '']);
  });

  it('waits for a socket up to 64 KiB', () => {
    const log = createInputLog();
    expect([log.add(new Uint8Array(65_536), false), log.add(text('x'), false)]).toEqual([true, false]);
    expect(log.waiting()).toBe(65_536);
  });

  it('arrives exactly once over sockets that break anywhere', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const log = createInputLog();
    let typed = '';
    let shell = '';
    for (let turn = 0; turn < 2000; turn += 1) {
      const more = `${turn},`;
      typed += more;
      log.add(text(more), random(2) === 0);
      const sent = said(log);
      const arrived = sent.slice(0, random(sent.length + 1)); // the rest is lost with its socket
      const is_whole = arrived.length === sent.length;
      shell += arrived;
      if (is_whole && random(2) === 0) log.taken(shell.length);
      if (!is_whole || random(9) === 0) expect(log.resume(shell.length)).toBe(true);
    }
    expect(shell + said(log)).toBe(typed);
  });
});
