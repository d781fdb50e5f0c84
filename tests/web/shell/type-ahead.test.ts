import { beforeEach, describe, expect, it } from 'vitest';
import {
  createTypeAhead,
  type Receiver,
  type TypeAhead,
  type Typed,
} from '../../../apps/web/open-terminals/type-ahead.ts';
import { typedKey } from '../../../apps/web/shell/type-ahead/typed-key.ts';

const keys = (data: string): Typed => ({ kind: 'keys', data });

let ahead: TypeAhead;
let focused: boolean[];
let left: number;

beforeEach(() => {
  ahead = createTypeAhead();
  focused = [];
  left = 0;
  ahead.attach({
    focus: (is_claimed) => focused.push(is_claimed),
    leave: () => {
      left += 1;
    },
  });
});

/** Joins what a terminal got; `!` stands for a loss. */
function receiver(): Receiver & { text: string } {
  const own = {
    text: '',
    take(typed: Typed) {
      own.text += typed.kind === 'keys' ? typed.data : `[${typed.text}]`;
    },
    overflow() {
      own.text += '!';
    },
  };
  return own;
}

describe('What is typed for a terminal that was chosen', () => {
  it('is kept until that terminal can take it, in its order, once', () => {
    const claim = ahead.claim(() => undefined);
    ahead.typed(keys('ec'));
    claim.settle('web-12');
    ahead.typed(keys('ho'));
    ahead.typed({ kind: 'paste', text: 'x' });
    const terminal = receiver();
    ahead.bind('web-12', terminal);
    ahead.typed(keys('\r'));
    expect(terminal.text).toBe('echo[x]\r');
  });

  it('never reaches the terminal that was left, though that could take it', () => {
    const left_one = receiver();
    ahead.aim('web-2');
    ahead.bind('web-2', left_one);
    const claim = ahead.claim(() => undefined);
    ahead.aim('web-2'); // while the new tab opens, the page still shows the old one
    ahead.typed(keys('rm'));
    claim.settle('web-12');
    ahead.typed(keys('\r'));
    expect(left_one.text).toBe('');
  });

  it('goes to the last of several terminals that were chosen in a row, and opens them in that order', () => {
    const opened: string[] = [];
    const first = ahead.claim(() => {
      opened.push('a');
      first.settle('a');
    });
    ahead.typed(keys('1'));
    const second = ahead.claim(() => undefined);
    ahead.typed(keys('2'));
    second.settle('b');
    const [a, b] = [receiver(), receiver()];
    ahead.bind('a', a);
    ahead.bind('b', b);
    expect([opened, a.text, b.text]).toEqual([['a'], '1', '2']);
  });

  it('belongs to the terminal that was clicked, while the focus stays with what was clicked', () => {
    ahead.aim('a');
    focused.length = 0;
    ahead.point('b');
    ahead.typed(keys('x'));
    const terminal = receiver();
    ahead.bind('b', terminal);
    expect([focused, terminal.text]).toEqual([[], 'x']);
  });

  it('is dropped with a tab that is closed before its terminal was there', () => {
    ahead.aim('a');
    ahead.typed(keys('exit\r'));
    ahead.prune((id) => id !== 'a');
    const terminal = receiver();
    ahead.bind('a', terminal);
    expect(terminal.text).toBe('');
  });

  it('is not kept further after a loss, which the terminal reports', () => {
    ahead.aim('a');
    ahead.typed(keys('x'.repeat(64 * 1024)));
    ahead.typed(keys('lost'));
    ahead.typed(keys(''));
    const terminal = receiver();
    ahead.bind('a', terminal);
    expect(terminal.text).toBe(`${'x'.repeat(64 * 1024)}!`);
  });

  it('leaves the terminal before when a tab without one is chosen', () => {
    ahead.aim('a');
    ahead.aim(undefined);
    ahead.typed(keys('lost'));
    const terminal = receiver();
    ahead.bind('a', terminal);
    expect([terminal.text, left, focused]).toEqual(['', 1, [false]]);
  });
});

describe('A key before the terminal is there', () => {
  const key = (name: string, held: Partial<KeyboardEvent> = {}) => ({
    key: name,
    ...{ ctrlKey: false, altKey: false, metaKey: false, shiftKey: false },
    ...held,
  });

  it.each([
    ['Enter', {}, '\r'],
    ['Backspace', {}, '\x7f'],
    ['Tab', {}, '\t'],
    ['Tab', { shiftKey: true }, '\x1b[Z'],
    ['Escape', {}, '\x1b'],
    ['ArrowUp', {}, '\x1b[A'],
    ['ArrowLeft', { ctrlKey: true }, '\x1b[1;5D'],
    ['F5', {}, '\x1b[15~'],
    ['c', { ctrlKey: true }, '\x03'],
    ['b', { altKey: true }, '\x1bb'],
    ['Delete', {}, '\x1b[3~'],
  ])('%s with %j sends what a terminal sends', (name, held, sent) => {
    expect(typedKey(key(name, held))).toBe(sent);
  });

  it.each([
    ['a', {}],
    ['|', {}],
    ['V', { ctrlKey: true, shiftKey: true }],
    ['v', { metaKey: true }],
    ['Shift', { shiftKey: true }],
    ['Dead', {}],
  ])('%s with %j is left to the browser', (name, held) => {
    expect(typedKey(key(name, held))).toBeUndefined();
  });
});
