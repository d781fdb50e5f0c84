import { describe, expect, it } from 'vitest';
import type { SshHop } from '#core/ports/ssh.ts';
import { startSshd } from '../../support/hosts/sshd.ts';
import { freePort, startSilentPeer, startTalkingPeer } from '../../support/hosts/tcp.ts';
import { type Failure, FRESH, failureOf, manualClock, request, worker } from '../setup.ts';
import { startDouble } from '../ssh-double.ts';

const MARK = 'words-of-the-host';

const quickHop = (port: number, changes: Partial<SshHop> = {}): SshHop => ({
  ...{ server_id: 0, name: 'quick', hostname: '127.0.0.1', port, username: 'deploy', quick_user_id: 7 },
  ...{ auth: { method: 'password', password: 'secret' }, isAllowedAddress: () => true },
  ...FRESH,
  ...changes,
});

async function dial(hop: SshHop, options = {}): Promise<Failure> {
  return failureOf(worker(options).shells.open({ hops: [hop] }, request()));
}

describe('An error of quick connect', () => {
  it.each([
    ['a greeting', `220 ${MARK} ESMTP\r\n`, true],
    ['a greeting and silence', `220 ${MARK} ESMTP\r\n`, false],
    ['a word about its load', `Exceeded MaxStartups ${MARK}\r\n`, true],
    ['an SSH version', `SSH-2.0-${MARK}\r\n`, true],
    ['an old SSH version', `SSH-1.5-${MARK}\r\n`, false],
  ])('does not quote %s', async (_what, text, hang_up) => {
    const peer = await startTalkingPeer(text, { hang_up });
    const failure = await dial(quickHop(peer.port), { connect_timeout_ms: 300 });
    expect(failure.detail).toContain(`127.0.0.1:${peer.port}`);
    expect(JSON.stringify(failure)).not.toContain(MARK);
    await peer.stop();
  });

  it('is the same for every service that is not SSH', async () => {
    const details = new Set<string>();
    for (const text of ['220 mail.example ESMTP\r\n', '-ERR unknown command\r\n', '']) {
      const peer = await startTalkingPeer(text, { hang_up: true });
      const { code, detail } = await dial(quickHop(peer.port));
      details.add(`${code}: ${detail.replace(String(peer.port), 'port')}`);
      await peer.stop();
    }
    expect([...details]).toEqual(['ssh_protocol: 127.0.0.1:port does not answer as an SSH server']);
  });

  it('does not quote the algorithms that the host offers', async () => {
    const { port } = await startDouble({ algorithms: { kex: ['diffie-hellman-group1-sha1'] } });
    const { code, detail } = await dial(quickHop(port));
    expect({ code, detail }).toEqual({
      code: 'ssh_protocol',
      detail: `127.0.0.1:${port} shares no key exchange algorithm with this gateway`,
    });
  });

  it('does not quote unknown authentication methods', async () => {
    const { port } = await startDouble({
      decide: (context) => context.reject([MARK as 'publickey', 'publickey']),
    });
    const { code, detail } = await dial(quickHop(port));
    expect({ code, detail }).toEqual({
      code: 'host_auth_failed',
      detail: `127.0.0.1:${port} does not accept passwords (it offers an unknown method, publickey)`,
    });
  });

  it('does not tell a refused port from a filtered one', async () => {
    const closed = await freePort();
    const refused = await dial(quickHop(closed));
    const clock = manualClock();
    const peer = await startSilentPeer(); // never reached: the time is over first
    const { shells } = worker({ clock, connect_timeout_ms: 100 });
    const watch = (stage: string) => {
      if (stage === 'tcp') queueMicrotask(() => clock.advance(100));
    };
    const filtered = await failureOf(shells.open({ hops: [quickHop(peer.port)] }, request({ watch })));
    await peer.stop();
    expect(refused).toMatchObject({
      code: 'host_unreachable',
      detail: `127.0.0.1:${closed} cannot be reached`,
      stage: 'tcp',
    });
    expect({ ...filtered, detail: filtered.detail.replace(String(peer.port), String(closed)) }).toEqual(
      refused,
    );
  });

  it('does not show what a refused name resolves to', async () => {
    const { code, detail } = await dial(
      quickHop(22, { hostname: 'localhost', isAllowedAddress: () => false }),
    );
    expect({ code, detail }).toEqual({
      code: 'target_not_allowed',
      detail: 'Quick connect is not allowed to reach localhost:22 (SERVICE_ALLOWED_TARGETS)',
    });
  });
});

describe('A dial of quick connect', () => {
  it('takes turns at 4 addresses of a name at most, so that it cannot keep others from many hosts', async () => {
    const sshd = await startSshd();
    const addresses = ['127.0.0.61', '127.0.0.62', '127.0.0.63', '127.0.0.64', '127.0.0.1'].map(
      (address) => ({
        address,
        family: 4,
      }),
    );
    const host_lookup = { find: () => ({ addresses: Promise.resolve(addresses), leave() {} }) };
    const to = { hostname: 'many.example', auth: { method: 'password', password: sshd.password } as const };
    const hop = quickHop(sshd.port, { ...to, username: sshd.username });
    expect(await dial(hop, { host_lookup })).toMatchObject({ code: 'host_unreachable', stage: 'tcp' });
    addresses.shift();
    const shell = await worker({ host_lookup }).shells.open({ hops: [hop] }, request());
    shell.close();
    await sshd.stop();
  });
});
