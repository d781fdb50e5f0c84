import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ask, SshHop } from '#core/ports/ssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startSilentPeer } from '../../support/hosts/tcp.ts';
import { crowdAbort, failureOf, hopTo, manualClock, request, targetTo, worker } from '../setup.ts';

const AT_ONCE = 6;
const DIALS = 30;

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

let plain: Sshd;
beforeAll(async () => {
  plain = await startSshd();
});
afterAll(() => plain.stop());

/**
 * Returns the most connections that were not authenticated at one time. A monitor logs `Accepted` before the client learns of
 * it, and so before the client can dial for the next turn: the order of the lines does not depend on the load.
 */
function mostUnauthenticated(log: string): number {
  const waiting = new Set<string>();
  let most = 0;
  for (const [, event, port = ''] of log.matchAll(/^(Connection|Accepted) .*?from \S+ port (\d+)/gm)) {
    if (event === 'Accepted') waiting.delete(port);
    else waiting.add(port);
    most = Math.max(most, waiting.size);
  }
  return most;
}

function expectTurns(log: string): void {
  const most = mostUnauthenticated(log);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(AT_ONCE);
}

describe('many dials to one address', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd.stop());

  it('open 30 terminals at a stock sshd', async () => {
    const stock = await startSshd({ config: ['MaxStartups 10:30:100'] });
    const { shells } = worker();
    const opened = await Promise.all(times(DIALS, () => shells.open(targetTo(stock), request())));
    for (const shell of opened) shell.close();
    await stock.stop();
    expectTurns(stock.log());
  });

  it('list 30 folders for as many records of the same host, under several names', async () => {
    const { files } = worker();
    const names = ['127.0.0.1', 'localhost', '::ffff:127.0.0.1'] as const;
    const targets = times(DIALS, (index) =>
      targetTo(sshd, { server_id: index + 1, hostname: names[index % names.length] ?? '' }),
    );
    await Promise.all(
      targets.map(async (target) => {
        const remote = await files.open(target);
        await remote.list(sshd.folder);
        remote.release();
      }),
    );
    expectTurns(sshd.log());
  });

  it('take turns behind a bastion too', async () => {
    const { shells } = worker();
    const hops = [hopTo(plain, { server_id: 2, name: 'bastion' }), hopTo(sshd)] as const;
    const opened = await Promise.all(times(DIALS / 2, () => shells.open({ hops }, request())));
    for (const shell of opened) shell.close();
    expectTurns(sshd.log());
  });
});

describe('a dial that waits for its turn', () => {
  const CONNECT_MS = 1000;

  it('fails when no dial before it gets an answer within the connect time-out', async () => {
    const tarpit = await startSilentPeer();
    const clock = manualClock();
    const { shells } = worker({ clock, connect_timeout_ms: CONNECT_MS });
    const target = targetTo(plain, { port: tarpit.port });
    const failures = times(AT_ONCE * 3, () => failureOf(shells.open(target, request())));
    await expect.poll(() => tarpit.open()).toBe(AT_ONCE);
    clock.advance(CONNECT_MS);
    const ended = await Promise.all(failures);
    expect(ended.map(({ code }) => code)).toEqual(ended.map(() => 'connect_timeout'));
    expect(ended.at(-1)).toMatchObject({
      detail: `127.0.0.1:${tarpit.port} did not answer the connections before this one in time`,
      stage: 'tcp',
    });
    await tarpit.stop();
  });

  it('leaves when it is aborted, and the dials behind it move up', async () => {
    const tarpit = await startSilentPeer();
    const { shells } = worker();
    const target = targetTo(plain, { port: tarpit.port });
    const aborts = times(AT_ONCE + 2, () => new AbortController());
    const dials = aborts.map(({ signal }) => shells.open(target, request({ signal })).catch(() => 'aborted'));
    await expect.poll(() => tarpit.open()).toBe(AT_ONCE);
    aborts[AT_ONCE]?.abort();
    expect(await dials[AT_ONCE]).toBe('aborted');
    aborts[0]?.abort();
    await expect.poll(() => tarpit.open()).toBe(AT_ONCE);
    for (const abort of aborts) abort.abort();
    await Promise.all(dials);
    await tarpit.stop();
  });

  it('leaves 4 of 6 turns to registered servers, however long quick connects take', async () => {
    const tarpit = await startSilentPeer();
    const { shells } = worker();
    const gone = crowdAbort();
    const open = (changes: Partial<SshHop>) =>
      shells
        .open(targetTo(plain, { port: tarpit.port, ...changes }), request({ signal: gone.signal }))
        .catch(() => 'aborted');
    const quick = times(AT_ONCE, () => open({ quick_user_id: 7 }));
    await expect.poll(() => tarpit.open()).toBe(2);
    const registered = times(AT_ONCE, () => open({}));
    await expect.poll(() => tarpit.open()).toBe(AT_ONCE);
    gone.abort();
    await Promise.all([...quick, ...registered]);
    await tarpit.stop();
  });

  it('does not wait for a person who does not answer', async () => {
    const clock = manualClock();
    const { shells } = worker({ clock });
    let asked = 0;
    const ask: Ask = () => {
      asked += 1;
      return new Promise(() => {});
    };
    const gone = crowdAbort();
    const target = targetTo(plain, { auth: { method: 'prompt' } });
    const asking = times(AT_ONCE, () =>
      shells.open(target, request({ ask, signal: gone.signal })).catch(() => 'aborted'),
    );
    await expect.poll(() => asked).toBe(AT_ONCE);
    const shell = shells.open(targetTo(plain), request());
    clock.advance(2000);
    (await shell).close();
    gone.abort();
    await Promise.all(asking);
  });
});

/** Says this to the first clients and disconnects, then forwards to the sshd. */
async function startDropping(drops: number, said: string) {
  let accepted = 0;
  const server = createServer((near) => {
    near.on('error', () => {});
    accepted += 1;
    if (accepted <= drops) return near.end(said);
    const far = connect(plain.port, '127.0.0.1');
    far.on('error', () => near.destroy());
    return near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { port, accepted: () => accepted, stop: () => server.close() };
}

describe('a dial that the host drops for MaxStartups', () => {
  it.each([
    ['with a message', 'Exceeded MaxStartups\r\n'],
    ['in silence', ''],
  ])('is tried again: %s', async (_how, said) => {
    const host = await startDropping(1, said);
    const { success, stages } = await worker().prober.test(targetTo(plain, { port: host.port }));
    host.stop();
    expect(success).toBe(true);
    expect(stages.map(({ name }) => name)).toEqual([
      'resolve',
      'tcp',
      'handshake',
      'host_key',
      'auth',
      'sftp',
    ]);
  });

  it('is tried again once', async () => {
    const host = await startDropping(9, 'Exceeded MaxStartups\r\n');
    const failure = await failureOf(worker().shells.open(targetTo(plain, { port: host.port }), request()));
    host.stop();
    expect(failure).toMatchObject({ code: 'host_unreachable', stage: 'handshake' });
    expect(host.accepted()).toBe(2);
  });

  it('is not tried again when the host says something else', async () => {
    const host = await startDropping(9, 'go away\r\n');
    await failureOf(worker().shells.open(targetTo(plain, { port: host.port }), request()));
    host.stop();
    expect(host.accepted()).toBe(1);
  });
});
