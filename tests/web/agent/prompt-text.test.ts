import { describe, expect, it } from 'vitest';
import { promptText } from '../../../apps/web/lib/visible-text.ts';

describe('a code block put at a prompt', () => {
  it.each([
    ['df -h\n', 'df -h'],
    ['df -h\r\n\r\n', 'df -h'],
    ['df -h\r', 'df -h'],
    ['df -h \n  \n', 'df -h'],
    ['\n\ndf -h', 'df -h'],
    ['df -h\n\x00', 'df -h'],
    ['df -h\x0b\x0c', 'df -h'],
    ['df -h\u0085', 'df -h'],
    ['df -h\u2028', 'df -h'],
    ['df -h\n\u200b', 'df -h'],
    ['df -h\n\u202e\n', 'df -h'],
    ['\n', ''],
  ])('has no line end before or after: %j', (code, text) => {
    expect(promptText(code)).toBe(text);
  });

  it.each([
    ['df\x1b[201~\x03 -h', 'df[201~ -h'],
    ['df\x9b201~', 'df201~'],
    ['echo \u202erm\u2066', 'echo rm'],
    ['ls\u{e0041}', 'ls'],
  ])('has no characters that the reader cannot see: %j', (code, text) => {
    expect(promptText(code)).toBe(text);
  });

  it('keeps the lines and the indentation between', () => {
    expect(promptText('  for x in 1 2; do\n\techo $x\ndone\n')).toBe('  for x in 1 2; do\n\techo $x\ndone');
  });
});
