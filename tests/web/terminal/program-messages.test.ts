import { describe, expect, it } from 'vitest';
import { createMessageReader, presentMessage } from '../../../apps/web/terminal/alerts/messages.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('A notification of a program', () => {
  it.each([
    ['iTerm2', 9, 'Build done', { title: '', body: 'Build done' }],
    ['urxvt', 777, 'notify;Build;done; at last', { title: 'Build', body: 'done; at last' }],
    ['kitty', 99, ';Build done', { title: 'Build done', body: '' }],
    ['kitty as a body', 99, 'i=1:p=body;done', { title: '', body: 'done' }],
    ['kitty in Base64', 99, `e=1;${base64('día')}`, { title: 'día', body: '' }],
  ])('is read as %s writes it', (_program, osc, data, message) => {
    expect(createMessageReader()(osc, data)).toEqual(message);
  });

  it.each([
    ['the progress of ConEmu', 9, '4;1;50'],
    ['another sequence of ConEmu', 9, '12'],
    ['an empty message', 9, '  '],
    ['another verb of urxvt', 777, 'precmd;x'],
    ['a query of kitty', 99, 'i=1:p=?;'],
    ['an icon of kitty', 99, 'i=1:p=icon;abcd'],
    ['metadata without a payload', 99, 'i=1'],
    ['bad Base64', 99, 'e=1;a'],
  ])('is not %s', (_what, osc, data) => {
    expect(createMessageReader()(osc, data)).toBeUndefined();
  });

  it('of kitty is put together from chunks, also where one ends within a letter', () => {
    const read = createMessageReader();
    const letters = Buffer.from('día');
    expect(read(99, `i=1:d=0:e=1;${letters.subarray(0, 2).toString('base64')}`)).toBeUndefined();
    expect(read(99, 'i=2:d=0;other')).toBeUndefined();
    expect(read(99, `i=1:d=0:e=1;${letters.subarray(2).toString('base64')}`)).toBeUndefined();
    expect(read(99, 'i=1:p=body;text')).toEqual({ title: 'día', body: 'text' });
    expect(read(99, 'i=1:p=body;text')).toEqual({ title: '', body: 'text' });
  });

  it('of kitty cannot fill the memory with chunks or ids', () => {
    const read = createMessageReader();
    for (let at = 0; at < 1000; at++) read(99, `i=1:d=0;${'x'.repeat(4000)}`);
    expect(read(99, 'i=1;')?.title.length).toBe(4096);
    for (let at = 0; at < 9; at++) read(99, `i=${at}:d=0;first`);
    expect(read(99, 'i=0;second')?.title).toBe('second');
    expect(read(99, 'i=8;second')?.title).toBe('firstsecond');
  });

  it('is shown with the name of the terminal, on one line, with its hidden characters as code points', () => {
    expect(
      presentMessage('web\u202e1', { title: '<b>x</b>', body: 'evil\u202egpj.exe\nnext\x1b[0m' }),
    ).toEqual({ title: 'web⟨U+202E⟩1: <b>x</b>', body: 'evil⟨U+202E⟩gpj.exe next⟨U+001B⟩[0m' });
    expect(presentMessage('web', { title: '', body: 'x' }).title).toBe('web');
  });

  it('is cut to a length that a desktop can show', () => {
    const { title, body } = presentMessage('n'.repeat(500), {
      title: '\u202e'.repeat(100_000),
      body: '🚀'.repeat(100_000),
    });
    expect([...title].length).toBeLessThanOrEqual(142);
    expect([...body].length).toBe(240);
    expect(body.endsWith('🚀…')).toBe(true);
  });
});
