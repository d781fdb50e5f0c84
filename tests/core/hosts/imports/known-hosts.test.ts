import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createWarnings } from '#core/hosts/imports/warning-list.ts';
import {
  createKnownHostMatcher,
  fingerprintOf,
  hashedWork,
  type KnownHost,
  preferredFirst,
  readKnownHosts,
} from '#core/hosts/known-hosts/parse.ts';
import { createGiveWay } from '#core/lib/concurrency/give-way.ts';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-known-hosts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keygen = (...args: string[]) => execFileSync('ssh-keygen', args, { encoding: 'utf8', stdio: 'pipe' });

/** Type and blob of a fresh key, as in a `known_hosts` line. */
function makeKey(name: string, ...options: string[]): string {
  keygen('-q', '-N', '', '-f', join(folder, name), ...options);
  return readFileSync(join(folder, `${name}.pub`), 'utf8')
    .split(' ')
    .slice(0, 2)
    .join(' ');
}

const ed25519 = makeKey('ed25519', '-t', 'ed25519');
const other = makeKey('other', '-t', 'ed25519');
const p256 = makeKey('p256', '-t', 'ecdsa', '-b', '256');
const p384 = makeKey('p384', '-t', 'ecdsa', '-b', '384');
const p521 = makeKey('p521', '-t', 'ecdsa', '-b', '521');
const rsa = makeKey('rsa', '-t', 'rsa', '-b', '1024');
const blobOf = (key: string) => key.split(' ')[1] ?? '';

/** Line numbers that OpenSSH finds for a name. */
function askSsh(text: string, name: string): number[] {
  const file = join(folder, 'known_hosts');
  writeFileSync(file, text);
  try {
    return [...keygen('-F', name, '-f', file).matchAll(/found: line (\d+)/g)].map(([, line]) => Number(line));
  } catch {
    return [];
  }
}

function hashed(text: string): string {
  const file = join(folder, 'hashed');
  writeFileSync(file, text);
  keygen('-H', '-f', file);
  return readFileSync(file, 'utf8');
}

async function read(text: string) {
  const warnings = createWarnings();
  const { entries, revoked } = await readKnownHosts(text, warnings);
  return { entries, revoked: [...revoked], warnings: warnings.list() };
}

const matcherOf = (entries: readonly KnownHost[], steps_left = 1_000_000_000) =>
  createKnownHostMatcher(entries, { steps_left, giveWay: createGiveWay() });

async function linesOf(text: string, hostname: string, port = 22): Promise<number[] | undefined> {
  const { keysOf } = await matcherOf((await read(text)).entries);
  return (await keysOf({ hostname, port }))?.map(({ line }) => line);
}

