// Writes apps/worker/encodings/tables.gen.ts from what Chromium decodes: node tests/support/unicode/encodings.mjs
// The decoders of Node follow ICU, which differs from the WHATWG Encoding Standard.
import { writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const TARGET = new URL('../../../apps/worker/encodings/tables.gen.ts', import.meta.url);
const SINGLE =
  'ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 x-mac-cyrillic x-user-defined gbk gb18030 big5 euc-jp shift_jis euc-kr';

/** Runs in the page. */
function decodeAll(/** @type {string[]} */ single) {
  const decode = (/** @type {string} */ label, /** @type {number[]} */ ...bytes) =>
    bytes.map((each) => new TextDecoder(label, { ignoreBOM: true }).decode(new Uint8Array(each)));
  const high = Array.from({ length: 128 }, (_none, at) => at + 128);
  const all = Array.from({ length: 256 }, (_none, at) => at);
  const pairs = high.flatMap((lead) => all.map((trail) => [lead, trail]));
  const quad = (/** @type {number} */ at) => [
    Math.floor(at / 12_600) + 0x81,
    (Math.floor(at / 1260) % 10) + 0x30,
    (Math.floor(at / 10) % 126) + 0x81,
    (at % 10) + 0x30,
  ];
  return {
    single: Object.fromEntries(single.map((label) => [label, decode(label, ...high.map((byte) => [byte]))])),
    double: Object.fromEntries(
      ['gb18030', 'big5', 'euc-jp', 'shift_jis', 'euc-kr'].map((label) => [label, decode(label, ...pairs)]),
    ),
    triple: decode('euc-jp', ...pairs.map((pair) => [0x8f, ...pair])),
    quads: decode('gb18030', ...Array.from({ length: 39_420 }, (_none, at) => quad(at))),
  };
}

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const version = browser.version();
const page = await browser.newPage();
const found = await page.evaluate(decodeAll, SINGLE.split(' '));
await browser.close();

const isKnown = (/** @type {string} */ text) => !text.includes('\ufffd');
const single = Object.entries(found.single).map(([label, texts]) => [
  label,
  texts.map((text) => ([...text].length === 1 ? text : '\ufffd')).join(''),
]);

/** @param {string[]} texts @param {string[]} alone */
function table(texts, alone) {
  let before = 0;
  /** @type {[number, string][]} */
  const others = [];
  const deltas = new Uint16Array(texts.length);
  texts.forEach((text, at) => {
    const is_lead = !isKnown(alone[at >> 8] ?? '\ufffd');
    if (!is_lead || !isKnown(text)) return;
    const code = text.charCodeAt(0);
    if (text.length > 1 || code === before) {
      others.push([at, text]);
      return;
    }
    deltas[at] = (code - before) & 0xffff;
    before = code;
  });
  return { codes: deflateRawSync(deltas, { level: 9 }).toString('base64'), others };
}

const double = Object.entries(found.double).map(([label, texts]) => [
  label,
  table(texts, found.single[label] ?? []),
]);
const NO_LEADS = Array.from({ length: 128 }, () => '\ufffd');

/** @type {[number, number][]} */
const ranges = [];
found.quads.forEach((text, at) => {
  const code = isKnown(text) ? (text.codePointAt(0) ?? 0) : -1;
  const [pointer = 0, first = 0] = ranges.at(-1) ?? [];
  if (ranges.length === 0 || (code < 0 ? first >= 0 : first < 0 || first + at - pointer !== code))
    ranges.push([at, code]);
});

const others = [...double.map(([label, { others: list }]) => [label, list])];
writeFileSync(
  TARGET,
  `// Generated from the decoders of Chromium ${version} by tests/support/unicode/encodings.mjs. Do not edit.

/** Bytes 0x80 to 0xff; U+FFFD where a byte alone is no character. */
export const SINGLE: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(single))};

/** Lead bytes from 0x80, trail bytes from 0: differences of UTF-16 code units, deflated. */
export const DOUBLE: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(double.map(([label, { codes }]) => [label, codes])))};

/** Pairs that are more than one code unit, or the same as the pair before. */
export const DOUBLE_OTHERS: Readonly<Record<string, readonly (readonly [number, string])[]>> = ${JSON.stringify(Object.fromEntries(others))};

/** After 0x8f in EUC-JP. */
export const TRIPLE = ${JSON.stringify(table(found.triple, NO_LEADS).codes)};

/** Four bytes in gb18030: first pointer and code point of each range, -1 for none. */
export const QUADS: readonly (readonly [number, number])[] = ${JSON.stringify(ranges)};
`,
);
