import { describe, expect, it } from 'vitest';
import { parseClientText } from '#api/routes/terminals/client-frame.ts';

describe('A text frame', () => {
  it.each([
    ['{"type":"open","cols":80,"rows":24}', 'frame'],
    [' {"type":"ping"}', 'frame'],
    ['{"type":"resize","cols":0,"rows":0}', 'frame'],
    ['{"type":"resize","cols":"x"}', 'ignored'],
    ['{"type":"open","cols":-1}', 'bad'],
    ['{"type":"ack"}', 'bad'],
    [JSON.stringify({ type: 'answer', answers: Array(33).fill('') }), 'bad'],
    [JSON.stringify({ type: 'answer', answers: ['x'.repeat(70_000)] }), 'keys'],
    ['{"type":"unheard of"}', 'keys'],
    ['{"type":["open"]}', 'keys'],
    ['{"cols":80}', 'keys'],
    ['[{"type":"open"}]', 'keys'],
    ['{', 'keys'],
    ['ls -l\r', 'keys'],
    ['', 'keys'],
    ['null', 'keys'],
  ])('%.60s is %s', (text, kind) => {
    expect(parseClientText(text).kind).toBe(kind);
  });
});
