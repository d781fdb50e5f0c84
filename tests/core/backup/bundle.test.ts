import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { packBundle, readBundle, refusing, unpackBundle } from '#core/backup/pack/bundle.ts';
import { unzipLines, zipLines } from '#core/backup/pack/zipped-lines.ts';
import { createPassphraseBox } from '#core/crypto/passphrase.ts';
import { Fault } from '#core/errors.ts';
import type { BackupBundle } from '#core/model/backup/backup.ts';
import type { DeriveKey } from '#core/ports/outside.ts';
import { deriveKey } from '#server/adapters/derive-key.ts';

const PASSPHRASE = 'a passphrase of the tests';
const MIB = 1024 * 1024;

async function* linesOf(...lines: string[]): AsyncGenerator<string, void> {
  yield* lines;
}

function pack(...lines: string[]): Promise<BackupBundle> {
  return packBundle(deriveKey, linesOf(...lines), {
    passphrase: PASSPHRASE,
    created_at: () => '2026-01-02T03:04:05.678Z',
    source_version: '0.6.0',
    counts: { servers: 2, users: 1 },
    missing: () => ({ unreadable: 0, left_out: 0 }),
    cost: { memory_kib: 8192, iterations: 1, parallelism: 1 },
  });
}

async function unpack(bundle: unknown, passphrase = PASSPHRASE, derive: DeriveKey = deriveKey) {
  const lines: string[] = [];
  await refusing(async () => {
    for await (const line of await unpackBundle(derive, readBundle(bundle), passphrase)) lines.push(line);
  });
  return lines;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return error instanceof Fault ? error.code : String(error);
}

const noKey: DeriveKey = () => {
  throw new Error('A key was derived');
};

describe('A bundle', () => {
  it('returns its lines unchanged', async () => {
    const lines = ['one', '', 'ünï 🐎 "quoted" \\ \u2028', 'x'.repeat(200_000)];
    expect(await unpack(await pack(...lines))).toEqual(lines);
  });

  it('opens only with its passphrase', async () => {
    expect(await codeOf(unpack(await pack('one'), 'another passphrase'))).toBe('backup_passphrase');
  });

  it('opens with the passphrase in another Unicode composition', async () => {
    const missing = () => ({ unreadable: 0, left_out: 0 });
    const input = { created_at: () => '2026-01-02T03:04:05Z', source_version: '', counts: {}, missing };
    const cost = { memory_kib: 8192, iterations: 1, parallelism: 1 };
    const bundle = await packBundle(deriveKey, linesOf('é'), { ...input, cost, passphrase: 'é'.repeat(12) });
    expect(await unpack(bundle, 'e\u0301'.repeat(12))).toEqual(['é']);
  });

  it('opens with an Argon2id key of the strength it names', async () => {
    const { kdf } = await pack('one');
    expect(kdf).toMatchObject({ name: 'argon2id', memory_kib: 8192, iterations: 1, parallelism: 1 });
  });

  const CHANGES: readonly [string, (bundle: BackupBundle) => unknown][] = [
    ['created_at', (bundle) => ({ ...bundle, created_at: '2026-01-02T03:04:05.679Z' })],
    ['source_version', (bundle) => ({ ...bundle, source_version: '0.6.1' })],
    ['a count', (bundle) => ({ ...bundle, counts: { ...bundle.counts, servers: 3 } })],
    ['a count more', (bundle) => ({ ...bundle, counts: { ...bundle.counts, audit: 0 } })],
    ['a count less', (bundle) => ({ ...bundle, counts: { servers: 2 } })],
    ['the memory', (bundle) => ({ ...bundle, kdf: { ...bundle.kdf, memory_kib: 8193 } })],
    ['the iterations', (bundle) => ({ ...bundle, kdf: { ...bundle.kdf, iterations: 2 } })],
    ['the lanes', (bundle) => ({ ...bundle, kdf: { ...bundle.kdf, parallelism: 2 } })],
    ['the salt', (bundle) => ({ ...bundle, kdf: { ...bundle.kdf, salt: `${'A'.repeat(22)}==` } })],
    ['the nonce', (bundle) => ({ ...bundle, cipher: { ...bundle.cipher, nonce: 'A'.repeat(16) } })],
    ['the first of the data', ({ data, ...rest }) => ({ ...rest, data: flipped(data, 0) })],
    ['the last of the data', ({ data, ...rest }) => ({ ...rest, data: flipped(data, data.length - 5) })],
    ['the length of the data', ({ data, ...rest }) => ({ ...rest, data: data.slice(0, -8) })],
  ];

  it.each(CHANGES)('does not open when %s has changed', async (_what, change) => {
    expect(await codeOf(unpack(change(await pack('one'))))).toMatch(/^backup_(passphrase|unreadable)$/);
  });

  it('does not open when any one character of its data has changed', async () => {
    const bundle = await pack('one');
    const box = { derived: await deriveKeyOf(bundle) };
    for (let at = 0; at < bundle.data.length; at += 1) {
      const changed = { ...bundle, data: flipped(bundle.data, at) };
      expect(await codeOf(unpack(changed, PASSPHRASE, async () => box.derived))).toMatch(/^backup_/);
    }
  });
});

async function deriveKeyOf({ kdf }: BackupBundle) {
  const salt = new Uint8Array(Buffer.from(kdf.salt, 'base64'));
  return deriveKey(PASSPHRASE, { ...kdf, salt });
}

function flipped(text: string, at: number): string {
  const other = text[at] === 'A' ? 'B' : 'A';
  return text.slice(0, at) + other + text.slice(at + 1);
}

