import { getDiffieHellman, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AlgorithmSet } from '#core/model/hosts/server.ts';
import { isPublishedGroup } from '#worker/ssh/algorithms/groups.ts';
import { proposalOf } from '#worker/ssh/algorithms/proposal.ts';
import { longestHold } from '../../support/event-loop.ts';
import { startSshd } from '../../support/hosts/sshd.ts';
import { failureOf, request, targetTo, trustAll, worker } from '../setup.ts';
import { hopTo, kexInit, packet, startSaying, string } from './raw-host.ts';

const HOLD_MS = 200; // 50 for the host, the rest for the test and a busy machine
const GEX = 'diffie-hellman-group-exchange-sha256';
const MERSENNE = 2n ** 3217n - 1n; // prime, so testing it takes seconds

const hex = (value: bigint) => {
  const digits = value.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
};
const mpint = (value: bigint) => Buffer.concat([Buffer.from([0]), hex(value)]);

/** The group of RFC 7919 with this many bits, by its definition: e is Euler's number. */
function ffdhe(bits: number, offset: number): bigint {
  const scale = 10n ** 3000n;
  let e = 0n;
  for (let term = scale, n = 1n; term > 0n; term /= n++) e += term;
  const [b, x] = [BigInt(bits), BigInt(offset)];
  return 2n ** b - 2n ** (b - 64n) + ((2n ** (b - 130n) * e) / scale + x) * 2n ** 64n - 1n;
}

const RFC_7919 = [
  [2048, 560316],
  [3072, 2625351],
  [4096, 5736041],
  [6144, 15705020],
  [8192, 10965728],
] as const;

const GEX_GROUP = 31;
const KEX_REPLY = 31;
const NEWKEYS = 21;

/** What a host with an RSA key sends that offers this key exchange and goes on without waiting. */
function greeting(kex: string, ...packets: readonly Buffer[]): Buffer {
  const lists = [kex, 'rsa-sha2-512', 'aes128-gcm@openssh.com', 'aes128-gcm@openssh.com'];
  const offer = kexInit([...lists, '', '', 'none', 'none', '', '']);
  return Buffer.concat([Buffer.from('SSH-2.0-OpenSSH_9.9\r\n'), offer, ...packets.map(packet)]);
}

const message = (type: number, ...fields: readonly Buffer[]) =>
  Buffer.concat([Buffer.from([type]), ...fields.map(string)]);

