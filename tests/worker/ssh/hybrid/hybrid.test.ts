import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { Client, type Connection } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Shell } from '#core/ports/ssh.ts';
import { offerHybrid } from '#worker/ssh/internals/hybrid-exchange.ts';
import { onKeyExchange } from '#worker/ssh/internals/key-exchange.ts';
import { newer_openssh } from '../../../support/hosts/newer-openssh.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, hopTo, manualClock, request, targetTo, watch, worker } from '../../setup.ts';
import { type DoubleOptions, startDouble } from '../../ssh-double.ts';
import { packet, string } from '../raw-host.ts';
import { slipIn } from '../slip-in.ts';

const HYBRID = 'mlkem768x25519-sha256';

/** A host with the hybrid key exchange, and what each of its exchanges negotiated. */
async function startHybrid({ connected, ...options }: DoubleOptions = {}) {
  const negotiated: string[] = [];
  let host: Connection | undefined;
  const double = await startDouble({
    ...options,
    connected(client) {
      offerHybrid(client);
      client.on('handshake', ({ kex }) => negotiated.push(kex));
      host = client;
      connected?.(client);
    },
  });
  return {
    ...double,
    negotiated,
    async rekey() {
      if (!host) throw new Error('Nobody is connected');
      host.rekey();
      await once(host, 'rekey');
    },
  };
}

interface Offer {
  totalSize: number;
  lists: { kex: { buffer: Buffer }; all: Buffer };
}

/** Sends other names of key exchanges than ssh2 knows of. */
function sendNames(side: Connection | Client, change: (names: string[]) => string[]): void {
  const { _offer } = (side as unknown as { _protocol: { _offer: Offer } })._protocol;
  const { kex, all } = _offer.lists;
  const buffer = Buffer.from(change(kex.buffer.toString().split(',')).join(','));
  const rest = all.subarray(4 + kex.buffer.length);
  _offer.totalSize += buffer.length - kex.buffer.length;
  _offer.lists = { ..._offer.lists, kex: { ...kex, buffer }, all: Buffer.concat([string(buffer), rest]) };
}

const KEXINIT = 20;

interface Plain {
  _kexinit: Buffer;
  readonly _cipher: { encrypt(packet: Buffer): void };
  readonly _onWrite: (bytes: Buffer) => void;
}

/** Announces that a guess follows (RFC 4253 §7.1), and sends this as the guess unless the next packet is the guess. */
function guess(side: Connection | Client, sent?: Buffer): void {
  const { _protocol } = side as unknown as { readonly _protocol: Plain };
  const { _cipher, _onWrite } = _protocol;
  const encrypt = _cipher.encrypt.bind(_cipher);
  _cipher.encrypt = (bytes) => {
    if (bytes[5] !== KEXINIT) return encrypt(bytes);
    const end = 4 + bytes.readUInt32BE(0) - (bytes[4] ?? 0);
    bytes[end - 5] = 1;
    _protocol._kexinit[_protocol._kexinit.length - 5] = 1;
    encrypt(bytes);
    if (sent) _onWrite(sent);
  };
}

const CURVE_FIRST = (names: string[]) => [
  'curve25519-sha256',
  ...names.filter((name) => name !== 'curve25519-sha256'),
];

describe('the hybrid key exchange with a host', () => {
  it('is chosen, also when keys are exchanged again', async () => {
    const clock = manualClock();
    const host = await startHybrid();
    const screen = watch(await worker({ clock }).shells.open(host.target(), request()));
    await screen.shows('welcome');
    for (const _again of [1, 2]) {
      clock.advance(10_000);
      await host.rekey();
    }
    expect(host.negotiated).toEqual([HYBRID, HYBRID, HYBRID]);
    expect(screen.ends()).toBe(0);
    screen.shell.close();
  });

  it('is chosen whatever the host prefers', async () => {
    const host = await startHybrid({ connected: (client) => sendNames(client, CURVE_FIRST) });
    (await worker().shells.open(host.target(), request())).close();
    expect(host.negotiated).toEqual([HYBRID]);
  });

  it('is enough for a host that offers nothing else', async () => {
    const only = (names: string[]) =>
      names.filter((name) => name === HYBRID || name.startsWith('kex-strict'));
    const host = await startHybrid({ connected: (client) => sendNames(client, only) });
    (await worker().shells.open(host.target(), request())).close();
    expect(host.negotiated).toEqual([HYBRID]);
  });

  it('is reported by the connection test', async () => {
    const host = await startHybrid({ ident: 'Other_1.0' });
    const { connection } = await worker().prober.test(host.target());
    expect(connection).toEqual([
      {
        ...{ hop: 'web-1', key_exchange: HYBRID, cipher: 'aes128-gcm@openssh.com', is_post_quantum: true },
        ...{ host_key_type: 'ssh-ed25519', server_version: 'Other_1.0' },
      },
    ]);
  });

  it('is not chosen where the host has none', async () => {
    const negotiated: string[] = [];
    const host = await startDouble({
      connected: (client) => client.on('handshake', ({ kex }) => negotiated.push(kex)),
    });
    (await worker().shells.open(host.target(), request())).close();
    expect(negotiated).toEqual(['curve25519-sha256']);
  });

  it('ignores what the host sent for a wrong guess', async () => {
    const host = await startHybrid({
      connected(client) {
        sendNames(client, CURVE_FIRST);
        guess(client, packet(Buffer.concat([Buffer.from([31]), string('guessed')])));
      },
    });
    (await worker().shells.open(host.target(), request())).close();
    expect(host.negotiated).toEqual([HYBRID]);
  });

  it.each([
    ['is short', (reply: Buffer) => reply.subarray(1)],
    ['is long', (reply: Buffer) => Buffer.concat([reply, Buffer.alloc(1)])],
    ['gives no secret', (reply: Buffer) => Buffer.concat([reply.subarray(0, -32), Buffer.alloc(32)])],
    ['was changed on the way', (reply: Buffer) => Buffer.concat([Buffer.from([0]), reply.subarray(1)])],
  ])('ends before any credential when the reply %s', async (_what, change) => {
    const host = await startHybrid({
      connected: (client) =>
        onKeyExchange(client, (exchange) => {
          const { getPublicKey } = Object(exchange);
          Object.assign(exchange, { getPublicKey: () => change(getPublicKey()) });
        }),
    });
    const failure = await failureOf(worker().shells.open(host.target(), request()));
    expect(failure.code).toBe('ssh_protocol');
    expect(host.offered).toEqual([]);
  });

  it('ends before any credential when a message is slipped in', async () => {
    const host = await startHybrid({
      connected: (client) => slipIn(client, packet(Buffer.from([2, 0, 0, 0, 0]))),
    });
    const failure = await failureOf(worker().shells.open(host.target(), request()));
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'host_key' });
    expect(host.offered).toEqual([]);
  });
});

