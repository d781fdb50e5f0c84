import { createHash } from 'node:crypto';

// SHA-256 of each prime, most significant byte first. Only these: testing another prime takes seconds.
const PUBLISHED: ReadonlySet<string> = new Set([
  // RFC 3526: 2048, 3072, 4096, 6144 and 8192 bits
  'd66436f79bbd6b2e38c0ffbd079be904d2641415e2e67140e09448be9a60890e',
  '48cf8b092fbce4359d9871abf74f98e25b6163379eaa15cd9087e800c6d1c55c',
  '4ee95187682bcb230ad26a95205f6920e84708f6251b3894329b09ec23919e33',
  'd1bfe6d0925ce7e4da262b62861514a7755e35831e429f343e7b864848657efd',
  '39ab4feab950a3128fb71accb9fc3965d857012e081998a85996e3ea8b3c3bcf',
  // RFC 7919: 2048, 3072, 4096, 6144 and 8192 bits
  '9cd3b7f336872f46c09428d1bbc19877a4d440512cda8d1c1cf0cd6e33698966',
  '0eaf67db3a839156d5013494a5318a772b5697d270d721f37f092efc69ea5a17',
  '4648414224ac881b3d0dc59b466f96d06a558278776807797ecf1f66ff397b3e',
  '227ac9066b3ddd9e193670cda2388fa884f65ba0cf98b742d1fe77a6687c79c7',
  '770b14efaf6f049929c523113b3fa99a8d11dab1b18af3609590122075d19833',
]);
const MAX_BYTES = 1 + 8192 / 8; // with the sign byte
const GENERATOR = 2; // of every published group

/** Whether a group that a host proposes (RFC 4419) is one of RFC 3526 or RFC 7919. */
export function isPublishedGroup(prime: Buffer, generator: Buffer): boolean {
  if (prime.length > MAX_BYTES || generator.length > MAX_BYTES) return false;
  const is_two = unsigned(generator).equals(Buffer.from([GENERATOR]));
  return is_two && PUBLISHED.has(createHash('sha256').update(unsigned(prime)).digest('hex'));
}

/** An mpint without its leading zeros. */
export function unsigned(mpint: Buffer): Buffer {
  const first = mpint.findIndex((byte) => byte !== 0);
  return first < 0 ? Buffer.alloc(0) : mpint.subarray(first);
}
