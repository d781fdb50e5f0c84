const LATIN_1 = Array.from({ length: 0x60 }, (_, at) => String.fromCharCode(0xa0 + at)).join('');

// 0x80 to 0xff of IBM's code pages, and of windows-1252, which Node.js 20 decodes as ISO 8859-1.
const CODE_PAGES: ReadonlyMap<string, string> = new Map([
  [
    'cp437',
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  ],
  [
    'cp850',
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ],
  ['windows-1252', `€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ${LATIN_1}`],
]);
const SAMPLE_BYTES = 64 * 1024;
const LEAST_SHARE = 0.9; // of the characters that are common in the encoding
const LEAST_PAIRS = 2;
const LEAST_LETTERS = 3;
const LEAST_HANGUL = 3;

/** Undefined for bytes that the encoding, as `nameEncoding` names it, does not have. */
export function decodeAs(encoding: string, raw: Uint8Array): string | undefined {
  const high = CODE_PAGES.get(encoding);
  if (high !== undefined) return decodeBytes(raw, high);
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return undefined;
  }
}

function decodeBytes(raw: Uint8Array, high: string): string {
  return Array.from(raw, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : (high[byte - 0x80] ?? ''),
  ).join('');
}

/** By the most common characters of each encoding; code page 437, which the format prescribes, where none fits well. */
export function guessEncoding(names: Iterable<Uint8Array>): string {
  const found = createCounts();
  let bytes = 0;
  for (const name of names) {
    bytes += name.length;
    found.add(name);
    if (bytes > SAMPLE_BYTES) break;
  }
  return found.guess();
}

/** Counts by bytes alone: decoding in each encoding would find rare characters for almost any text. */
function createCounts() {
  const counts = {
    sjis: 0,
    sjis_pairs: 0,
    gb: 0,
    big5: 0,
    hangul: 0,
    low: 0,
    pairs: 0,
    cp866: 0,
    ansi: 0,
    high: 0,
  };

  function addPairs(name: Uint8Array): void {
    for (let at = 0; at < name.length; at += 1) {
      const [lead = 0, trail = 0] = [name[at], name[at + 1]];
      if (lead < 0x81) continue;
      if (trail < 0x40 || trail === 0x7f) {
        counts.pairs += 1; // a byte of its own
        continue;
      }
      counts.pairs += 1;
      if (trail < 0x80) counts.low += 1;
      if (lead >= 0xb0 && lead <= 0xd7 && trail > 0xa0) counts.gb += 1;
      if (lead >= 0xb0 && lead <= 0xc8 && trail > 0xa0) counts.hangul += 1;
      if (lead >= 0xa4 && lead <= 0xc6) counts.big5 += 1;
      at += 1;
    }
  }

  function addShiftJis(name: Uint8Array): void {
    for (let at = 0; at < name.length; at += 1) {
      const [lead = 0, trail = 0] = [name[at], name[at + 1]];
      if (lead < 0x80) continue;
      counts.sjis_pairs += 1;
      const is_double = (lead < 0xa0 || lead >= 0xe0) && trail >= 0x40;
      if (!is_double) continue;
      const is_kana = (lead === 0x82 && trail >= 0x9f) || (lead === 0x83 && trail <= 0x96);
      const is_mark = lead === 0x81 && (trail === 0x5b || trail === 0x40 || trail === 0x45); // long vowel, space, dot
      if (is_kana || is_mark || (lead >= 0x88 && lead <= 0x97)) counts.sjis += 1;
      at += 1;
    }
  }

  function addLetters(name: Uint8Array): void {
    for (const [at, byte] of name.entries()) {
      if (byte < 0x80) continue;
      const is_in_word = (name[at - 1] ?? 0) >= 0x80 || (name[at + 1] ?? 0) >= 0x80;
      counts.high += 1;
      if (!is_in_word) continue;
      if (byte <= 0xaf || (byte >= 0xe0 && byte <= 0xf1)) counts.cp866 += 1;
      if (byte >= 0xc0 || byte === 0xa8 || byte === 0xb8) counts.ansi += 1;
    }
  }

  const isMost = (count: number, of: number) => of > 0 && count / of >= LEAST_SHARE;

  return {
    add(name: Uint8Array): void {
      addPairs(name);
      addShiftJis(name);
      addLetters(name);
    },
    guess(): string {
      const { sjis, sjis_pairs, gb, big5, hangul, low, pairs, cp866, ansi, high } = counts;
      const is_enough = pairs >= LEAST_PAIRS;
      if (is_enough && low === 0 && hangul === pairs && pairs >= LEAST_HANGUL) return 'euc-kr';
      if (is_enough && low === 0 && isMost(gb, pairs)) return 'gbk';
      if (is_enough && low > 0 && isMost(big5, pairs)) return 'big5';
      if (sjis_pairs >= LEAST_PAIRS && isMost(sjis, sjis_pairs)) return 'shift_jis';
      if (high >= LEAST_LETTERS && isMost(cp866, high)) return 'ibm866';
      if (high >= LEAST_LETTERS && isMost(ansi, high)) return 'windows-1251';
      return 'cp437';
    },
  };
}
