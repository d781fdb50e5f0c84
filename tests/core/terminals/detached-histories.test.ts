import { describe, expect, it } from 'vitest';
import { createDetachedHistories } from '#core/terminals/detached-histories.ts';
import { guestOf, sessionDouble, settled } from './session-double.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Room for two full histories, which take 1.25 MiB each, and a little. */
function setUp() {
  const histories = createDetachedHistories({ of_one_user: 2.6 * MIB, of_all: 100 * MIB });
  return { histories, open: (id: string) => sessionDouble({ id, onHistory: histories.update }) };
}

type Double = ReturnType<typeof sessionDouble>;

const fill = ({ says }: Double) => {
  for (let count = 0; count < 50; count += 1) says(new Uint8Array(32 * KIB).fill(120));
};

const leave = (terminal: Double) => terminal.attach().attachment.detach('dropped');

const sizesOf = (...terminals: Double[]) =>
  terminals.map(({ session }) => session.history.size_bytes() / KIB);

describe('Terminals that nobody is attached to', () => {
  it('keep all their output while it fits', () => {
    const { open } = setUp();
    const both = [open('a'), open('b')];
    for (const terminal of both) {
      leave(terminal);
      fill(terminal);
    }
    expect(sizesOf(...both)).toEqual([1280, 1280]);
  });

  it('keep 64 KiB beyond that, those that were left first', () => {
    const { open } = setUp();
    const [a, b, c] = [open('a'), open('b'), open('c')];
    for (const terminal of [a, b, c]) {
      leave(terminal);
      fill(terminal);
    }
    expect(sizesOf(a, b, c)).toEqual([64, 1280, 1280]);
    fill(a);
    expect(sizesOf(a, b, c)).toEqual([64, 1280, 1280]);
    expect(a.session.is_over).toBe(false);
  });

  it('show their screen with a gap and a notice when their owner returns, and keep everything again', async () => {
    const { open } = setUp();
    const [a, b, c] = [open('a'), open('b'), open('c')];
    for (const terminal of [a, b, c]) {
      leave(terminal);
      fill(terminal);
    }
    const owner = a.attach(0);
    await settled();
    expect(owner.begun).toMatchObject([{ offset: 50 * 32 * KIB, screen_bytes: 1000 }]);
    expect(owner.told).toContainEqual(expect.objectContaining({ kind: 'notice', code: 'history_lost' }));
    fill(a);
    expect(sizesOf(a)).toEqual([1280]);
  });

  it('do not include one that a guest watches, nor one that was forgotten', () => {
    const { open, histories } = setUp();
    const [watched, forgotten, b, c] = [open('a'), open('f'), open('b'), open('c')];
    watched.join(guestOf('guest'));
    for (const terminal of [watched, forgotten, b]) {
      leave(terminal);
      fill(terminal);
    }
    histories.forget(forgotten.session);
    leave(c);
    fill(c);
    expect(sizesOf(watched, forgotten, b, c)).toEqual([1280, 1280, 1280, 1280]);
  });

  it('of all users together keep what fits, too', () => {
    const histories = createDetachedHistories({ of_one_user: 100 * MIB, of_all: 2.6 * MIB });
    const all = ['a', 'b', 'c'].map((id) => sessionDouble({ id, onHistory: histories.update }));
    for (const terminal of all) {
      leave(terminal);
      fill(terminal);
    }
    expect(sizesOf(...all)).toEqual([64, 1280, 1280]);
  });
});
