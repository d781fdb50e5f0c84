import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { TestEvent } from '#core/model/hosts/connection-test.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startProxy } from '../../support/hosts/tcp.ts';
import { hopTo, judging, targetTo, worker } from '../setup.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const test = (target: SshTarget, options = {}) => worker(options).prober.test(target);
const STAGES = ['resolve', 'tcp', 'handshake', 'host_key', 'auth'];

describe('a connection test', () => {
  it('reports every stage with its time, and success', async () => {
    const result = await test(targetTo(sshd));
    expect(result).toMatchObject({ success: true, message: 'Connection successful' });
    expect(result.stages.map(({ name }) => name)).toEqual([...STAGES, 'sftp']);
    for (const stage of result.stages) {
      expect(stage).toMatchObject({ hop: 'web-1', ok: true });
      expect(stage.ms).toBeGreaterThanOrEqual(0);
      expect(stage.detail).not.toBe('');
    }
  });

  it('reports the stages of each hop and names the jump host in its message', async () => {
    const bastion = hopTo(sshd, { server_id: 2, name: 'bastion' });
    const result = await test({ hops: [bastion, hopTo(sshd)] });
    expect(result).toMatchObject({ success: true, message: 'Connection successful (via jump host)' });
    expect(result.stages.map(({ hop, name }) => `${hop} ${name}`)).toEqual([
      ...STAGES.map((name) => `bastion ${name}`),
      ...[...STAGES, 'sftp'].map((name) => `web-1 ${name}`),
    ]);
  });

  it('reports how the connection to each hop is protected', async () => {
    const bastion = hopTo(sshd, { server_id: 2, name: 'bastion' });
    const { connection } = await test({ hops: [bastion, hopTo(sshd)] });
    const protection = {
      ...{ key_exchange: 'curve25519-sha256', cipher: 'aes128-gcm@openssh.com', is_post_quantum: false },
      ...{ host_key_type: 'ssh-ed25519', server_version: expect.stringMatching(/^OpenSSH_9\.2/) },
    };
    expect(connection).toEqual([
      { hop: 'bastion', ...protection },
      { hop: 'web-1', ...protection },
    ]);
  });

  it('reports nothing of a hop whose host key is refused', async () => {
    const host_keys = judging(() => Promise.reject(new Fault('host_key_changed')));
    expect((await test(targetTo(sshd), { host_keys })).connection).toEqual([]);
  });

  it('stops at the stage that failed and reports the reason as its message', async () => {
    const auth = { method: 'password', password: 'wrong' } as const;
    const result = await test(targetTo(sshd, { auth }));
    expect(result.success).toBe(false);
    expect(result.message).toBe(`127.0.0.1:${sshd.port} refused the password of user sallyport-test`);
    expect(result.stages.at(-1)).toMatchObject({ name: 'auth', ok: false, detail: result.message });
    expect(result.stages.slice(0, -1).every(({ ok }) => ok)).toBe(true);
  });

  it('reports a refused host key at its stage', async () => {
    const host_keys = judging(() => Promise.reject(new Fault('host_key_changed')));
    const result = await test(targetTo(sshd), { host_keys });
    expect(result.stages.at(-1)).toMatchObject({ name: 'host_key', ok: false });
    expect(result.message).toBe('The host key has changed');
  });

  it('succeeds on a host without SFTP and reports that stage as failed', async () => {
    const bare = await startSshd({ sftp: null });
    const result = await test(targetTo(bare));
    await bare.stop();
    expect(result).toMatchObject({ success: true, message: 'Connection successful' });
    expect(result.stages.at(-1)).toMatchObject({
      name: 'sftp',
      ok: false,
      detail: `127.0.0.1:${bare.port} offers no SFTP subsystem`,
    });
  });

  it('reports each stage as it starts and as it ends', async () => {
    const events: TestEvent[] = [];
    const { stages } = await worker().prober.test(targetTo(sshd), { watch: (event) => events.push(event) });
    expect(events).toEqual(
      stages.flatMap((stage) => [
        { type: 'begin', name: stage.name, hop: 'web-1' },
        { type: 'stage', stage },
      ]),
    );
  });

  it.each([...STAGES, 'sftp'])(
    'stops at the stage %s when it is aborted, and leaves no connection',
    async (stage) => {
      const proxy = await startProxy(sshd.port);
      const abort = new AbortController();
      const watch = (event: TestEvent) => {
        if (event.type === 'begin' && event.name === stage) abort.abort(new Error('nobody looks'));
      };
      const testing = worker().prober.test(targetTo(sshd, { port: proxy.port }), {
        signal: abort.signal,
        watch,
      });
      await expect(testing).rejects.toThrow('nobody looks');
      await proxy.idle();
      await proxy.stop();
    },
  );

  it('closes everything it opened', async () => {
    const proxy = await startProxy(sshd.port);
    await test(targetTo(sshd, { port: proxy.port }));
    await proxy.idle();
    expect(proxy.accepted()).toBe(1);
    await proxy.stop();
  });
});