/** Signs in with ssh2's own client. */
async function signIn(port: number, prepare: (client: Client) => void): Promise<void> {
  const client = new Client();
  client.connect({ host: '127.0.0.1', port, username: 'deploy', password: 'any' });
  prepare(client);
  await once(client, 'ready');
  client.end();
}

describe('the hybrid key exchange with a client', () => {
  it('is chosen by a client that prefers it', async () => {
    const host = await startHybrid();
    await signIn(host.port, offerHybrid);
    expect(host.negotiated).toEqual([HYBRID]);
  });

  it('is not chosen by a client that prefers another', async () => {
    const host = await startHybrid();
    await signIn(host.port, (client) => {
      offerHybrid(client);
      sendNames(client, CURVE_FIRST);
    });
    expect(host.negotiated).toEqual(['curve25519-sha256']);
  });

  it('is not chosen by a client that has none', async () => {
    const host = await startHybrid();
    await signIn(host.port, () => {});
    expect(host.negotiated).toEqual(['curve25519-sha256@libssh.org']);
  });

  it('takes the guess of a client that guessed right', async () => {
    const host = await startHybrid();
    await signIn(host.port, (client) => {
      offerHybrid(client);
      guess(client);
    });
    expect(host.negotiated).toEqual([HYBRID]);
  });

  it('ignores the guess of a client that guessed wrong', async () => {
    const host = await startHybrid({ algorithms: { kex: ['curve25519-sha256'] } });
    await signIn(host.port, (client) => {
      offerHybrid(client);
      sendNames(client, (names) => ['ecdh-sha2-nistp256', ...names]);
      guess(client, packet(Buffer.concat([Buffer.from([30]), string('guessed')])));
    });
    expect(host.negotiated).toEqual([HYBRID]);
  });
});

const run = promisify(execFile);

/** Signs in without a credential, and opens no session. */
function sshTo(port: number) {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'PreferredAuthentications=none',
  ];
  const args = ['-v', '-F', 'none', ...options.flatMap((option) => ['-o', option])];
  return {
    program: newer_openssh?.ssh ?? '',
    args: [...args, '-p', String(port), 'deploy@127.0.0.1', 'true'],
  };
}

const chosen = (sshd: Sshd) => sshd.log().match(/kex: algorithm: \S+/g) ?? [];

describe('the hybrid key exchange with OpenSSH', () => {
  it('gives way to curve25519 before OpenSSH 9.9', async () => {
    const sshd = await startSshd();
    (await worker().shells.open(targetTo(sshd), request())).close();
    await sshd.stop();
    expect(chosen(sshd)).toEqual(['kex: algorithm: curve25519-sha256']);
  });
});

const SENT_BYTES = 40 * 1024 ** 2;

/** Resolves once a program has written that much, however much the shell says itself. */
function outputOf(shell: Shell, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    shell.start({
      data({ length }) {
        bytes += length;
        if (bytes >= SENT_BYTES) resolve();
      },
      drain() {},
      end: (end) => reject(new Error(JSON.stringify(end))),
    });
    shell.write(Buffer.from(`stty -echo; ${command}\n`));
  });
}

describe.skipIf(!newer_openssh)('the hybrid key exchange with OpenSSH 10', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd(newer_openssh?.sshd([`KexAlgorithms ${HYBRID}`, 'RekeyLimit 16M']));
  });
  afterAll(() => sshd.stop());

  it('is chosen', async () => {
    (await worker().shells.open(targetTo(sshd), request())).close();
    expect(chosen(sshd)).toEqual([`kex: algorithm: ${HYBRID}`]);
  });

  it('is repeated every 16 MiB over two hops', async () => {
    const before = chosen(sshd).length;
    const hops = [hopTo(sshd, { name: 'bastion' }), hopTo(sshd)] as const;
    const shell = await worker().shells.open({ hops }, request());
    await outputOf(shell, `head -c ${SENT_BYTES} /dev/zero`);
    shell.close();
    const again = chosen(sshd).slice(before);
    expect(new Set(again)).toEqual(new Set([`kex: algorithm: ${HYBRID}`]));
    expect(again.length).toBeGreaterThanOrEqual(2 + 2 * 2);
  }, 300_000); // 40 MiB over two hops

  it('is chosen by its client, which knows it as post-quantum', async () => {
    const host = await startHybrid();
    const { program, args } = sshTo(host.port);
    const { stderr } = await run(program, args).catch((refused) => refused); // it opens no program
    expect(stderr).toContain(`kex: algorithm: ${HYBRID}`);
    expect(stderr).not.toContain('post-quantum');
    expect(host.negotiated).toEqual([HYBRID]);
  });
});
