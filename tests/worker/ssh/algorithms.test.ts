import { generateKeyPairSync } from 'node:crypto';
import ssh2, { type Connection } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SshAuth, SshTarget } from '#core/ports/ssh.ts';
import { algorithmsFor, proposalOf } from '#worker/ssh/algorithms/proposal.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { failureOf, request, targetTo, worker } from '../setup.ts';
import { freshKey, startDouble } from '../ssh-double.ts';
import { kexInit, startSaying } from './raw-host.ts';

const open = (target: SshTarget) => worker().shells.open(target, request());

const PEM = { type: 'pkcs1', format: 'pem' } as const;
const rsaKey = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048, privateKeyEncoding: PEM, publicKeyEncoding: PEM })
    .privateKey;

const LEGACY_HINT = `Setting the server's algorithms to "legacy" would allow it`;

describe('the algorithms', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd.stop());

  it('include no SHA-1, CBC, MD5, DSA or group 1 by default', () => {
    const names = Object.values(proposalOf('default')).flat().map(String);
    expect(names.filter((name) => /sha1|cbc|md5|3des|arcfour|^ssh-rsa$|dss|group1-/.test(name))).toEqual([]);
  });

  it('are the default ones, then the old ones, for a legacy server', () => {
    const [modern, legacy] = [proposalOf('default'), proposalOf('legacy')];
    for (const kind of ['kex', 'host_key', 'cipher'] as const) {
      expect(legacy[kind].slice(0, modern[kind].length)).toEqual(modern[kind]);
      expect(legacy[kind].length).toBeGreaterThan(modern[kind].length);
    }
    expect(legacy.mac).toEqual(expect.arrayContaining([...modern.mac]));
  });

  it('start with the types of the known host keys', () => {
    const blob = (kind: string) => Buffer.from(`\0\0\0${String.fromCharCode(kind.length)}${kind}`, 'latin1');
    const known = ['ssh-rsa', 'ecdsa-sha2-nistp384'].map((kind) => blob(kind).toString('base64'));
    const { serverHostKey } = algorithmsFor({
      ...targetTo(sshd).hops[0],
      algorithms: 'default',
      known_host_keys: known,
    });
    expect(serverHostKey).toEqual([
      ...['ecdsa-sha2-nistp384', 'rsa-sha2-512', 'rsa-sha2-256'],
      ...['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp521'],
    ]);
  });

  it.each([
    ['KexAlgorithms', 'diffie-hellman-group1-sha1', 'key exchange algorithm'],
    [
      'KexAlgorithms',
      'diffie-hellman-group14-sha1,diffie-hellman-group-exchange-sha1',
      'key exchange algorithm',
    ],
    ['HostKeyAlgorithms', 'ssh-rsa', 'host key algorithm'],
    ['Ciphers', '3des-cbc,aes128-cbc', 'cipher'],
  ])(
    'that do not match are named, with the host’s offer and a remedy: %s %s',
    async (option, names, what) => {
      const old = await startSshd({ config: [`${option} ${names}`] });
      const refused = await failureOf(open(targetTo(old)));
      const shell = await open(targetTo(old, { algorithms: 'legacy' }));
      shell.close();
      await old.stop();
      expect(refused).toEqual({
        code: 'ssh_protocol',
        detail:
          `127.0.0.1:${old.port} shares no ${what} with this gateway: it offers ` +
          `${names.split(',').join(', ')}. ${LEGACY_HINT}`,
        stage: 'handshake',
        hop: undefined,
      });
    },
  );

  it('that do not match include the MAC where the cipher needs one', async () => {
    const old = await startSshd({ config: ['Ciphers aes128-ctr', 'MACs hmac-sha1,hmac-md5'] });
    const refused = await failureOf(open(targetTo(old)));
    await expect(open(targetTo(old, { algorithms: 'legacy' }))).resolves.toBeDefined();
    await old.stop();
    expect(refused.detail).toContain(
      'shares no MAC algorithm with this gateway: it offers hmac-sha1, hmac-md5.',
    );
  });

  it('do not suggest legacy where it would not help', async () => {
    const { target } = await startDouble({
      algorithms: { cipher: ['aes256-gcm'], kex: ['diffie-hellman-group1-sha1'] },
    });
    const failure = await failureOf(open(target()));
    expect(failure.detail).toContain('shares no key exchange algorithm');
    expect(failure.detail).not.toContain('legacy');
    const legacy = await failureOf(open(target({ algorithms: 'legacy' })));
    expect(legacy.detail).toMatch(/shares no cipher with this gateway: it offers aes256-gcm$/);
  });

  it('are read from an offer that arrives byte by byte, after other lines', async () => {
    const lists = ['none-of-ours', 'ssh-ed25519', 'c', 'c', 'm', 'm', 'none', 'none', '', ''];
    const bytes = Buffer.concat([Buffer.from('hello\r\nSSH-2.0-old\r\n'), kexInit(lists)]);
    const slow = await startSaying(bytes, 1);
    const failure = await failureOf(open(targetTo(sshd, { port: slow.port })));
    await slow.stop();
    expect(failure.detail).toContain(
      'shares no key exchange algorithm with this gateway: it offers none-of-ours',
    );
  });

  it.each([
    ['too few lists', kexInit(['a', 'b'])],
    ['a list without end', Buffer.concat([kexInit(['a']).subarray(0, 22), Buffer.alloc(200, 0xff)])],
    ['a packet of 4 GiB', Buffer.alloc(64, 0xff)],
  ])('are read from an offer with %s', async (_what, offer) => {
    const peer = await startSaying(Buffer.concat([Buffer.from('SSH-2.0-odd\r\n'), offer]));
    const target = targetTo(sshd, { port: peer.port });
    const failure = await failureOf(worker({ connect_timeout_ms: 500 }).shells.open(target, request()));
    await peer.stop();
    expect(['ssh_protocol', 'connect_timeout']).toContain(failure.code);
    expect(failure.stage).toBe('handshake');
  });

  it('that a host lists by the megabyte are not repeated in the error', async () => {
    const lists = ['x'.repeat(30_000), 'h', 'c', 'c', 'm', 'm', 'none', 'none', '', ''];
    const peer = await startSaying(Buffer.concat([Buffer.from('SSH-2.0-old\r\n'), kexInit(lists)]));
    const failure = await failureOf(open(targetTo(sshd, { port: peer.port })));
    await peer.stop();
    expect(failure.detail).toContain('shares no key exchange algorithm with this gateway: it offers xxx');
    expect(failure.detail.length).toBeLessThan(600);
  });
});