describe('A known_hosts file', () => {
  it('yields every kind of key that can be pinned, with OpenSSH’s fingerprint', async () => {
    const text = [ed25519, p256, p384, p521, rsa].map((key) => `h ${key} a comment\n`).join('');
    const { entries, revoked, warnings } = await read(text);
    expect(entries.map(({ key_type, host_key }) => `${key_type} ${host_key}`)).toEqual([
      ed25519,
      p256,
      p384,
      p521,
      rsa,
    ]);
    expect([revoked, warnings]).toEqual([[], []]);
    for (const [index, name] of ['ed25519', 'p256', 'p384', 'p521', 'rsa'].entries()) {
      const fingerprint = await fingerprintOf(entries[index]?.host_key ?? '');
      expect(keygen('-l', '-f', join(folder, `${name}.pub`)).split(' ')[1]).toBe(fingerprint);
    }
  });

  it('may contain comments, blank lines, tabs, CRLF and a byte order mark', async () => {
    const text = `\uFEFF# of mine\r\n\r\n\th,i\t${ed25519.replace(' ', ' \t ')}\r\n  # ${ed25519}\r\n`;
    expect((await read(text)).warnings).toEqual([]);
    expect(await linesOf(text, 'i')).toEqual([3]);
  });

  it.each([
    ['a port of its own', '[h]:2222', 'h', 2222, true],
    ['another port', '[h]:2222', 'h', 2223, false],
    ['no port, asked for one', 'h', 'h', 2222, false],
    ['no port, which is 22', 'h', 'h', 22, true],
    ['another name', 'h', 'hh', 22, false],
    ['a list', 'g,h,i', 'h', 22, true],
    ['capitals in the file', 'H.Example', 'h.example', 22, true],
    ['capitals in the address', 'h.example', 'H.Example', 22, true],
    ['IPv6', '2001:db8::1', '2001:db8::1', 22, true],
    ['IPv6 with a port', '[2001:db8::1]:2222', '2001:db8::1', 2222, true],
    ['a wildcard', '*.example', 'h.example', 22, true],
    ['a wildcard over ports', '[*.example]:*', 'h.example', 2222, true],
    ['a question mark', '?.example', 'hh.example', 22, false],
    ['a negation', '*,!h', 'h', 22, false],
    ['a negation that comes first', '!h,*', 'h', 22, false],
    ['a negation of another', '!g,*', 'h', 22, true],
    ['nothing but a negation', '!g', 'h', 22, false],
    ['a wildcard as long as the form with the port', '??????', 'h', 22, false],
  ])('is matched as OpenSSH does: %s', async (_name, patterns, hostname, port, is_match) => {
    const text = `${patterns} ${ed25519}\n`;
    expect(await linesOf(text, hostname, port)).toEqual(is_match ? [1] : []);
    expect(askSsh(text, port === 22 ? hostname : `[${hostname}]:${port}`)).toEqual(is_match ? [1] : []);
  });

  it('may spell out port 22', async () => {
    const text = `[h]:22 ${ed25519}\nh ${p256}\n`;
    expect(await linesOf(text, 'h')).toEqual([1, 2]);
    expect(await linesOf(hashed(text), 'h')).toEqual([1, 2]);
  });

  it('matches once for a line that names the host twice', async () => {
    expect(await linesOf(`h,h,[h]:22 ${ed25519}\n`, 'h')).toEqual([1]);
  });

  const names = ['h.example', '[h.example]:2222', '192.0.2.1', '2001:db8::1', '[2001:db8::1]:22022'];
  const text = hashed(`${names.join(',')} ${ed25519}\nH.EXAMPLE ${p256}\nplain*.example ${rsa}\n`);

  it.each([
    ['h.example', 22, [1, 6]],
    ['H.Example', 22, [1, 6]],
    ['h.example', 2222, [2]],
    ['192.0.2.1', 22, [3]],
    ['2001:db8::1', 22, [4]],
    ['2001:db8::1', 22022, [5]],
    ['plain1.example', 22, [7]],
    ['other.example', 22, []],
  ])('is matched by its hashed names as OpenSSH does: %s, port %i', async (hostname, port, lines) => {
    const name = hostname.toLowerCase(); // In the form that ssh looks up.
    expect(await linesOf(text, hostname, port)).toEqual(lines);
    expect(askSsh(text, port === 22 ? name : `[${name}]:${port}`)).toEqual(lines);
  });

  it('has its cost computed first: one HMAC for each salt and each form of a name', async () => {
    const { entries } = await read(text);
    expect(hashedWork(entries, [])).toBe(0);
    expect(hashedWork(entries, [{ hostname: 'a', port: 22 }])).toBe(12);
    expect(
      hashedWork(entries, [
        { hostname: 'a', port: 22 },
        { hostname: 'a', port: 23 },
      ]),
    ).toBe(18);
    const again = entries.flatMap((entry) => [entry, { ...entry, line: entry.line + 100 }]);
    expect(hashedWork(again, [{ hostname: 'a', port: 23 }])).toBe(6);
  });

  it('matches every line that shares a salt', async () => {
    const { entries } = await read(text);
    const again = entries.map((entry) => ({ ...entry, line: entry.line + 100 }));
    const { keysOf } = await matcherOf([...entries, ...again]);
    const found = await keysOf({ hostname: '192.0.2.1', port: 22 });
    expect(found?.map(({ line }) => line)).toEqual([3, 103]);
  });

  it('lists the preferred key type first for the pin', async () => {
    const { entries } = await read(
      [rsa, p521, p384, ed25519, p256, other].map((key) => `h ${key}\n`).join(''),
    );
    expect(preferredFirst(entries).map(({ line }) => line)).toEqual([4, 6, 5, 3, 2, 1]);
  });
});

