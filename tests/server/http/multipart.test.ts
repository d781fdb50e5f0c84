import { describe, expect, it } from 'vitest';
import { Fault, toFault } from '#core/errors.ts';
import type { ByteSource } from '#core/ports/files.ts';
import { readMultipart } from '#server/http/multipart.ts';

const BOUNDARY = '----WebKitFormBoundaryAbCdEfGh';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

interface Taken {
  readonly name: string;
  readonly text: string;
}

const part = (disposition: string, content: string | Buffer, more = '') =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n${more}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const file = (name: string, content: string | Buffer) =>
  part(`form-data; name="files"; filename="${name}"`, content, 'Content-Type: text/plain\r\n');
const END = Buffer.from(`--${BOUNDARY}--\r\n`);
const form = (...parts: Buffer[]) => Buffer.concat([...parts, END]);

async function* inPieces(bytes: Buffer, sizes: () => number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const size = sizes();
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function takeAll(source: ByteSource, content_type: string | undefined = TYPE): Promise<Taken[]> {
  const taken: Taken[] = [];
  for await (const { name, content } of readMultipart(source, content_type)) {
    taken.push({ name, text: (await bytesOf(content)).toString('latin1') });
  }
  return taken;
}

async function bytesOf(content: ByteSource): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

// Around the buffer sizes of Node 20 (16 KiB) and later (64 KiB), and of reads from a socket.
const SIZES = [
  1,
  ...[64, 1024, 4096, 16_384, 20_000, 32_768, 65_536, 131_072, 262_144, 1_048_576].flatMap((size) =>
    [-2, -1, 0, 1, 2].map((offset) => size + offset),
  ),
];
const oddAbove = (size: number) => size | 1;

/** Bytes with line breaks among them. */
function patterned(size: number, seed: number): Buffer {
  return Buffer.alloc(size, `${seed} is the seed\r\n--of this part\r`);
}

async function sameAs(contents: Buffer[], source: ByteSource): Promise<boolean> {
  const taken: Buffer[] = [];
  for await (const { content } of readMultipart(source, TYPE)) taken.push(await bytesOf(content));
  return taken.length === contents.length && taken.every((bytes, index) => contents[index]?.equals(bytes));
}

const whole = (bytes: Buffer) => inPieces(bytes, () => bytes.length);
const namesOf = async (bytes: Buffer) => (await takeAll(whole(bytes))).map(({ name }) => name);
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (refused: unknown) => refused,
  );
  return error === undefined ? undefined : toFault(error).code;
};

