import { describe, expect, it } from 'vitest';
import { safeNames } from '#core/files/archives/names.ts';
import { nameEncoding } from '#core/lib/text/name-encodings.ts';
import type { RemoteFile } from '#core/ports/files.ts';
import { openZip } from '../../../../apps/worker/sftp/unzip/open-zip.ts';
import { type ZipInputMember, zipOf } from '../../../support/features/zip-files.ts';
import { NEVER } from '../../setup.ts';

const LIMITS = { members: 100, directory_bytes: 100_000, signal: NEVER };
const IS_UTF8 = 1 << 11;

function directoryOf(members: readonly ZipInputMember[], encoding?: string) {
  const bytes = zipOf(members);
  const unused = () => Promise.reject(new Error('Nobody asks for this here'));
  const file: RemoteFile = {
    stat: { kind: 'file', size: bytes.length, mode: 0o644, modified: '2024-05-06T07:08:10Z' },
    readPart: async (start, length) => bytes.slice(start, start + length),
    stream: () => new ReadableStream(),
    readAll: unused,
    close: async () => {},
  };
  return openZip(file).readDirectory({ ...LIMITS, encoding });
}

const namesIn = async (members: readonly ZipInputMember[], encoding?: string) =>
  (await directoryOf(members, encoding)).members.map(({ name, kind }) =>
    kind === 'directory' ? `${name}/` : name,
  );
const named = (made_by: number, ...names: string[]) => names.map((name) => ({ name, made_by }));
const fromHex = (hex: string, made_by = 0) => ({ name: Buffer.from(hex, 'hex'), made_by });

describe('A backslash in the names of an archive', () => {
  it.each([0, 6, 10, 11, 14])(
    'separates names where it was made on host %i and no name has a slash',
    async (made_by) => {
      const members = named(made_by, 'top\\sub\\a.txt', 'top\\empty\\', 'b.txt');
      expect(await namesIn(members)).toEqual(['top/sub/a.txt', 'top/empty/', 'b.txt']);
    },
  );

  it.each([
    ['it was made on Unix', named(3, 'a\\b')],
    ['it was made on macOS', named(19, 'a\\b')],
    ['another member was made on Unix', [...named(0, 'a\\b'), ...named(3, 'c')]],
    ['a name has a slash', named(0, 'a\\b', 'c/d')],
    ['a directory has a slash', named(0, 'a\\b', 'c/')],
  ])('stays a part of the name where %s', async (_why, members) => {
    expect((await namesIn(members))[0]).toBe('a\\b');
  });

  it.each(['..\\..\\etc\\passwd', 'C:\\Windows\\x', '\\\\host\\share\\x', '\\etc\\passwd', 'a\\..\\..\\x'])(
    'does not lead out of the target: %s',
    async (name) => {
      const [member] = (await directoryOf(named(0, name))).members;
      expect(() => safeNames(member?.name ?? '')).toThrow(expect.objectContaining({ code: 'member_name' }));
    },
  );

  it('is the second byte of a character in Shift-JIS, and separates nothing', async () => {
    const text = Buffer.concat([Buffer.from('955c', 'hex'), Buffer.from('\\a')]); // 表
    expect(await namesIn([{ name: text, made_by: 0 }], 'shift_jis')).toEqual(['表/a']);
  });
});

