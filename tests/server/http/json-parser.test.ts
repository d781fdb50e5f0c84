import { expect, it } from 'vitest';
import { createJsonParser } from '#server/http/json-parser.ts';

it('parses JSON in a thread, whatever its fields are called', async () => {
  const parse = createJsonParser();
  const text = `{"buffer":1,"__proto__":[2],"code":"${'x'.repeat(1_000_000)}"}`;
  const parsed = await parse(text);
  expect(JSON.stringify(parsed?.value)).toBe(text);
  expect(await parse('null')).toEqual({ value: null });
  expect(await parse('{"cut off')).toBeUndefined();
});