describe('An unusable line of a known_hosts file', () => {
  const blob = Buffer.from(blobOf(ed25519), 'base64');
  const rsaBlob = Buffer.from(blobOf(rsa), 'base64');
  const string = (bytes: string | Buffer) =>
    Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), Buffer.from(bytes)]);
  const point = Buffer.concat([
    string('ecdsa-sha2-nistp256'),
    string('nistp384'),
    string(Buffer.alloc(65, 4)),
  ]);
  const compressed = Buffer.concat([
    string('ecdsa-sha2-nistp256'),
    string('nistp256'),
    string(Buffer.alloc(65, 2)),
  ]);
  keygen('-q', '-s', join(folder, 'other'), '-I', 'id', '-h', join(folder, 'ed25519.pub'));
  const certificate = readFileSync(join(folder, 'ed25519-cert.pub'), 'utf8').trim();
  const salt = Buffer.alloc(20, 1).toString('base64');

  it.each([
    ['no key', 'h'],
    ['no blob', 'h ssh-ed25519'],
    ['a key of SSH 1', 'h 1024 35 123456789'],
    ['a DSA key', `h ssh-dss ${blobOf(ed25519)}`],
    ['a key on a token', `h sk-ssh-ed25519@openssh.com ${blobOf(ed25519)}`],
    ['a certificate', `h ${certificate}`],
    ['a certificate by the name of a key', `h ${certificate.replace(/^\S+/, 'ssh-ed25519')}`],
    ['a signature algorithm', `h rsa-sha2-512 ${blobOf(rsa)}`],
    ['another type inside', `h ssh-rsa ${blobOf(ed25519)}`],
    ['no base64', `h ssh-ed25519 ${blobOf(ed25519).replace('I', '*')}`],
    ['base64 that is cut', `h ssh-ed25519 ${blobOf(ed25519).slice(0, -1)}`],
    ['a blob that is cut', `h ssh-ed25519 ${blob.subarray(0, 48).toString('base64')}`],
    ['a blob that is cut between its strings', `h ssh-ed25519 ${blob.subarray(0, 15).toString('base64')}`],
    ['a blob that goes on', `h ssh-ed25519 ${Buffer.concat([blob, string('')]).toString('base64')}`],
    ['a few bytes more', `h ssh-ed25519 ${Buffer.concat([blob, Buffer.alloc(3)]).toString('base64')}`],
    ['an RSA key without modulus', `h ssh-rsa ${rsaBlob.subarray(0, 18).toString('base64')}`],
    [
      'an RSA key of 512 bits',
      `h ssh-rsa ${Buffer.concat([rsaBlob.subarray(0, 18), string(Buffer.alloc(65, 1))]).toString('base64')}`,
    ],
    ['a point of another curve', `h ecdsa-sha2-nistp256 ${point.toString('base64')}`],
    ['a compressed point', `h ecdsa-sha2-nistp256 ${compressed.toString('base64')}`],
    ['a hash of another kind', `|2|${salt}|${salt} ${ed25519}`],
    ['a hash without salt', `|1||${salt} ${ed25519}`],
    ['a short hash', `|1|${salt}|AAAA ${ed25519}`],
    ['a hash and a name', `|1|${salt}|${salt},h ${ed25519}`],
    ['a certificate authority', `@cert-authority *.example ${ed25519}`],
    ['a pattern that is too long', `h,*${'a'.repeat(255)} ${ed25519}`],
    ['a key that is too long', `h ssh-rsa ${'A'.repeat(100_000)}`],
    ['an unknown marker', `@other * ${ed25519}`],
  ])('is skipped with a warning that names it: %s', async (_name, line) => {
    const { entries, revoked, warnings } = await read(`# first\n${line}\nh ${p256}\n`);
    expect(entries.map(({ line }) => line)).toEqual([3]);
    expect(revoked).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^Line 2 is left out: .+\.$/)]);
  });

  it('lists revoked keys, which no other line restores', async () => {
    const text = `h ${other}\n@revoked * ${other} why\nh ${ed25519}\n@revoked * ssh-dss AAAA\n@revoked * x =\n`;
    const { entries, revoked, warnings } = await read(text);
    expect(entries.map(({ line }) => line)).toEqual([3]);
    expect(revoked).toEqual([blobOf(other), 'AAAA']);
    expect(warnings.map((warning) => warning.slice(0, 6))).toEqual(['Line 2', 'Line 4', 'Line 5', 'Line 1']);
  });

  it('gives at most 200 warnings and the number of the others', async () => {
    const { warnings } = await read('h\n'.repeat(100_000));
    expect(warnings).toHaveLength(201);
    expect(warnings.at(-1)).toBe('and 99800 more');
  });
});

describe('A large known_hosts file', () => {
  it('is matched against many servers', async () => {
    const text = Array.from({ length: 8000 }, (_, index) => `h${index},h0 ${ed25519}\n`).join('');
    const { keysOf } = await matcherOf((await read(text)).entries);
    expect(await keysOf({ hostname: 'h0', port: 22 })).toHaveLength(8000);
    for (let index = 1; index < 5000; index += 1) {
      expect(await keysOf({ hostname: `h${index}`, port: 22 })).toHaveLength(1);
    }
  });

  it('is given up when matching exceeds its step limit, even if every name matches', async () => {
    const many = `${'*a*b,'.repeat(1000)}h ${ed25519}\n`;
    const often = `h ${ed25519}\n`.repeat(1000);
    for (const text of [many, often]) {
      const { keysOf } = await matcherOf((await read(text)).entries, 150_000);
      const address = { hostname: 'h', port: 22 };
      expect(await keysOf(address)).toBeDefined();
      let rounds = 1;
      while (await keysOf(address)) rounds += 1;
      expect(rounds).toBeLessThan(100);
    }
  });

  it('yields to the event loop while it is read and matched', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    });
    const { entries } = await read(`${'*a*b,'.repeat(200_000)}h ${ed25519}\n`);
    const { keysOf } = await matcherOf(entries, 20_000_000);
    while (await keysOf({ hostname: 'host.example', port: 22 }));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});
