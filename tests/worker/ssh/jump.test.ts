import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort, startProxy, startSilentPeer } from '../../support/hosts/tcp.ts';
import { failureOf, hopTo, judging, request, trustAll, worker } from '../setup.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const open = (target: SshTarget, options = {}) => worker(options).shells.open(target, request());

describe('jump hosts', () => {
  let bastion: Sshd;
  let inner: Sshd;
  beforeAll(async () => {
    [bastion, inner] = await Promise.all([startSshd(), startSshd()]);
  });
  afterAll(() => Promise.all([bastion.stop(), inner.stop()]));
  const chain = (last: Partial<Parameters<typeof hopTo>[1]> = {}): SshTarget => ({
    hops: [
      hopTo(bastion, { server_id: 1, name: 'bastion' }),
      hopTo(inner, { server_id: 2, name: 'inner' }),
      hopTo(sshd, { server_id: 3, name: 'web-1', ...last }),
    ],
  });

  it('verify the key of every hop in order, through two jump hosts', async () => {
    const host_keys = trustAll();
    await open(chain(), { host_keys });
    expect(host_keys.seen.map(({ hop, key }) => [hop, key.fingerprint])).toEqual([
      ['bastion', await bastion.hostFingerprint()],
      ['inner', await inner.hostFingerprint()],
      ['web-1', await sshd.hostFingerprint()],
    ]);
  });

  it('are named when their key is refused', async () => {
    const host_keys = judging(async ({ name }) => {
      if (name === 'inner') throw new Fault('host_key_changed');
      return 'trust';
    });
    expect(await failureOf(open(chain(), { host_keys }))).toMatchObject({
      code: 'host_key_changed',
      stage: 'host_key',
      hop: 'inner',
    });
  });

  it('are named when they refuse the password', async () => {
    const auth = { method: 'password', password: 'wrong' } as const;
    expect(await failureOf(open(chain({ auth })))).toMatchObject({
      code: 'host_auth_failed',
      stage: 'auth',
      hop: 'web-1',
    });
  });

  it('report at the stage tcp what they cannot reach', async () => {
    const port = await freePort();
    expect(await failureOf(open(chain({ port })))).toEqual({
      code: 'host_unreachable',
      detail: `inner cannot reach 127.0.0.1:${port}`,
      stage: 'tcp',
      hop: 'web-1',
    });
  });

  it('report a jump host that forbids forwarding', async () => {
    const strict = await startSshd({ config: ['AllowTcpForwarding no'] });
    const target: SshTarget = { hops: [hopTo(strict, { name: 'strict' }), hopTo(sshd)] };
    const failure = await failureOf(open(target));
    await strict.stop();
    expect(failure).toMatchObject({ code: 'host_unreachable', stage: 'tcp', hop: 'web-1' });
    expect(failure.detail).toContain('strict does not allow forwarding');
  });

  it('have a timeout each', async () => {
    const peer = await startSilentPeer();
    const failure = await failureOf(open(chain({ port: peer.port }), { connect_timeout_ms: 1500 }));
    await peer.stop();
    expect(failure).toMatchObject({ code: 'connect_timeout', stage: 'handshake', hop: 'web-1' });
  });

  it('keep no connection when the last hop fails', async () => {
    const proxy = await startProxy(bastion.port);
    const [, ...others] = chain({ port: await freePort() }).hops;
    await failureOf(open({ hops: [hopTo(bastion, { port: proxy.port }), ...others] }));
    await proxy.idle();
    await proxy.stop();
  });
});
