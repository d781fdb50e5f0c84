import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { HostKeys, Probe, ProbeOptions, SshHop } from '#core/ports/ssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort, startProxy, startSilentPeer, startTalkingPeer } from '../../support/hosts/tcp.ts';
import { hopTo, judging, manualClock, NEVER, trustAll, worker } from '../setup.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

/** Counts the slots in use, and gives one to everybody. */
function places() {
  const counts = { taken: 0, given_back: 0 };
  const place = async () => {
    counts.taken += 1;
    return () => {
      counts.given_back += 1;
    };
  };
  return { counts, place };
}

const OPTIONS: ProbeOptions = {
  over: undefined,
  as_far_as: 'auth',
  keep: false,
  signal: NEVER,
  timeout_ms: 5000,
  place: places().place,
};

const probe = (hop: SshHop, options: Partial<ProbeOptions> = {}, own = worker()): Promise<Probe> =>
  own.prober.probe(hop, { ...OPTIONS, ...options });

describe('a probe of a host', () => {
  it('is online with its latency once authentication succeeded, and leaves no connection', async () => {
    const proxy = await startProxy(sshd.port);
    const result = await probe(hopTo(sshd, { port: proxy.port }));
    expect(result).toEqual({
      fault: undefined,
      latency_ms: expect.any(Number),
      host_key_verified: true,
      credential_sent: true,
      way: undefined,
    });
    await proxy.idle();
    await proxy.stop();
  });

  it('sends no username when it goes only as far as the host key', async () => {
    const own = await startSshd();
    const result = await probe(hopTo(own, { auth: { method: 'prompt' } }), {
      as_far_as: 'host_key',
      keep: true,
    });
    await own.stop();
    expect(result).toMatchObject({ fault: undefined, host_key_verified: true, way: undefined });
    expect(result.credential_sent).toBe(false);
    expect(own.log()).not.toContain('userauth-request');
    expect(own.log()).toContain('Received disconnect from');
  });

  it('pins a key on first contact', async () => {
    const pinned: string[] = [];
    const host_keys: HostKeys = {
      ...trustAll(),
      judge: async () => 'pin',
      pin: async (_hop, { fingerprint }) => void pinned.push(fingerprint),
    };
    const result = await probe(hopTo(sshd), { as_far_as: 'host_key' }, worker({ host_keys }));
    expect(result).toMatchObject({ fault: undefined, host_key_verified: true });
    expect(pinned).toEqual([await sshd.hostFingerprint()]);
  });

  it('reports that the key was not verified', async () => {
    const host_keys = judging(async () => 'unverified');
    expect(await probe(hopTo(sshd), {}, worker({ host_keys }))).toMatchObject({ host_key_verified: false });
  });

  it('is offline with a latency when the host refuses the credential or its key is refused', async () => {
    const auth = { method: 'password', password: 'wrong' } as const;
    expect(await probe(hopTo(sshd, { auth }))).toMatchObject({
      fault: { code: 'host_auth_failed' },
      latency_ms: expect.any(Number),
      host_key_verified: true,
    });
    const host_keys = judging(() => Promise.reject(new Fault('host_key_changed')));
    expect(await probe(hopTo(sshd), {}, worker({ host_keys }))).toMatchObject({
      fault: { code: 'host_key_changed' },
      host_key_verified: null,
    });
  });

  it('is offline without a latency when nothing listens', async () => {
    expect(await probe(hopTo(sshd, { port: await freePort() }))).toMatchObject({
      fault: { code: 'host_unreachable' },
      latency_ms: null,
      host_key_verified: null,
    });
  });

  it.each([
    ['says nothing', () => startSilentPeer(), 'connect_timeout'],
    ['hangs up at once', () => startTalkingPeer('', { hang_up: true }), 'ssh_protocol'],
    ['speaks something else', () => startTalkingPeer('220 mail\r\n', { hang_up: true }), 'ssh_protocol'],
  ])('is offline when the peer %s', async (_what, start, code) => {
    const peer = await start();
    const { counts, place } = places();
    const result = await probe(hopTo(sshd, { port: peer.port }), { place, timeout_ms: 1500 });
    expect(result.fault?.code).toBe(code);
    expect(counts.given_back).toBe(counts.taken);
    await peer.idle();
    await peer.stop();
  });
});