/** A linear congruential generator: the same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

describe('multipart/form-data', () => {
  it('yields each part with a file name, whatever its field is called, in order', async () => {
    const body = form(
      part('form-data; name="anything"; filename="a"', 'one'),
      part('form-data; filename="b"', ''),
      part('FORM-DATA ; NAME=x ; FILENAME=c.txt', 'three'),
    );
    expect(await takeAll(whole(body))).toEqual([
      { name: 'a', text: 'one' },
      { name: 'b', text: '' },
      { name: 'c.txt', text: 'three' },
    ]);
  });

  it('skips fields, a preamble and an epilogue', async () => {
    const body = Buffer.concat([
      Buffer.from('ignore me\r\n'),
      part('form-data; name="note"', 'a field'),
      form(file('a', 'one'), part('form-data; name="other"', '')),
      Buffer.from('ignore me, too\r\n--not-it\r\n'),
    ]);
    expect(await takeAll(whole(body))).toEqual([{ name: 'a', text: 'one' }]);
  });

  it('gives the same result however it is chunked', async () => {
    const random = numbers(20_260_101);
    for (let round = 0; round < 400; round += 1) {
      const expected = Array.from({ length: 1 + random(4) }, (_, index) => ({
        name: `f${index}`,
        text: nearlyBoundaries(random),
      }));
      const body = form(...expected.map(({ name, text }) => file(name, Buffer.from(text, 'latin1'))));
      const longest = 1 + random(round % 2 ? 5 : 90);
      expect(await takeAll(inPieces(body, () => 1 + random(longest)))).toEqual(expected);
    }
  });

  it('yields every byte of parts of any size, however large the reads are', async () => {
    for (const size of SIZES) {
      const contents = [size, 0, size + 1, 1].map((bytes, index) => patterned(bytes, index));
      const body = form(...contents.map((content, index) => file(`f${index}`, content)));
      const reads = [16_384, 65_536, body.length, oddAbove(size), Math.max(61, oddAbove(size >> 4))];
      for (const read of reads) {
        expect([
          size,
          read,
          await sameAs(
            contents,
            inPieces(body, () => read),
          ),
        ]).toEqual([size, read, true]);
      }
    }
  });

  it('yields parts that together fill and end in one read', async () => {
    const sizes = [20_000, 40_000, 65_535, 16_384, 100_000, 65_536, 5];
    const contents = sizes.map((size, index) => patterned(size, index));
    const body = form(
      part('form-data; name="note"', patterned(30_000, 9)),
      ...contents.map((one) => file('f', one)),
    );
    for (const read of [65_536, 131_072, body.length, 70_001]) {
      expect([
        read,
        await sameAs(
          contents,
          inPieces(body, () => read),
        ),
      ]).toEqual([read, true]);
    }
  });

  it('discards unread content of parts of any size', async () => {
    for (const size of SIZES) {
      const body = form(...[0, 1, 2].map((index) => file(`f${index}`, patterned(size, index))));
      const names = [];
      for await (const { name } of readMultipart(
        inPieces(body, () => 65_536),
        TYPE,
      ))
        names.push(name);
      expect([size, names]).toEqual([size, ['f0', 'f1', 'f2']]);
    }
  });

  it('discards content that was not read', async () => {
    const names = [];
    const body = form(file('a', 'x'.repeat(1000)), file('b', 'y'.repeat(1000)), file('c', 'z'));
    for await (const { name, content } of readMultipart(
      inPieces(body, () => 100),
      TYPE,
    )) {
      names.push(name);
      if (name === 'b') await content[Symbol.asyncIterator]().next();
    }
    expect(names).toEqual(['a', 'b', 'c']);
  });

  it('reads no further than requested, and releases the body when it is abandoned', async () => {
    let read = 0;
    let is_left = false;
    const body = form(file('a', 'x'.repeat(100_000)));
    async function* counted(): AsyncGenerator<Uint8Array> {
      try {
        for await (const bytes of inPieces(body, () => 1000)) {
          read += bytes.length;
          yield bytes;
        }
      } finally {
        is_left = true;
      }
    }
    for await (const { content } of readMultipart(counted(), TYPE)) {
      await content[Symbol.asyncIterator]().next();
      expect(read).toBeLessThan(3000);
      break;
    }
    expect(is_left).toBe(true);
  });

  it('may have a quoted boundary and further parameters', async () => {
    const body = whole(form(file('a', 'one')));
    const type = `Multipart/Form-Data; charset=utf-8; boundary="${BOUNDARY}"; x=y`;
    expect(await takeAll(body, type)).toHaveLength(1);
  });
});

/** Text in which delimiters seem to start again and again. */
function nearlyBoundaries(random: (below: number) => number): string {
  const crumbs = [
    '\r',
    '\n',
    '\r\n',
    '-',
    '--',
    `\r\n--${BOUNDARY.slice(0, 9)}`,
    BOUNDARY,
    'x',
    '\0',
    '\xff',
  ];
  return Array.from({ length: random(30) }, () => crumbs[random(crumbs.length)]).join('');
}

describe('The file name of a part', () => {
  const nameOf = async (parameters: string) =>
    (await namesOf(form(part(`form-data; name="f"; ${parameters}`, 'x'))))[0];

  it.each([
    ['as it is', 'filename="a b.txt"', 'a b.txt'],
    ['in UTF-8', 'filename="grüße 🐎.txt"', 'grüße 🐎.txt'],
    ['with a quote and line breaks, as browsers write them', 'filename="a%22b%0D%0Ac.txt"', 'a"b\r\nc.txt'],
    ['with a percent sign', 'filename="100%25 %41.txt"', '100%25 %41.txt'],
    ['with a quote, as other clients write it', 'filename="a\\"b\\\\c"', 'a"b\\c'],
    ['with a backslash, as browsers write it', 'filename="a\\b"', 'a\\b'],
    ['that ends in a backslash', 'filename="a\\"', 'a\\'],
    ['with what separates parameters', 'filename="a; filename=b.txt"', 'a; filename=b.txt'],
    ['by RFC 8187', "filename*=UTF-8''gr%C3%BC%C3%9Fe%20%2522.txt", 'grüße %22.txt'],
    ['by RFC 8187 beside one for old servers', 'filename*=utf-8\'de\'%C3%BC; filename="u"', 'ü'],
    ['with path parts: nothing is cut off', 'filename="../../etc/passwd"', '../../etc/passwd'],
    ['with a drive', 'filename="C:\\\\dir\\\\a.txt"', 'C:\\dir\\a.txt'],
    ['that is empty', 'filename=""', ''],
    ['with NUL', 'filename="a\0b"', 'a\0b'],
  ])('%s', async (_what, parameters, name) => {
    expect(await nameOf(parameters)).toBe(name);
  });

  it('is refused when it is not UTF-8', async () => {
    const latin1 = Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; filename="f`),
      Buffer.from([0xfc]),
      Buffer.from('r"\r\n\r\nx\r\n'),
    ]);
    expect(await refusalOf(takeAll(whole(form(latin1))))).toBe('unaddressable_name');
    expect(await refusalOf(nameOf("filename*=UTF-8''%FC"))).toBe('unaddressable_name');
  });
});