function publicOf(private_key: string): string {
  const key = ssh2.utils.parseKey(private_key);
  if (key instanceof Error) throw key;
  return `${key.type} ${key.getPublicSSH().toString('base64')}\n`;
}

describe('an RSA key', () => {
  const private_key = rsaKey();
  const auth: SshAuth = { method: 'key', private_key, passphrase: '' };

  it.each(['default', 'legacy'] as const)('signs with SHA-2 at a current host: %s', async (algorithms) => {
    const own = await startSshd({ authorized_keys: [publicOf(private_key)] });
    await open(targetTo(own, { auth, algorithms }));
    await own.stop();
    expect(own.log()).toMatch(/Accepted publickey .* RSA/);
    expect(own.log()).not.toContain('pkalg ssh-rsa ');
  });

  /** Accepts only SHA-1 signatures, and reveals that only by its host keys. */
  const startOld = (names: string[]) =>
    startDouble({
      host_keys: [rsaKey(), freshKey()],
      algorithms: { serverHostKey: ['ssh-ed25519', 'ssh-rsa'] },
      connected: keepExtensionsBack,
      decide(context) {
        if (context.method !== 'publickey') return context.reject(['publickey']);
        const { hashAlgo = 'sha1', signature } = context;
        names.push(signature ? `${hashAlgo} signed` : hashAlgo);
        if (hashAlgo === 'sha1') context.accept();
        else context.reject(['publickey']);
      },
    });

  it('never signs with SHA-1 by default, and the error says what would allow it', async () => {
    const names: string[] = [];
    const { target } = await startOld(names);
    const failure = await failureOf(open(target({ auth })));
    expect(failure).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect(failure.detail).toContain(`it only supports RSA signatures with SHA-1. ${LEGACY_HINT}`);
    expect(names).toEqual(['sha512', 'sha256']);
  });

  it('signs with SHA-1 when the server is legacy and the host supports nothing better', async () => {
    const names: string[] = [];
    const { target } = await startOld(names);
    await expect(open(target({ auth, algorithms: 'legacy' }))).resolves.toBeDefined();
    expect(names.at(-1)).toBe('sha1 signed');
  });
});

interface Internals {
  readonly _protocol: {
    _kex: { remoteExtInfoEnabled: boolean };
    _onHandshakeComplete(...args: unknown[]): void;
  };
}

/** Like hosts older than RFC 8308, which do not announce their signature algorithms; ssh2 has no option for it. */
function keepExtensionsBack(client: Connection): void {
  const { _protocol } = client as unknown as Internals;
  const complete = _protocol._onHandshakeComplete;
  _protocol._onHandshakeComplete = (...args) => {
    _protocol._kex.remoteExtInfoEnabled = false;
    complete(...args);
  };
}
