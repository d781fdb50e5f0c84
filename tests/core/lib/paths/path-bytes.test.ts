import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import {
  isUtf8,
  nameFromBytes,
  namesFromBytes,
  namesOf,
  namesToBytes,
  pathOf,
  portable,
  readable,
} from '#core/lib/paths/path-bytes.ts';
import { isInside, joinPath, nameOf, normalizePath, parentOf } from '#core/lib/paths/posix-path.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
/** As the host spells it. */
const spelled = (bytes: Uint8Array) => pathOf(namesFromBytes(bytes));
const bytesOf = (path: string) => Buffer.from(namesToBytes(namesOf(path)));

// Bytes that decoders are known to confuse with others or with U+FFFD.
const NAMES: readonly [string, Buffer][] = [
  ['one byte of Latin-1', latin1('caf\xe9')],
  ['another byte', latin1('caf\xe8')],
  ['the replacement character itself', Buffer.from('caf\ufffd')],
  ['UTF-8', Buffer.from('café')],
  ['a literal escape', latin1('caf%E9')],
  ['an overlong slash', latin1('\xc0\xaf')],
  ['an overlong dot', latin1('\xc0\xae')],
  ['a surrogate in CESU-8', latin1('\xed\xb3\xa9')],
  ['a byte order mark', Buffer.from('\ufeffx')],
  ['a cut sequence', latin1('\xe2\x82')],
  ['beyond Unicode', latin1('\xf5\x80\x80\x80')],
  ['a name that looks like the spelling', Buffer.from('bytes:')],
  ['UTF-8 before another byte', Buffer.concat([Buffer.from('é'), latin1('\xff')])],
];

describe('A name on a host', () => {
  it.each(NAMES)('keeps its bytes: %s', (_what, bytes) => {
    const path = spelled(Buffer.concat([Buffer.from('/srv/'), bytes, Buffer.from('/ü')]));
    expect(bytesOf(path)).toEqual(Buffer.concat([Buffer.from('/srv/'), bytes, Buffer.from('/ü')]));
    expect(normalizePath(path)).toBe(path);
    expect(isUtf8(path)).toBe(true);
    expect(joinPath(joinPath('/srv', nameFromBytes(bytes)), 'ü')).toBe(path);
    expect(nameOf(parentOf(path))).toBe(nameFromBytes(bytes));
  });

  it('never equals another name, nor contains it', () => {
    const paths = NAMES.map(([, bytes]) => spelled(Buffer.concat([Buffer.from('/'), bytes])));
    expect(new Set(paths).size).toBe(NAMES.length);
    const inside = paths.flatMap((path) => paths.filter((other) => isInside(joinPath(path, 'x'), other)));
    expect(inside).toEqual(paths);
  });

  it('keeps any bytes', () => {
    for (let length = 0; length < 400; length += 1) {
      const bytes = Buffer.from(Array.from({ length }, () => 1 + Math.floor(Math.random() * 255)));
      expect(bytesOf(spelled(bytes))).toEqual(bytes);
    }
  });

  it('is readable with replacement characters', () => {
    expect(readable(namesFromBytes(latin1('../caf\xe9/\xff')))).toBe('../caf\ufffd/\ufffd');
    expect(readable('café')).toBe('café');
  });

  it('is portable with escapes', () => {
    expect(portable(namesFromBytes(Buffer.concat([latin1('\xe9/100%/'), Buffer.from('🎉')])))).toBe(
      '%E9/100%/🎉',
    );
  });
});

describe('A path', () => {
  it.each([
    ['/srv/caf%E9', '/srv/caf%E9'],
    ['/srv/bytes:/x', '/srv/bytes:/x'],
    ['bytes:/srv/caf%e9', 'bytes:/srv/caf%E9'],
    ['bytes:/srv/caf%C3%A9', '/srv/café'],
    ['bytes:/srv/café', '/srv/café'],
    ['bytes:/srv/a%20b%FF', 'bytes:/srv/a%20b%FF'],
    ['bytes:/srv/a b%FF', 'bytes:/srv/a%20b%FF'],
    ['bytes:/srv/%2e%2e/etc', '/etc'],
    ['bytes:/srv//./%FF/..', '/srv'],
    ['bytes:/srv/%EF%BF%BD', '/srv/\ufffd'],
    ['bytes:/%ED%B3%A9', 'bytes:/%ED%B3%A9'],
  ])('spelled %s is %s', (given, path) => {
    expect(normalizePath(given)).toBe(path);
  });

  it.each([
    'bytes:srv',
    'bytes:',
    'bytes:/%2Fetc',
    'bytes:/a%2f..',
    'bytes:/%00',
    'bytes:/%F',
    'bytes:/100%',
    'bytes:/%zz',
    'Bytes:/srv',
    '/caf\udce9',
    'bytes:/caf\udce9',
  ])('spelled %j is refused', (path) => {
    expect(() => normalizePath(path)).toThrow(expect.objectContaining({ code: 'invalid_path' }));
    expect(() => normalizePath(path)).toThrow(Fault);
  });

  it('is inside a directory by its bytes, whatever the spelling', () => {
    expect(isInside('bytes:/srv/a%20b/%FF', '/srv/a b')).toBe(true);
    expect(isInside('bytes:/srv/%FF/x', 'bytes:/srv/%FF')).toBe(true);
    expect(isInside('bytes:/srv/%FF%FE', 'bytes:/srv/%FF')).toBe(false);
    expect(isInside('bytes:/srv/%FE', '/srv/\ufffd')).toBe(false);
  });
});
