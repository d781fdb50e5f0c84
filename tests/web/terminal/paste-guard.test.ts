import { createRoot } from 'solid-js';
import { describe, expect, it } from 'vitest';
import { fillSnippet } from '../../../apps/web/snippets/snippets.ts';
import { createPasteGuard, type PasteGuard } from '../../../apps/web/terminal/clipboard/paste-guard.ts';

function guardOf(asks = true): { readonly guard: PasteGuard; readonly pasted: string[] } {
  const pasted: string[] = [];
  const guard = createRoot(() =>
    createPasteGuard(
      () => asks,
      (text) => void pasted.push(text),
    ),
  );
  return { guard, pasted };
}

describe('A paste', () => {
  it.each([
    ['the end of a bracketed paste', 'a\x1b[201~\rid\r', 'a[201~\rid\r', ['ESC']],
    ['the same in C1', 'a\x9b201~\rid', 'a201~\rid', ['U+009B']],
    ['an interrupt, repeated', 'a\x03b\x03', 'ab', ['ETX (2)']],
    ['a deletion', 'rm x\x7f\x08', 'rm x', ['DEL', 'BS']],
    ['nothing but controls', '\x04', '', ['EOT']],
  ])('with %s asks, and is pasted without it', (_what, text, clean, removed) => {
    const { guard, pasted } = guardOf(false);
    guard.offer(text);
    expect([guard.pending(), pasted]).toEqual([{ text: clean, removed }, []]);
    guard.answer(true);
    expect([guard.pending(), pasted]).toEqual([undefined, clean === '' ? [] : [clean]]);
  });

  it('of text that the user did not write asks about several lines, whatever the setting', () => {
    const { guard, pasted } = guardOf(false);
    guard.propose('df -h\nrm -rf /tmp/x');
    expect([guard.pending()?.text, pasted]).toEqual(['df -h\nrm -rf /tmp/x', []]);
    guard.answer(false);
    guard.propose('df -h');
    expect(pasted).toEqual(['df -h']);
  });

  it('is not pasted when it is declined', () => {
    const { guard, pasted } = guardOf();
    guard.offer('a\x1b[201~');
    guard.answer(false);
    expect([guard.pending(), pasted]).toEqual([undefined, []]);
  });

  it.each(['one line', 'tab\there', 'a line\n', 'naïve – 你好 🙂\u00a0'])('of %j does not ask', (text) => {
    const { guard, pasted } = guardOf();
    guard.offer(text);
    expect([guard.pending(), pasted]).toEqual([undefined, [text]]);
  });

  it.each([
    [true, []],
    [false, ['a\nb']],
  ])('of several lines asks if the setting is %s', (asks, expected) => {
    const { guard, pasted } = guardOf(asks);
    guard.offer('a\nb');
    expect(pasted).toEqual(expected);
  });

  it('into a placeholder of a snippet loses its control characters', () => {
    expect(fillSnippet('tail {file}', { file: 'log\x1b[201~' })).toBe('tail log[201~');
  });
});