describe('A name that the archive does not mark as UTF-8', () => {
  it.each<[string, [string, string][]]>([
    [
      'shift_jis',
      [
        ['新しいフォルダー/議事録.txt', '905682b582a283748348838b835f815b2f8b638e96985e2e747874'],
        ['写真/テスト画像.jpg', '8eca905e2f83658358836789e6919c2e6a7067'],
      ],
    ],
    [
      'gbk',
      [
        ['新建文件夹/会议记录.txt', 'd0c2bda8cec4bcfebcd02fbbe1d2e9bcc7c2bc2e747874'],
        ['照片/测试图片.jpg', 'd5d5c6ac2fb2e2cad4cdbcc6ac2e6a7067'],
      ],
    ],
    [
      'big5',
      [
        ['新增資料夾/會議記錄.txt', 'b773bc57b8eaaec6a7a82fb77cc4b3b04fbffd2e747874'],
        ['照片/測試圖片.jpg', 'b7d3a4f92fb4fab8d5b9cfa4f92e6a7067'],
      ],
    ],
    [
      'euc-kr',
      [
        ['새 폴더/회의록.txt', 'bbf520c6fab4f52fc8b8c0c7b7cf2e747874'],
        ['사진/시험 그림.jpg', 'bbe7c1f82fbdc3c7e820b1d7b8b22e6a7067'],
      ],
    ],
    [
      'ibm866',
      [
        ['Новая папка/Протокол.txt', '8daea2a0ef20afa0afaaa02f8fe0aee2aeaaaeab2e747874'],
        ['Фото/Проверка.jpg', '94aee2ae2f8fe0aea2a5e0aaa02e6a7067'],
      ],
    ],
    [
      'windows-1251',
      [
        ['Новая папка/Протокол.txt', 'cdeee2e0ff20efe0efeae02fcff0eef2eeeaeeeb2e747874'],
        ['Фото/Проверка.jpg', 'd4eef2ee2fcff0eee2e5f0eae02e6a7067'],
      ],
    ],
    [
      'cp437',
      [
        ['Müller/Straße.txt', '4d816c6c65722f53747261e1652e747874'],
        ['Été/naïve.jpg', '9074822f6e618b76652e6a7067'],
        ['Año/niño.txt', '41a46f2f6e69a46f2e747874'],
      ],
    ],
  ])('is guessed to be %s', async (encoding, names) => {
    const directory = await directoryOf(names.map(([, hex]) => fromHex(hex)));
    expect(directory.members.map(({ name }) => name)).toEqual(names.map(([name]) => name));
    expect(directory.encoding).toBe(encoding);
  });

  it.each([
    ['koi8-r', 'Привет.txt', 'f0d2c9d7c5d42e747874'],
    ['windows-1250', 'Žluťoučký.txt', '8e6c759d6f75e86bfd2e747874'],
    ['cp850', 'Ørsted.txt', '9d72737465642e747874'],
    ['CP437', 'Ünï.txt', '9a6e8b2e747874'],
    ['Shift-JIS', '表示ソ.txt', '955c8ea6835c2e747874'],
    ['windows-1254', 'İstanbul.txt', 'dd7374616e62756c2e747874'],
    ['euc-jp', '議事録.txt', 'b5c4bbf6cfbf2e747874'],
  ])('is decoded as %s where that is stated, on Unix too', async (label, name, hex) => {
    for (const made_by of [0, 3])
      expect(await namesIn([fromHex(hex, made_by)], nameEncoding(label))).toEqual([name]);
  });

  it('has the letters and quotes of windows-1252 that ISO 8859-1 lacks', async () => {
    const name = Buffer.from([0x83, 0x80, 0x92, 0xe9, 0xff]);
    expect(await namesIn([{ name, made_by: 0 }], 'windows-1252')).toEqual(['ƒ€’éÿ']);
  });

  it('stays bytes on Unix, and where the stated encoding does not have them', async () => {
    const [on_unix] = (await directoryOf([fromHex('e92e747874', 3)])).members;
    expect(on_unix?.name).toBe('\udce9.txt');
    const [elsewhere] = (await directoryOf([fromHex('ff2e747874')], 'shift_jis')).members;
    expect(elsewhere?.name).toBe('\udcff.txt');
  });

  it('is UTF-8 where it is valid, and has no encoding where it is ASCII', async () => {
    expect(await directoryOf(named(0, 'é.txt', 'a.txt'))).toMatchObject({ encoding: undefined });
    expect(await namesIn(named(0, 'é.txt', 'a.txt'))).toEqual(['é.txt', 'a.txt']);
  });
});

describe('The Unicode Path field', () => {
  it('names a member, whatever the plain name and the stated encoding', async () => {
    const members = [
      { name: '#U8868.txt', made_by: 0, unicode_path: { name: '表.txt' } },
      { name: 'caf_.txt', made_by: 3, unicode_path: { name: 'café.txt' } },
    ];
    expect(await namesIn(members, 'gbk')).toEqual(['表.txt', 'café.txt']);
    expect(await namesIn(members)).toEqual(['表.txt', 'café.txt']);
  });

  it('does not count for a plain name that was changed', async () => {
    const members = [{ name: 'new.txt', made_by: 0, unicode_path: { name: '../../old.txt', of: 'old.txt' } }];
    expect(await namesIn(members)).toEqual(['new.txt']);
  });

  it('does not count beside a name that is marked as UTF-8', async () => {
    const members = [{ name: 'é.txt', flags: IS_UTF8, unicode_path: { name: 'other.txt' } }];
    expect(await namesIn(members, 'shift_jis')).toEqual(['é.txt']);
  });
});

describe('The name of an encoding', () => {
  it.each([
    ['SJIS', 'shift_jis'],
    ['CP932', 'shift_jis'],
    ['gb2312', 'gbk'],
    ['IBM437', 'cp437'],
    ['850', 'cp850'],
    ['latin1', 'windows-1252'],
    ['utf-16le', undefined],
    ['iso-2022-jp', undefined],
    ['nonsense', undefined],
    ['', undefined],
  ])('is found for %j: %s', (label, expected) => {
    expect(nameEncoding(label)).toBe(expected);
  });
});
