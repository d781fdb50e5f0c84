import { Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { evenEdits, putTogether, takeApart } from '../../../apps/web/editor/line-ends.ts';

const WRITTEN: readonly (readonly [string, string])[] = [
  ['lf', 'a\nb\n'],
  ['lf', ''],
  ['lf', 'one line'],
  ['crlf', 'a\r\nb\r\n'],
  ['crlf', '\r\n'],
  ['crlf', '\uFEFFa\r\n\r\nb'],
  ['cr', 'a\rb\r'],
  ['mixed', 'a\r\nb\nc\rd'],
  ['mixed', '\uFEFF\r\r\n\n'],
  ['lf', '\uFEFF'],
  ['lf', 'a\u2028b\u0085c\n'],
];

describe('line endings', () => {
  it.each(WRITTEN)('are recognized as %s and kept exactly: %j', (line_end, content) => {
    const { text, shape } = takeApart(content);
    expect(shape.line_end).toBe(line_end);
    expect(shape.bom).toBe(content.startsWith('\uFEFF'));
    expect(putTogether(text, shape)).toBe(content);
    expect(putTogether(Text.of(text.split('\n')).toString(), shape)).toBe(content);
  });

  it('are kept exactly in any random text', () => {
    const pieces = ['\r', '\n', '\r\n', 'x', '', '\uFEFF', 'ä'];
    for (let round = 0; round < 2000; round += 1) {
      const content = Array.from({ length: 9 }, () => pieces[Math.floor(Math.random() * pieces.length)]).join(
        '',
      );
      const { text, shape } = takeApart(content);
      expect(putTogether(text, shape)).toBe(content);
    }
  });

  it('of a new line match the file', () => {
    const { text, shape } = takeApart('a\r\nb\r\n');
    expect(putTogether(`${text}c\n`, shape)).toBe('a\r\nb\r\nc\r\n');
  });

  it('of a mixed file are converted on request', () => {
    const { text } = takeApart('a\r\nb\nc\rd');
    const even = [...evenEdits(text)]
      .reverse()
      .reduce((whole, { from, to, insert }) => whole.slice(0, from) + insert + whole.slice(to), text);
    expect(even).toBe('a\nb\nc\nd');
    expect(putTogether(even, { bom: false, line_end: 'crlf' })).toBe('a\r\nb\r\nc\r\nd');
  });

  it('are not doubled by an undo', () => {
    expect(putTogether('a\r\nb\n', { bom: false, line_end: 'crlf' })).toBe('a\r\nb\r\n');
  });
});