describe('a slot of a probe', () => {
  it('is requested after the host has answered, and released once', async () => {
    const { counts, place } = places();
    await probe(hopTo(sshd), { place });
    expect(counts).toEqual({ taken: 1, given_back: 1 });
  });

  it('is not requested for an unreachable host', async () => {
    const { counts, place } = places();
    await probe(hopTo(sshd, { port: await freePort() }), { place });
    expect(counts).toEqual({ taken: 0, given_back: 0 });
  });

  it('may take longer than the probe’s timeout', async () => {
    const clock = manualClock();
    const place = async () => {
      clock.advance(60_000);
      return () => {};
    };
    expect(await probe(hopTo(sshd), { place }, worker({ clock }))).toMatchObject({ fault: undefined });
  });

  it('is released after half a second when the host is slow', async () => {
    const clock = manualClock();
    const peer = await startTalkingPeer('SSH-2.0-sleepy\r\n');
    let giveBack = () => {};
    const given_back = new Promise<void>((resolve) => {
      giveBack = resolve;
    });
    const place = async () => {
      setImmediate(() => clock.advance(500));
      return giveBack;
    };
    const own = worker({ clock });
    const probing = probe(hopTo(sshd, { port: peer.port }), { place }, own);
    await given_back;
    clock.advance(5000);
    expect((await probing).fault?.code).toBe('connect_timeout');
    await peer.stop();
  });

  it('is not used when the host disconnects while waiting', async () => {
    const proxy = await startProxy(sshd.port);
    const { counts, place } = places();
    const result = await probe(hopTo(sshd, { port: proxy.port }), {
      async place() {
        proxy.cut();
        await proxy.idle();
        await new Promise(setImmediate);
        return place();
      },
    });
    expect(result).toMatchObject({ fault: expect.any(Fault), host_key_verified: null });
    expect(counts).toEqual({ taken: 2, given_back: 2 }); // dropped connections are tried again once
    await proxy.stop();
  });
});

describe('a kept connection', () => {
  it('stays open after authentication, and carries further probes until it is closed', async () => {
    const proxy = await startProxy(sshd.port);
    const own = worker();
    const bastion = hopTo(sshd, { server_id: 2, name: 'bastion', port: proxy.port });
    const { way } = await probe(bastion, { keep: true }, own);
    const results = await Promise.all([
      probe(hopTo(sshd), { over: way }, own),
      probe(hopTo(sshd, { port: await freePort() }), { over: way }, own),
      probe(hopTo(sshd), { over: way, as_far_as: 'host_key' }, own),
    ]);
    expect(results.map(({ fault }) => fault?.code)).toEqual([undefined, 'host_unreachable', undefined]);
    expect(results[1]?.fault?.detail).toContain('bastion cannot reach');
    expect([proxy.accepted(), proxy.open()]).toEqual([1, 1]);
    way?.close();
    await proxy.idle();
    await proxy.stop();
  });

  it('may run through another one', async () => {
    const own = worker();
    const outer = await probe(hopTo(sshd, { server_id: 2, name: 'outer' }), { keep: true }, own);
    const over = { over: outer.way };
    const inner = await probe(hopTo(sshd, { server_id: 3, name: 'inner' }), { ...over, keep: true }, own);
    expect(await probe(hopTo(sshd), { over: inner.way }, own)).toMatchObject({ fault: undefined });
    inner.way?.close();
    outer.way?.close();
  });

  it('that has died fails its probes, and nothing else', async () => {
    const proxy = await startProxy(sshd.port);
    const own = worker();
    const { way } = await probe(hopTo(sshd, { name: 'bastion', port: proxy.port }), { keep: true }, own);
    proxy.cut();
    await proxy.idle();
    const result = await probe(hopTo(sshd), { over: way }, own);
    expect(result).toMatchObject({ fault: { code: 'host_disconnected' }, latency_ms: null });
    way?.close();
    await proxy.stop();
  });

  it('is closed when authentication failed', async () => {
    const proxy = await startProxy(sshd.port);
    const auth = { method: 'password', password: 'wrong' } as const;
    const { way } = await probe(hopTo(sshd, { port: proxy.port, auth }), { keep: true });
    expect(way).toBeUndefined();
    await proxy.idle();
    await proxy.stop();
  });
});

describe('aborting a probe', () => {
  it.each([
    ['a peer that says nothing', () => startSilentPeer()],
    ['a host that stops in the middle', () => startTalkingPeer('SSH-2.0-sleepy\r\n')],
  ])('ends it at once at %s, with the reason given', async (_what, start) => {
    const peer = await start();
    const abort = new AbortController();
    const reason = new Error('the monitor stops');
    const probing = probe(hopTo(sshd, { port: peer.port }), { signal: abort.signal });
    await peer.connected();
    abort.abort(reason);
    await expect(probing).rejects.toBe(reason);
    await peer.idle();
    await peer.stop();
  });

  it('ends the wait for a slot', async () => {
    const proxy = await startProxy(sshd.port);
    const abort = new AbortController();
    const place = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        abort.abort(new Error('enough'));
      });
    const probing = probe(hopTo(sshd, { port: proxy.port }), { place, signal: abort.signal });
    await expect(probing).rejects.toThrow('enough');
    await proxy.idle();
    await proxy.stop();
  });

  it('also happens when the gateway stops', async () => {
    const peer = await startSilentPeer();
    const own = worker();
    const probing = probe(hopTo(sshd, { port: peer.port }), {}, own);
    await peer.connected();
    own.close();
    await expect(probing).rejects.toMatchObject({ code: 'shutting_down' });
    await peer.stop();
  });
});

describe('names that do not resolve', () => {
  it('fail without delaying others', async () => {
    const own = worker();
    const hops = Array.from({ length: 6 }, () => hopTo(sshd, { hostname: 'no-such-host.invalid' }));
    const results = await Promise.all(
      [...hops, hopTo(sshd, { hostname: 'localhost' })].map((hop) => probe(hop, {}, own)),
    );
    expect(results.map(({ fault }) => fault?.code ?? 'online')).toEqual([
      ...hops.map(() => 'host_unreachable'),
      'online',
    ]);
  });
});
