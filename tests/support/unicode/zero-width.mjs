// Writes apps/client/terminal/zero-width.gen.mjs from the Unicode data of this Node: node tests/support/unicode/zero-width.mjs
import { writeFileSync } from 'node:fs';

const TARGET = new URL('../../../apps/client/terminal/zero-width.gen.mjs', import.meta.url);

// As glibc has it: these format characters are visible, and the vowels and final consonants of Hangul join a leading one.
const VISIBLE = /[\u00AD\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]/u;
const JAMO = /[\u1160-\u11FF]|(?=\p{L})[\uD7B0-\uD7FF]/u;
const INVISIBLE = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** @type {[number, number][]} */
const ranges = [];
for (let code = 0; code < 0x110000; code += 1) {
  const text = String.fromCodePoint(code);
  if (!JAMO.test(text) && (!INVISIBLE.test(text) || VISIBLE.test(text))) continue;
  const last = ranges.at(-1);
  if (last && last[0] + last[1] === code) last[1] += 1;
  else ranges.push([code, 1]);
}

let end = 0;
const written = ranges.map(([first, count]) => {
  const gap = first - end;
  end = first + count;
  return count === 1 ? gap.toString(36) : `${gap.toString(36)}.${count.toString(36)}`;
});
writeFileSync(
  TARGET,
  `// Generated from Unicode ${process.versions.unicode} by tests/support/unicode/zero-width.mjs. Do not edit.

/** Characters without a cell: the gap to the previous range and the length of each range, in base 36. */
export const ZERO_WIDTH =
  '${written.join(' ')}';
`,
);