describe('a group that the host chooses', () => {
  async function refusal(bytes: Buffer, algorithms: AlgorithmSet = 'legacy') {
    const host = await startSaying(bytes);
    const target = { hops: [{ ...hopTo(host.port), algorithms }] } as const;
    const open = () => failureOf(worker().shells.open(target, request()));
    const { result, held_ms } = await longestHold(open);
    await host.stop();
    return { failure: result, held_ms };
  }

  it('is offered by nobody but a legacy server', () => {
    expect(proposalOf('default').kex.join()).not.toContain('group-exchange');
    expect(proposalOf('legacy').kex).toContain(GEX);
  });

  it('is refused before its prime is tested', async () => {
    const group = message(GEX_GROUP, mpint(MERSENNE), mpint(2n));
    const { failure, held_ms } = await refusal(greeting(GEX, group));
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'handshake' });
    expect(failure.detail).toContain('proposes a Diffie-Hellman group that is none of RFC 3526 or RFC 7919');
    expect(held_ms).toBeLessThan(HOLD_MS);
  });

  it.each(['default', 'legacy'] as const)('is ignored where none was asked for: %s', async (algorithms) => {
    const group = message(GEX_GROUP, mpint(MERSENNE), mpint(2n));
    const { failure, held_ms } = await refusal(greeting('curve25519-sha256', group), algorithms);
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'handshake' });
    expect(held_ms).toBeLessThan(HOLD_MS);
  });

  it('is accepted when it is published, with generator 2 only', () => {
    const two = mpint(2n);
    for (const name of ['modp14', 'modp15', 'modp16', 'modp17', 'modp18']) {
      expect(isPublishedGroup(getDiffieHellman(name).getPrime(), two)).toBe(true);
    }
    for (const [bits, offset] of RFC_7919) {
      expect(isPublishedGroup(mpint(ffdhe(bits, offset)), two)).toBe(true);
      expect(isPublishedGroup(mpint(ffdhe(bits, offset)), mpint(5n))).toBe(false);
      expect(isPublishedGroup(mpint(ffdhe(bits, offset) + 2n), two)).toBe(false);
    }
    expect(isPublishedGroup(getDiffieHellman('modp5').getPrime(), two)).toBe(false);
    expect(isPublishedGroup(Buffer.alloc(0), Buffer.alloc(0))).toBe(false);
  });

  /** An sshd that proposes this group. */
  async function startProposing(prime: bigint) {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-moduli-'));
    const file = join(folder, 'moduli');
    const bits = prime.toString(2).length;
    writeFileSync(file, `20200101000000 2 6 100 ${bits - 1} 2 ${prime.toString(16)}\n`);
    const host = await startSshd({ config: [`KexAlgorithms ${GEX}`, `ModuliFile ${file}`] });
    return { host, stop: () => host.stop().finally(() => rmSync(folder, { recursive: true })) };
  }

  it('connects to an sshd that proposes a published group', async () => {
    const { host, stop } = await startProposing(ffdhe(4096, 5736041));
    const target = targetTo(host, { algorithms: 'legacy' });
    const { held_ms } = await longestHold(() => worker().shells.open(target, request()));
    await stop();
    expect(held_ms).toBeLessThan(HOLD_MS);
  });

  it('does not connect to an sshd that proposes its own', async () => {
    const { host, stop } = await startProposing(ffdhe(4096, 5736041) + 2n ** 64n);
    const failure = await failureOf(
      worker().shells.open(targetTo(host, { algorithms: 'legacy' }), request()),
    );
    await stop();
    expect(failure.detail).toContain('none of RFC 3526 or RFC 7919');
  });

  it('does not matter to a host that supports a fixed group as well', async () => {
    const host = await startSshd({
      config: [`KexAlgorithms ${GEX},diffie-hellman-group18-sha512`],
    });
    const open = () => worker().shells.open(targetTo(host, { algorithms: 'legacy' }), request());
    const { held_ms } = await longestHold(open);
    await host.stop();
    expect(held_ms).toBeLessThan(HOLD_MS);
  });
});

describe('a host key', () => {
  const rsa = (bits: number, exponent: bigint) =>
    message(KEX_REPLY, rsaBlob(bits, exponent), randomBytes(32), signature(bits));
  const rsaBlob = (bits: number, exponent: bigint) => {
    const modulus = randomBytes(bits / 8);
    modulus[0] = 0xff;
    return Buffer.concat([string('ssh-rsa'), string(mpint(exponent)), string(Buffer.from([0, ...modulus]))]);
  };
  const signature = (bits: number) => Buffer.concat([string('rsa-sha2-512'), string(randomBytes(bits / 8))]);

  it.each([
    ['16384 bits', 16384, 65537n, 'an RSA host key of 16384 bits (8192 at most)'],
    ['a long exponent', 3072, 2n ** 3000n + 1n, 'an RSA host key with a long exponent'],
  ])('with %s is refused before it is judged or verified', async (_what, bits, exponent, what) => {
    const bytes = greeting('curve25519-sha256', rsa(bits, exponent), Buffer.from([NEWKEYS]));
    const host = await startSaying(bytes);
    const host_keys = trustAll();
    const target = { hops: [hopTo(host.port)] } as const;
    const failure = await failureOf(worker({ host_keys }).shells.open(target, request()));
    await host.stop();
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'handshake' });
    expect(failure.detail).toBe(`127.0.0.1:${host.port} presents ${what}`);
    expect(host_keys.seen).toEqual([]);
  });
});