describe('A file that is not a Sallyport bundle', () => {
  const REFUSED: readonly [string, (bundle: BackupBundle) => unknown, string][] = [
    ['nothing', () => null, 'backup_unreadable'],
    ['a text', () => 'sallyport-backup', 'backup_unreadable'],
    ['another format', (bundle) => ({ ...bundle, format: 'restic' }), 'backup_unreadable'],
    ['one of a later version', (bundle) => ({ ...bundle, version: 2, kdf: 'new' }), 'backup_too_new'],
    ['one of no version', (bundle) => ({ ...bundle, version: 0 }), 'backup_unreadable'],
    ['one with more around it', (bundle) => ({ ...bundle, note: 'x' }), 'backup_unreadable'],
    ['one without data', ({ data, ...bundle }) => bundle, 'backup_unreadable'],
    ['data that is no base64', (bundle) => ({ ...bundle, data: '%%%%' }), 'backup_unreadable'],
    ['data with spaces', (bundle) => ({ ...bundle, data: ` ${bundle.data.slice(1)}` }), 'backup_unreadable'],
    ['data of 40 MiB', (bundle) => ({ ...bundle, data: 'A'.repeat(40 * MIB) }), 'backup_too_large'],
    ['counts beyond reason', (bundle) => ({ ...bundle, counts: { servers: 1e15 } }), 'backup_too_large'],
    ['counts below nothing', (bundle) => ({ ...bundle, counts: { servers: -1 } }), 'backup_unreadable'],
    ['4 TiB for its key', withKdf({ memory_kib: 2 ** 32 }), 'backup_unreadable'],
    ['a thousand passes', withKdf({ iterations: 1000 }), 'backup_unreadable'],
    ['a thousand lanes', withKdf({ parallelism: 1000 }), 'backup_unreadable'],
    ['a key that is too cheap', withKdf({ memory_kib: 8 }), 'backup_unreadable'],
    ['a key by another way', withKdf({ name: 'pbkdf2' }), 'backup_unreadable'],
    ['no salt', withKdf({ salt: '' }), 'backup_unreadable'],
  ];

  it.each(REFUSED)('is refused before a key is derived: %s', async (_what, change, code) => {
    expect(await codeOf(unpack(change(await pack('one')), PASSPHRASE, noKey))).toBe(code);
  });
});

function withKdf(change: object) {
  return (bundle: BackupBundle) => ({ ...bundle, kdf: { ...bundle.kdf, ...change } });
}

describe('A packed backup', () => {
  const LIMITS = { total_bytes: 8 * MIB, line_characters: 1000 };

  async function read(bytes: Buffer, limits = LIMITS) {
    let count = 0;
    await refusing(async () => {
      for await (const _line of unzipLines(new Uint8Array(bytes), limits)) count += 1;
    });
    return count;
  }

  it('unpacks to no more than the limit and never holds more than that in memory', async () => {
    const member = gzipSync(`${'x'.repeat(127)}\n`.repeat(8192));
    const bomb = Buffer.concat(Array.from({ length: 10_240 }, () => member)); // 10 GiB
    const before = process.memoryUsage().rss;
    expect(await codeOf(read(bomb))).toBe('backup_too_large');
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
  });

  it('contains no endless line', async () => {
    expect(await codeOf(read(gzipSync('one\ntwo')))).toBe('backup_unreadable');
  });

  it('contains no line longer than a row may be', async () => {
    expect(await codeOf(read(gzipSync(`${'x'.repeat(1001)}\n`)))).toBe('backup_unreadable');
    expect(await codeOf(read(gzipSync('x'.repeat(4 * MIB))))).toBe('backup_unreadable');
  });

  it.each([
    ['is broken off', gzipSync('one\n'.repeat(1000)).subarray(0, 30)],
    ['is no gzip', Buffer.from('one\n')],
    ['is no UTF-8', gzipSync(Buffer.from([0x6f, 0xff, 0x0a]))],
  ])('is refused when it %s', async (_what, bytes) => {
    expect(await codeOf(read(bytes))).toBe('backup_unreadable');
  });

  it('is refused when it would be too large to unpack again', async () => {
    async function* endless(): AsyncGenerator<string, void> {
      for (;;) yield 'x'.repeat(MIB);
    }
    expect(await codeOf(refusing(() => zipLines(endless(), LIMITS)))).toBe('backup_too_large');
  });
});

describe('A passphrase', () => {
  it('derives the key that Argon2id defines', async () => {
    const { hash } = await import('@node-rs/argon2');
    const salt = new Uint8Array(16).fill(7);
    const cost = { memoryCost: 8192, timeCost: 2, parallelism: 1, outputLen: 32 };
    const phc = await hash(PASSPHRASE, { ...cost, salt });
    const key = await deriveKey(PASSPHRASE, { salt, memory_kib: 8192, iterations: 2, parallelism: 1 });
    expect(Buffer.from(key).toString('base64').replace(/=+$/, '')).toBe(phc.split('$').at(-1));
  });

  it('encrypts the contents and authenticates the envelope', async () => {
    const how = { salt: new Uint8Array(16), memory_kib: 8192, iterations: 1, parallelism: 1 };
    const box = await createPassphraseBox(deriveKey, PASSPHRASE, how);
    const [plain, nonce] = [new TextEncoder().encode('plain'), new Uint8Array(12)];
    const closed = await box.close(plain, nonce, 'bound');
    expect(Buffer.from(closed).includes('plain')).toBe(false);
    expect(await box.open(closed, nonce, 'bound')).toEqual(plain);
    expect(await box.open(closed, nonce, 'other')).toBeUndefined();
  });
});
