import { describe, expect, it } from 'vitest';
import { readJson } from '#server/adapters/outbound/json.ts';

const MOST = 32;

/** Arrives in pieces of two bytes, which cut escapes in half. */
async function* piecesOf(text: string) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 2) yield bytes.subarray(at, at + 2);
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('JSON from outside', () => {
  it.each([
    ['an object', '{"keys":[{"kid":"ä","n":1}],"none":null}'],
    ['a text with brackets', JSON.stringify({ text: '[{'.repeat(100) })],
    ['a text with quotes and backslashes', JSON.stringify(['"[[[', '\\"', '\\', '{'.repeat(100)])],
    ['many values beside each other', `[${'[],'.repeat(1000)}{}]`],
    ['as many levels as allowed', nested(MOST)],
  ])('is read: %s', async (_what, text) => {
    expect(await readJson(piecesOf(text))).toEqual(JSON.parse(text));
  });

  it.each([
    ['nothing', ''],
    ['a page', '<html></html>'],
    ['the beginning of a list', '[1,'],
    ['one level too many', nested(MOST + 1)],
    ['levels of objects', '{"a":'.repeat(MOST + 1)],
  ])('is unknown when it is %s', async (_what, text) => {
    expect(await readJson(piecesOf(text))).toBeUndefined();
  });

  it('is read no further once it is nested too deeply', async () => {
    let sent = 0;
    async function* endless() {
      for (;;) {
        sent += 1;
        yield Buffer.from('[[[[[[[[');
      }
    }
    expect(await readJson(endless())).toBeUndefined();
    expect(sent).toBe(5);
  });

  it('throws what the body throws', async () => {
    async function* broken() {
      yield Buffer.from('[');
      throw new Error('cut off');
    }
    await expect(readJson(broken())).rejects.toThrow('cut off');
  });
});
