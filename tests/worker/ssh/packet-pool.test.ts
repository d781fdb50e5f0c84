import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { type Cipher, reusePackets, sentPacket } from '#worker/ssh/handshake/packet-pool.ts';

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
  reusePackets(ours);
  for (const payload_bytes of [1, 8191, 8192, 8193, 20_000, 20_007, 32_768, 32_777, 33_000, 33_792, 60_000]) {
    const [wanted, made] = [theirs.allocPacket(payload_bytes), ours.allocPacket(payload_bytes)];
    expect(made.length).toBe(wanted.length);
    expect(made.subarray(0, 5)).toEqual(wanted.subarray(0, 5));
  }
});

test('the memory of a large packet is used again, but only once it was sent', async () => {
  const cipher = await createCipher('aes128-gcm@openssh.com');
  reusePackets(cipher);
  const first = cipher.allocPacket(32_777);
  expect(cipher.allocPacket(32_777).buffer).not.toBe(first.buffer);
  sentPacket(first);
  expect(cipher.allocPacket(20_000).buffer).toBe(first.buffer);
  expect(cipher.allocPacket(20_000).buffer).not.toBe(first.buffer);
});

test('memory of others is never taken', async () => {
  const cipher = await createCipher('aes128-gcm@openssh.com');
  reusePackets(cipher);
  const foreign = Buffer.from(new ArrayBuffer(cipher.allocPacket(32_777).buffer.byteLength));
  sentPacket(foreign);
  expect(cipher.allocPacket(32_777).buffer).not.toBe(foreign.buffer);
});
