import type { GiveWay } from '../concurrency/give-way.ts';

export interface JsonBounds {
  /** Levels of arrays and objects. */
  readonly depth: number;
  /** The number of elements of arrays and fields of objects together. */
  readonly values: number;
}

export type JsonExcess = keyof JsonBounds;

const SCANNED_AT_ONCE = 256 * 1024;

/** Which bound the text exceeds, whether or not it is valid JSON; found without parsing it. */
export async function excessOf(
  text: string,
  bounds: JsonBounds,
  giveWay: GiveWay,
): Promise<JsonExcess | undefined> {
  const scan = createScan(bounds);
  for (let at = 0; at < text.length; at += SCANNED_AT_ONCE) {
    const excess = scan(text, at, Math.min(text.length, at + SCANNED_AT_ONCE));
    if (excess) return excess;
    await giveWay();
  }
  return undefined;
}

const [QUOTE, COMMA, OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Array.from(
  '",[\\]{}',
  (character) => character.charCodeAt(0),
);

function createScan(bounds: JsonBounds) {
  let [depth, values] = [0, 1];
  let [is_text, is_escaped] = [false, false];

  function count(code: number): JsonExcess | undefined {
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1;
      values += 1;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COMMA) values += 1;
    if (depth > bounds.depth) return 'depth';
    return values > bounds.values ? 'values' : undefined;
  }

  return (text: string, from: number, to: number): JsonExcess | undefined => {
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      if (is_text) {
        if (is_escaped) is_escaped = false;
        else if (code === BACKSLASH) is_escaped = true;
        else if (code === QUOTE) is_text = false;
      } else if (code === QUOTE) is_text = true;
      else if (code > 0x2a) {
        const excess = count(code);
        if (excess) return excess;
      }
    }
    return undefined;
  };
}
