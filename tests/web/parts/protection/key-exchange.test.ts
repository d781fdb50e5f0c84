import { describe, expect, it } from 'vitest';
import { en } from '../../../../apps/web/i18n/en.ts';
import { fill } from '../../../../apps/web/i18n/languages.ts';
import { whyNotPostQuantum } from '../../../../apps/web/parts/protection/key-exchange.ts';

function reasonOf(server_version: string, is_post_quantum = false): string | undefined {
  const reason = whyNotPostQuantum({ server_version, is_post_quantum });
  return reason && fill(en[reason.key], reason.values);
}

describe('The reason why a key exchange is not post-quantum', () => {
  it('is missing if the key exchange is post-quantum', () => {
    expect(reasonOf('OpenSSH_10.0p2 Debian-7', true)).toBeUndefined();
    expect(reasonOf('OpenSSH_9.2p1', true)).toBeUndefined();
  });

  it.each([
    ['OpenSSH_9.2p1 Debian-2+deb12u3', 'OpenSSH 9.2'],
    ['OpenSSH_9.8p1', 'OpenSSH 9.8'],
    ['OpenSSH_8.5p1', 'OpenSSH 8.5'],
    ['OpenSSH_6.6.1p1 Ubuntu-2ubuntu2.13', 'OpenSSH 6.6'],
    ['OpenSSH_for_Windows_9.5', 'OpenSSH for Windows 9.5'],
  ])('is the version of %s', (server_version, software) => {
    expect(reasonOf(server_version)).toBe(
      `${software} does not offer mlkem768x25519-sha256. OpenSSH 9.9 and later do.`,
    );
  });

  it.each([
    ['OpenSSH_9.9', 'OpenSSH 9.9'],
    ['OpenSSH_9.10p1', 'OpenSSH 9.10'],
    ['OpenSSH_10.0p2 Debian-7', 'OpenSSH 10.0'],
    ['OpenSSH_for_Windows_10.0p2', 'OpenSSH for Windows 10.0'],
  ])('is the configuration of %s', (server_version, software) => {
    expect(reasonOf(server_version)).toBe(
      `${software} has mlkem768x25519-sha256, but this host is configured not to offer it.`,
    );
  });

  it.each(['dropbear_2022.83', 'OpenSSH', 'OpenSSH_x', 'Not_OpenSSH_9.2', 'SSHD-OpenSSH_9.2'])(
    'is what %s offers, without a guess at why',
    (server_version) => {
      expect(reasonOf(server_version)).toBe(`${server_version} did not offer mlkem768x25519-sha256.`);
    },
  );

  it('names the host if its software has no name', () => {
    expect(reasonOf('')).toBe('The host did not offer mlkem768x25519-sha256.');
  });
});
