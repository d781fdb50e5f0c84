import { expect, it } from 'vitest';
import type { SshHop } from '#core/ports/ssh.ts';
import { raisePacketLimit } from '#worker/ssh/internals/packet-limit.ts';
import { startSshd } from '../../support/hosts/sshd.ts';
import { request, targetTo, watch, worker } from '../setup.ts';
import { type DoubleOptions, type SshDouble, startDouble } from '../ssh-double.ts';
import { insidesOf } from './hostile-login.ts';

const IGNORE = 2;
const CHANNEL_DATA = 94;
const MARK = 'still here';

interface Sender extends SshDouble {
  /** Sends this in one packet, whatever its length. */
  send(payload: Buffer): void;
}

async function startSender(algorithms?: DoubleOptions['algorithms']): Promise<Sender> {
  let send = (_payload: Buffer) => {};
  const host = await startDouble({
    algorithms,
    connected(client) {
      const { _protocol } = insidesOf(client);
      send = (payload) => {
        const packet = _protocol._cipher.allocPacket(payload.length);
        packet.set(payload, 5);
        _protocol._cipher.encrypt(packet);
      };
    },
  });
  return { ...host, send: (payload) => send(payload) };
}

/** The output of the first channel. */
function output(text: string): Buffer {
  const head = Buffer.alloc(9);
  head[0] = CHANNEL_DATA;
  head.writeUInt32BE(text.length, 5);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** How ssh2 reads the length of a packet depends on the cipher and the MAC. */
const LINES: readonly (readonly [string, string, Partial<SshHop>])[] = [
  ['aes128-gcm@openssh.com', 'hmac-sha2-256', {}],
  ['chacha20-poly1305@openssh.com', 'hmac-sha2-256', {}],
  ['aes256-ctr', 'hmac-sha2-256-etm@openssh.com', {}],
  ['aes256-ctr', 'hmac-sha2-512', {}],
  ['aes128-cbc', 'hmac-sha1', { algorithms: 'legacy' }],
];

it.each(LINES)(
  'a packet to be ignored may be as long as OpenSSH makes it (%s, %s)',
  async (cipher, mac, hop) => {
    const algorithms = { cipher: [cipher], hmac: [mac] } as NonNullable<DoubleOptions['algorithms']>;
    const host = await startSender(algorithms);
    const screen = watch(await worker().shells.open(host.target(hop), request()));
    for (const bytes of [35_000, 35_001, 65_536, 2 * 1024 * 1024]) host.send(Buffer.alloc(bytes, IGNORE));
    host.send(output(MARK));
    await screen.shows(MARK);
  },
);

it.each([
  ['a packet to be ignored that is longer than OpenSSH makes it', IGNORE, 2_200_000],
  ['output in a packet of more than the gateway takes', CHANNEL_DATA, 40_000],
])('%s ends the connection, and the error says so', async (_name, kind, bytes) => {
  const host = await startSender();
  const screen = watch(await worker().shells.open(host.target(), request()));
  host.send(Buffer.alloc(bytes, kind));
  const end = await screen.ended;
  expect(end.kind === 'lost' ? end.fault.detail : end.kind).toMatch(
    /^127\.0\.0\.1:\d+ was disconnected by this gateway, which accepts no packet of \d+ bytes \(at most \d+\)$/,
  );
});

it('a host that is not signed in to may send no longer packets than before', () => {
  const decipher = { _len: 0 };
  const exceeded = (what: string): never => {
    throw new Error(what);
  };
  raisePacketLimit(decipher, { isRaised: () => false, exceeded });
  decipher._len = 200_000;
  expect([decipher._len, decipher._len]).toEqual([200_000, 200_000]);
});

const PASTED = 'x'.repeat(1024 * 1024); // without a line end, the host reads all of it and drops what no line can hold
const LONGEST_LINE = 4095; // of a terminal that edits lines, on Linux
// On the same core as the kernel's part of the terminal, sshd writes most at once: up to 155 kB have been seen.
const ONE_CORE = ['taskset', '-c', '0'];

it('a megabyte pasted into a prompt of an sshd without echo leaves the terminal usable', async () => {
  const sshd = await startSshd({ through: ONE_CORE });
  const screen = watch(await worker().shells.open(targetTo(sshd), request()));
  screen.type('stty -echo; PS1=; echo "beg""un"\n');
  await screen.shows('begun');
  screen.type(`echo "secret"":"; read -rs line; echo "got""-\${#line}"\n`);
  await screen.shows('secret:');
  screen.type(PASTED);
  screen.type('\n');
  await screen.shows(`got-${LONGEST_LINE}`);
  screen.type('PS1="prom""pt"; echo "wait""ing"; read -rs line\n');
  await screen.shows('waiting');
  screen.type(PASTED);
  screen.type('\x03');
  await screen.shows('prompt');
  await sshd.stop();
});
