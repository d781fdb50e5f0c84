import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodingOf } from '#core/lib/text/encodings.ts';
import { createDecoder } from '#worker/encodings/decoders.ts';
import { encodeText } from '#worker/encodings/encoders.ts';
import { createInput } from '#worker/encodings/input.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { request, type Screen, targetTo, watch, worker } from '../setup.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const nameOf = (label: string) => encodingOf(label) ?? 'utf-8';
const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

async function open(label: string, lang?: string): Promise<Screen> {
  const terminal = { type: 'vt220', encoding: nameOf(label) };
  const options = lang === undefined ? {} : { terminal_lang: lang };
  return watch(await worker(options).shells.open(targetTo(sshd), request({ terminal })));
}

/** Real encoders made these bytes: those of Python. */
const WRITTEN = [
  ['GBK', '汉字€', 'ba ba d7 d6 80'],
  ['gb18030', '汉𠀀é', 'ba ba 95 32 82 36 a8 a6'],
  ['Big5', '漢字', 'ba 7e a6 72'],
  ['Shift_JIS', '漢字ｱ表', '8a bf 8e 9a b1 95 5c'],
  ['EUC-JP', '漢字ｱ', 'b4 c1 bb fa 8e b1'],
  ['ISO-2022-JP', 'a漢字b', '61 1b 24 42 34 41 3b 7a 1b 28 42 62'],
  ['EUC-KR', '한글', 'c7 d1 b1 db'],
  ['latin1', 'é€', 'e9 80'],
  ['ISO-8859-5', 'Ж', 'b6'],
  ['KOI8-R', 'Привет', 'f0 d2 c9 d7 c5 d4'],
  ['KOI8-U', 'ї', 'a7'],
  ['IBM866', 'Ж│', '86 b3'],
  ['windows-1253', 'Ω', 'd9'],
  ['macintosh', 'ü', '9f'],
  ['windows-874', 'ทำ', 'b7 d3'],
] as const;

function decoded(label: string, ...chunks: Uint8Array[]): string {
  const decoder = createDecoder(nameOf(label));
  return chunks.map(decoder.take).join('') + decoder.end();
}

describe('A shell whose host speaks another encoding', () => {
  it.each(WRITTEN)('shows and types %s', async (label, text, hex) => {
    const screen = await open(label);
    const octal = [...bytesOf(hex)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    screen.type(`printf '<${octal}>\\r\\n'\n`);
    await screen.shows(`<${text.normalize()}>`);
    screen.type('stty raw -echo; echo rea""dy; head -c 40 | od -An -tx1 -v | tr -s " \\n" "  "; exit\n');
    await screen.shows('ready');
    const typed = Buffer.from(text);
    for (const byte of typed) screen.shell.write(Uint8Array.of(byte));
    screen.type('.'.repeat(40));
    const answer = await screen.ended.then(() => screen.text());
    expect(answer).toContain(` ${label === 'ISO-2022-JP' ? '61 1b 24 42' : hex} `);
  });

  it('gets the terminal type of its server, and no LANG that names UTF-8', async () => {
    const screen = await open('euc-jp', 'C.UTF-8');
    screen.type('echo "type=$TERM lang=<$LANG>"\n');
    await screen.shows('type=vt220 lang=<>');
  });
});

describe('Output in another encoding', () => {
  it.each(WRITTEN)('may be split anywhere: %s', (label, text, hex) => {
    const bytes = bytesOf(`1b5b33316d${hex}1b5d303b74${hex}07`);
    const whole = decoded(label, bytes);
    expect(whole).toBe(`\x1b[31m${text}\x1b]0;t${text}\x07`);
    for (let at = 1; at < bytes.length; at += 1)
      expect(decoded(label, bytes.subarray(0, at), bytes.subarray(at))).toBe(whole);
  });

  it.each(['gbk', 'gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr', 'iso-2022-jp', 'windows-1252'])(
    'keeps every escape sequence and control character after a broken character: %s',
    (label) => {
      for (const control of ['\x1b[31m', '\x1b(0', '\x1b]0;t\x1b\\', '\r\n', '\x7f', '\x1bM']) {
        for (const broken of label === 'iso-2022-jp' ? ['\x1b$B4'] : ['\x81', '\xe0', '\x8f\xa1', '\x8130'])
          expect(decoded(label, Buffer.from(broken + control, 'latin1'))).toContain(control);
      }
    },
  );

  it('ends line drawing where ISO-2022-JP returns to ASCII', () => {
    const bytes = bytesOf('1b 28 30 71 1b 24 42 34 41 1b 28 42 71 1b 28 42');
    expect(decoded('iso-2022-jp', bytes)).toBe('\x1b(0q漢\x1b(Bq');
  });

  it('shows what was never completed, and bytes that mean nothing', () => {
    expect(decoded('gbk', bytesOf('61 81'))).toBe('a\ufffd');
    expect(decoded('windows-1253', bytesOf('61 aa 62'))).toBe('a\ufffdb');
  });
});

describe('Input in another encoding', () => {
  it('has a question mark for each character that the encoding lacks, and loses none beside it', () => {
    const typed = createInput('gbk')(Buffer.from('汉😀é\x1b[Aя\x1b[M\xff', 'utf8'));
    expect(Buffer.from(typed).toString('latin1')).toBe('\xba\xba?\xa8\xa6\x1b[A\xa7\xf1\x1b[M?');
  });

  it('leaves the bytes of a mouse report as they are', () => {
    const report = Buffer.from('\x1b[M \xc3\xa9', 'latin1');
    const typed = createInput('koi8-r')(Buffer.concat([report, Buffer.from('я'), report]));
    expect(typed).toEqual(Buffer.concat([report, Buffer.from([0xd1]), report]));
  });

  it.each(WRITTEN.map(([label]) => label))('is read back as it was typed: %s', (label) => {
    const letters = Array.from({ length: 0x30000 - 0xa0 }, (_none, at) => at + 0xa0)
      .filter((code) => (code < 0xd800 || code > 0xdfff) && ![0xa5, 0x203e, 0x2212].includes(code))
      .filter((code) => code < 0xff61 || code > 0xff9f || label !== 'ISO-2022-JP')
      .map((code) => String.fromCodePoint(code))
      .filter((letter) => encodeText(nameOf(label), letter)[0] !== 0x3f);
    const text = letters.join('');
    expect(letters.length).toBeGreaterThan(60);
    expect(decoded(label, Uint8Array.from(encodeText(nameOf(label), text))).replaceAll('\x1b(B', '')).toBe(
      text,
    );
  });
});
