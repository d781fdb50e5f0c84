import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { assertReadable, PASSPHRASE, puttyKey, reason, signIn } from './key-files.ts';

const KINDS = ['ed25519', 'rsa', 'nistp256', 'nistp384', 'nistp521'];
const FORMS = ['v2', 'v2-encrypted', 'v3', 'v3-encrypted'];
const FILES = KINDS.flatMap((kind) => FORMS.map((form) => `${kind}-${form}`));
const OTHER_DERIVATIONS = ['ed25519-v3-argon2d', 'ed25519-v3-argon2i'];

describe('PuTTY keys', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ authorized_keys: KINDS.map((kind) => puttyKey(`${kind}.pub`)) });
  });
  afterAll(() => sshd.stop());

  it.each([...FILES, ...OTHER_DERIVATIONS])('authenticate: %s', async (name) => {
    expect(await signIn(sshd, puttyKey(`${name}.ppk`), PASSPHRASE)).toMatchObject({ success: true });
  });
});

describe('A PuTTY key', () => {
  it.each([2, 3])('of version %i reports a wrong or missing passphrase', async (version) => {
    const key = puttyKey(`nistp256-v${version}-encrypted.ppk`);
    const name = `This is a PuTTY key (version ${version})`;
    expect(await reason(key)).toBe(`${name}, encrypted: it needs its passphrase`);
    expect(await reason(key, 'wrong')).toBe(`${name}: the passphrase is wrong`);
  });

  it('may have a comment with trailing spaces', async () => {
    await expect(assertReadable(puttyKey('ed25519-v3-blanks.ppk'))).resolves.toBeUndefined();
  });

  it.each([
    ['is damaged', (key: string) => key.replace(/MAC: ../, 'MAC: zz')],
    ['is damaged', (key: string) => key.replace('throw-away', 'thrown-away')],
    ['is damaged, its Private-MAC line is missing', (key: string) => key.replace(/Private-MAC.*/, '')],
    [
      'is damaged, its Private-Lines line is missing',
      (key: string) => key.replace(/Private-Lines[\s\S]*/, ''),
    ],
    ['is damaged, 1 lines follow where Public-Lines says 2', (key: string) => key.replace('KRZ4\n', '')],
  ])('that %s is refused with that reason', async (what, damage) => {
    expect(await reason(damage(puttyKey('ed25519-v3.ppk')))).toBe(
      `This is a PuTTY key (version 3): it ${what}`,
    );
    expect(await reason(damage(puttyKey('ed25519-v2.ppk')))).toBe(
      `This is a PuTTY key (version 2): it ${what}`,
    );
  });

  it.each([
    ['dsa-v3.ppk', ': DSA keys are not supported'],
    ['ed448-v3.ppk', ': keys of the kind ssh-ed448 are not supported'],
  ])('of a type that SSH servers do not accept is refused: %s', async (name, what) => {
    expect(await reason(puttyKey(name))).toBe(`This is a PuTTY key (version 3)${what}`);
  });

  it('with a certificate is refused', async () => {
    const key = puttyKey('ed25519-v3.ppk').replace('ssh-ed25519', 'ssh-ed25519-cert-v01@openssh.com');
    expect(await reason(key)).toBe(
      'This is a PuTTY key (version 3) with a certificate (ssh-ed25519-cert-v01@openssh.com): save it without',
    );
  });

  it.each(['1', '4'])('of version %s is refused', async (version) => {
    const key = puttyKey('ed25519-v3.ppk').replace('File-3', `File-${version}`);
    expect(await reason(key)).toBe(
      `This is a PuTTY key (version ${version}), and only versions 2 and 3 are supported`,
    );
  });

  it.each([
    ['Memory', '262145'],
    ['Memory', '4294967295'],
    ['Passes', '1048577'],
    ['Parallelism', '17'],
  ])('is refused before any work when Argon2 would be too expensive: %s %s', async (what, value) => {
    const key = puttyKey('ed25519-v3-encrypted.ppk');
    const costly = key.replace(new RegExp(`Argon2-${what}: \\d+`), `Argon2-${what}: ${value}`);
    expect(await reason(costly, PASSPHRASE)).toContain('encrypted with Argon2 parameters that cost too much');
  });

  it.each(['Memory: 0', 'Passes: -1', 'Parallelism: x', 'Salt: zz'])(
    'with Argon2-%s counts as damaged',
    async (line) => {
      const [name = ''] = line.split(':');
      const key = puttyKey('ed25519-v3-encrypted.ppk').replace(
        new RegExp(`Argon2-${name}: .*`),
        `Argon2-${line}`,
      );
      expect(await reason(key, PASSPHRASE)).toBe('This is a PuTTY key (version 3): it is damaged');
    },
  );

  it('is refused when its key derivation is not Argon2', async () => {
    const key = puttyKey('ed25519-v3-encrypted.ppk').replace('Argon2id', 'constructor');
    expect(await reason(key, PASSPHRASE)).toBe(
      'This is a PuTTY key (version 3): its key derivation is not Argon2',
    );
  });
});
