import { describe, expect, it } from 'vitest';
import { isMultiline } from '../../../apps/web/lib/clipboard.ts';
import { sequenceOf, withBackspace, withModifiers } from '../../../apps/web/terminal/keyboard/keys.ts';

const none = { ctrl: false, alt: false };
const ctrl = { ctrl: true, alt: false };
const alt = { ctrl: false, alt: true };

describe('the key bar', () => {
  it('sends arrow keys in the mode of the remote program', () => {
    expect([sequenceOf('up', false, none), sequenceOf('up', true, none)]).toEqual(['\x1b[A', '\x1bOA']);
    expect(sequenceOf('left', true, ctrl)).toBe('\x1b[1;5D');
  });

  it('sends the paging and line keys', () => {
    expect([sequenceOf('home', false, none), sequenceOf('end', true, none)]).toEqual(['\x1b[H', '\x1bOF']);
    expect([sequenceOf('page_up', true, none), sequenceOf('page_down', false, ctrl)]).toEqual([
      '\x1b[5~',
      '\x1b[6;5~',
    ]);
  });

  it.each([
    ['F1', none, '\x1bOP'],
    ['F4', ctrl, '\x1b[1;5S'],
    ['F5', none, '\x1b[15~'],
    ['F12', alt, '\x1b[24;3~'],
  ] as const)('sends %s with %j', (key, held, sent) => {
    expect(sequenceOf(key, false, held)).toBe(sent);
  });

  it('sends the keys that phones lack', () => {
    expect([
      sequenceOf('esc', false, none),
      sequenceOf('tab', false, none),
      sequenceOf('|', false, none),
    ]).toEqual(['\x1b', '\t', '|']);
  });

  it.each([
    ['c', ctrl, '\x03'],
    ['[', ctrl, '\x1b'],
    [' ', ctrl, '\0'],
    ['b', alt, '\x1bb'],
    ['c', { ctrl: true, alt: true }, '\x1b\x03'],
    ['1', ctrl, '1'],
    ['pasted', ctrl, 'pasted'],
  ])('turns %j with %j into %j', (typed, held, sent) => {
    expect(withModifiers(typed, held)).toBe(sent);
  });
});

describe('a paste', () => {
  it.each([
    ['ls', false],
    ['ls\n', false],
    ['ls\r\n', false],
    ['ls\nrm', true],
    ['\n\n', true],
  ])('of %j has several lines: %s', (text, several) => {
    expect(isMultiline(text)).toBe(several);
  });
});

describe('Backspace', () => {
  it.each([
    ['\x7f', '\b'],
    ['\x1b\x7f', '\x1b\b'],
    ['a\x7f', 'a\x7f'],
  ])('turns %j into %j for old hosts, and into nothing else otherwise', (typed, sent) => {
    expect([withBackspace(typed, '^H'), withBackspace(typed, '^?')]).toEqual([sent, typed]);
  });
});
