import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Connection } from 'ssh2';
import { describe, expect, it } from 'vitest';
import { createRekeyLimit } from '#worker/ssh/handshake/rekey-limit.ts';
import { startSshd } from '../../support/hosts/sshd.ts';
import { failureOf, manualClock, request, targetTo, watch, worker } from '../setup.ts';
import { startDouble } from '../ssh-double.ts';

const ENOUGH_BYTES = 16_000_000;
const CONNECT_MS = 5000;

/** A shell at a host that exchanges keys when the test wants, and the clock of the gateway. */
async function connected() {
  const clock = manualClock();
  let host: Connection | undefined;
  const double = await startDouble({
    connected: (client) => {
      host = client;
    },
  });
  const { shells } = worker({ clock, connect_timeout_ms: CONNECT_MS });
  const screen = watch(await shells.open(double.target(), request()));
  if (!host) throw new Error('Nobody is connected');
  return { clock, screen, host, address: `127.0.0.1:${double.port}` };
}

const rekeyed = async (host: Connection) => {
  host.rekey();
  await once(host, 'rekey');
};

describe('a host that exchanges keys again', () => {
  it('may do so once in 10 s', async () => {
    const { clock, screen, host } = await connected();
    await rekeyed(host);
    clock.advance(10_000);
    await rekeyed(host);
    expect(screen.ends()).toBe(0);
    screen.shell.close();
  });

  it('loses the connection when it does so more often', async () => {
    const { clock, screen, host, address } = await connected();
    await rekeyed(host);
    clock.advance(9000);
    host.rekey();
    const detail = `${address} exchanges keys too often: more than once in 10 s`;
    expect(await screen.ended).toMatchObject({ kind: 'lost', fault: { code: 'ssh_protocol', detail } });
  });

  it('loses the connection when it does not finish within the connect time-out', async () => {
    const { clock, screen, host, address } = await connected();
    const { _sock } = host as unknown as { readonly _sock: Socket };
    host.rekey();
    _sock.pause(); // what the gateway answers is never read
    await expect
      .poll(() => {
        clock.advance(CONNECT_MS);
        return screen.ends();
      })
      .toBe(1);
    const detail = `${address} did not finish a key exchange within 5 s`;
    expect(await screen.ended).toMatchObject({ kind: 'lost', fault: { code: 'ssh_protocol', detail } });
  });

  it('loses the connection when it does so before authentication, once is enough', async () => {
    const double = await startDouble({ decide: (_context, client) => client.rekey() });
    const failure = await failureOf(worker().shells.open(double.target(), request()));
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'auth' });
    expect(failure.detail).toContain('starts another key exchange before authentication');
  });

  it('is an sshd with a low RekeyLimit, and the error says so', async () => {
    const sshd = await startSshd({ config: ['RekeyLimit 256K'] });
    const screen = watch(await worker().shells.open(targetTo(sshd), request()));
    screen.type('head -c 8388608 /dev/zero\n');
    expect(await screen.ended).toMatchObject({ kind: 'lost', fault: { code: 'ssh_protocol' } });
    await sshd.stop();
  });
});

describe('the limit of key exchanges', () => {
  it('is lifted for 16 MB, which hosts with a RekeyLimit of 16 MiB exceed', () => {
    const limit = createRekeyLimit({ elapsed_ms: () => 0 });
    expect(limit.admit()).toBe(true);
    limit.count(ENOUGH_BYTES - 1);
    expect(limit.admit()).toBe(false);
    limit.count(1);
    expect(limit.admit()).toBe(true);
    expect(limit.admit()).toBe(false);
  });
});
