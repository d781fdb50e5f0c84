import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { type Cipher, createPacketPool } from '#worker/ssh/internals/packet-pool.ts';
import { handClock } from '../../support/hand-clock.ts';

interface Ssh2Crypto {
  init: Promise<void>;
  createCipher(config: object): Cipher;
  CIPHER_INFO: Record<string, { keyLen: number; ivLen: number }>;
}

const crypto: Ssh2Crypto = createRequire(import.meta.url)('ssh2/lib/protocol/crypto.js');

async function createCipher(name: string): Promise<Cipher> {
  await crypto.init;
  const cipherInfo = crypto.CIPHER_INFO[name];
  if (!cipherInfo) throw new Error(`ssh2 knows no ${name}`);
  return crypto.createCipher({
    outbound: {
      seqno: 0,
      cipherInfo,
      cipherKey: Buffer.alloc(cipherInfo.keyLen),
      cipherIV: Buffer.alloc(cipherInfo.ivLen),
      onWrite() {},
    },
  });
}

const CIPHERS = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'chacha20-poly1305@openssh.com'];

test.each(CIPHERS)('a packet of %s is laid out as ssh2 does it', async (name) => {
  const [theirs, ours] = [await createCipher(name), await createCipher(name)];
  createPacketPool(handClock()).supply(ours);
  for (const payload_bytes of [1, 8191, 8192, 8193, 20_000, 20_007, 32_768, 32_777, 33_000, 33_792, 60_000]) {
    const [wanted, made] = [theirs.allocPacket(payload_bytes), ours.allocPacket(payload_bytes)];
    expect(made.length).toBe(wanted.length);
    expect(made.subarray(0, 5)).toEqual(wanted.subarray(0, 5));
  }
});

async function supplied(clock = handClock()) {
  const cipher = await createCipher('aes128-gcm@openssh.com');
  const pool = createPacketPool(clock);
  pool.supply(cipher);
  return { cipher, pool, clock };
}

test('the memory of a large packet is used again, but only once it was sent', async () => {
  const { cipher, pool } = await supplied();
  const first = cipher.allocPacket(32_777);
  expect(cipher.allocPacket(32_777).buffer).not.toBe(first.buffer);
  pool.sent(first);
  expect(cipher.allocPacket(20_000).buffer).toBe(first.buffer);
  expect(cipher.allocPacket(20_000).buffer).not.toBe(first.buffer);
});

test('memory of others is never taken, nor that of another connection', async () => {
  const [{ cipher, pool }, another] = [await supplied(), await supplied()];
  const foreign = Buffer.from(new ArrayBuffer(cipher.allocPacket(32_777).buffer.byteLength));
  const theirs = another.cipher.allocPacket(32_777);
  for (const bytes of [foreign, theirs]) {
    pool.sent(bytes);
    expect(cipher.allocPacket(32_777).buffer).not.toBe(bytes.buffer);
  }
});

test('a connection that sends nothing large for some seconds keeps no memory', async () => {
  const { cipher, pool, clock } = await supplied();
  const first = cipher.allocPacket(32_777);
  pool.sent(first);
  await clock.pass(3000);
  expect(cipher.allocPacket(32_777).buffer).not.toBe(first.buffer);
  expect(clock.timers()).toBe(0);
});

test('what was sent is overwritten in tests, so that a late reader is caught', async () => {
  const { cipher, pool } = await supplied();
  const packet = cipher.allocPacket(32_777);
  packet.fill(1);
  pool.sent(packet);
  expect(packet.includes(1)).toBe(false);
});