describe('A body that is not valid multipart/form-data', () => {
  const body = form(file('a', 'one'));

  it.each([
    ['JSON', 'application/json'],
    ['no type', ''],
    ['no boundary', 'multipart/form-data'],
    ['another multipart', `multipart/mixed; boundary=${BOUNDARY}`],
    ['a boundary of 71 characters', `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['another boundary', 'multipart/form-data; boundary=other'],
  ])('is refused: %s', async (_what, type) => {
    expect(await refusalOf(takeAll(whole(body), type))).toBe('bad_multipart');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no file', form(part('form-data; name="x"', 'y'))],
    ['no part', END],
    ['a part without a header', Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n`), body])],
    ['a part without a disposition', form(Buffer.from(`--${BOUNDARY}\r\nContent-Type: a/b\r\n\r\nx\r\n`))],
    ['a part that is no form-data', form(part('attachment; filename="a"', 'x'))],
    ['a name without its last quote', form(part('form-data; name="x; filename=a', 'x'))],
    ['1,001 files', form(...Array.from({ length: 1001 }, (_, index) => file(`f${index}`, '')))],
    ['more than 1 MiB of fields', form(part('form-data; name="x"', Buffer.alloc(1_100_000)), file('a', 'x'))],
    [
      'a disposition of more than 16 KiB',
      form(part(`form-data; name="x"; filename="${'a'.repeat(16_400)}"`, 'y')),
    ],
    ['a header that never ends', form(part('form-data; name="x"', 'y', `X: ${'x'.repeat(100_000)}`))],
  ])('is refused: %s', async (_what, bytes) => {
    expect(await refusalOf(takeAll(inPieces(bytes, () => 5000)))).toBe('bad_multipart');
  });

  it('is refused wherever it is cut off, and no file counts as complete', async () => {
    const content = 'x'.repeat(40);
    const bytes = form(file('a', content));
    const last = bytes.length - '\r\n'.length; // It is complete without its last line break.
    const delimited = last - '--'.length;
    for (let at = 0; at < last; at += 1) {
      let is_taken = false;
      const broken = (async () => {
        for await (const one of readMultipart(whole(bytes.subarray(0, at)), TYPE)) {
          await bytesOf(one.content);
          is_taken = true;
        }
      })();
      expect([at, await refusalOf(broken)]).toEqual([at, 'bad_multipart']);
      expect({ at, is_taken }).toEqual({ at, is_taken: at >= delimited });
    }
  });

  it('fails with its connection, and reports a timeout', async () => {
    async function* failing(error: Error): AsyncGenerator<Uint8Array> {
      yield body.subarray(0, body.length - 30);
      throw error;
    }
    expect(await refusalOf(takeAll(failing(new Error('reset'))))).toBe('bad_multipart');
    expect(await refusalOf(takeAll(failing(new Fault('body_timeout'))))).toBe('body_timeout');
  });

  it('keeps the parts that were complete before it failed', async () => {
    const taken: string[] = [];
    const bytes = form(file('a', 'one'), file('b', 'two'));
    const reading = (async () => {
      for await (const { name, content } of readMultipart(whole(bytes.subarray(0, -40)), TYPE)) {
        await bytesOf(content);
        taken.push(name);
      }
    })();
    expect(await refusalOf(reading)).toBe('bad_multipart');
    expect(taken).toEqual(['a']);
  });
});
