import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ML_KEM, type MlKem, NOBLE, NODE, SEED_BYTES } from '#worker/ssh/hybrid/ml-kem.ts';
import { ENTROPY_BYTES, initiate, respond } from '#worker/ssh/hybrid/mlkem768x25519.ts';
import { VECTOR } from './vector.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const KEMS: [string, MlKem][] = [
  ['@noble/post-quantum', NOBLE],
  ...(NODE ? [['Node.js', NODE] as [string, MlKem]] : []),
];
const PAIRS = KEMS.flatMap(([client, a]) => KEMS.map(([server, b]) => [client, server, a, b] as const));

describe('mlkem768x25519-sha256', () => {
  it.each(KEMS)('agrees with OpenSSL byte by byte: %s', (_name, kem) => {
    const { init, secretOf } = initiate({ kem, entropy: VECTOR.entropy });
    expect(sha256(init)).toBe(VECTOR.init_sha256);
    expect(secretOf(VECTOR.reply).toString('hex')).toBe(VECTOR.secret);
  });

  it.each(PAIRS)('gives both sides the same secret: %s with %s', (_client, _server, ours, theirs) => {
    const client = initiate({ kem: ours });
    const server = respond(client.init, { kem: theirs });
    expect([client.init.length, server.reply.length, server.secret.length]).toEqual([
      1184 + 32,
      1088 + 32,
      32,
    ]);
    expect(client.secretOf(server.reply)).toEqual(server.secret);
  });

  it('gives each exchange other keys and another secret', () => {
    const [first, second] = [initiate(), initiate()];
    expect(first.init).not.toEqual(second.init);
    expect(respond(first.init).secret).not.toEqual(respond(first.init).secret);
  });

  it.each([
    ['short', (bytes: Buffer) => bytes.subarray(1)],
    ['long', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(1)])],
    ['empty', () => Buffer.alloc(0)],
  ])('refuses a message that is %s', (_what, change) => {
    const client = initiate();
    expect(() => respond(change(client.init))).toThrow('mlkem768x25519-sha256 takes 1216 bytes');
    expect(() => client.secretOf(change(respond(client.init).reply))).toThrow('takes 1120 bytes');
  });

  // Points of small order: X25519 gives zeros with any private key (RFC 7748 §6.1).
  it.each([
    ['zero', '00'.repeat(32)],
    ['one', `01${'00'.repeat(31)}`],
    ['order 8', 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800'],
  ])('refuses an X25519 key that gives no secret: %s', (_what, key) => {
    const client = initiate();
    const server = respond(client.init);
    const last32 = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -32), Buffer.from(key, 'hex')]);
    expect(() => respond(last32(client.init))).toThrow();
    expect(() => client.secretOf(last32(server.reply))).toThrow();
  });

  it('refuses an ML-KEM key whose coefficients are out of range (FIPS 203 §7.2)', () => {
    const { init } = initiate();
    init.fill(0xff, 0, 3);
    for (const [, kem] of KEMS) expect(() => respond(init, { kem })).toThrow();
  });

  it('gives another secret for a ciphertext that was changed on the way', () => {
    const client = initiate();
    const { reply, secret } = respond(client.init);
    reply[0] = (reply[0] ?? 0) ^ 1;
    expect(client.secretOf(reply)).not.toEqual(secret);
  });

  it('is computed by Node.js where it can', () => {
    expect(ML_KEM).toBe(NODE ?? NOBLE);
    expect(ML_KEM.keysOf(randomBytes(SEED_BYTES)).public_key.length).toBe(1184);
    expect(ENTROPY_BYTES).toBe(96);
  });
});
