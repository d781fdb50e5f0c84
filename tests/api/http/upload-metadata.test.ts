import { describe, expect, it } from 'vitest';
import { metadataOf, textOf } from '#api/routes/files/tus.ts';

const coded = (text: string) => Buffer.from(text).toString('base64');
const read = (header: string) => {
  const metadata = metadataOf(header);
  return Object.fromEntries([...metadata.keys()].map((key) => [key, textOf(metadata, key)]));
};

describe('Upload-Metadata', () => {
  it.each([
    [
      'several keys',
      `filename ${coded('ä b.txt')},path ${coded('/srv')}`,
      { filename: 'ä b.txt', path: '/srv' },
    ],
    ['blanks around the commas', `a ${coded('1')} , b ${coded('2')}`, { a: '1', b: '2' }],
    ['a key without a value', `is_confidential,path ${coded('/')}`, { is_confidential: '', path: '/' }],
    ['what looks like another header', `filename ${coded('a\r\nX: y')}`, { filename: 'a\r\nX: y' }],
    ['a byte order mark as part of the name', `filename ${coded('\ufeffa')}`, { filename: '\ufeffa' }],
  ])('reads %s', (_what, header, expected) => {
    expect(read(header)).toEqual(expected);
  });

  it('ignores keys that the gateway does not use', () => {
    const metadata = metadataOf(`filename ${coded('a')},other ////`);
    expect(textOf(metadata, 'filename')).toBe('a');
    expect(textOf(metadata, 'missing')).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['an empty pair', `filename ${coded('a')},`],
    ['a key twice', `filename ${coded('a')},filename ${coded('b')}`],
    ['two blanks', `filename  ${coded('a')}`],
    ['three words', `filename ${coded('a')} ${coded('b')}`],
    ['a value that is no base64', 'filename a.txt'],
    ['base64 that is broken off', 'filename YWJjZ'],
    ['a value that is not UTF-8', 'filename /w=='],
    ['a key beyond ASCII', `näme ${coded('a')}`],
  ])('refuses %s', (_what, header) => {
    expect(() => read(header)).toThrow(expect.objectContaining({ code: 'validation' }));
  });
});
