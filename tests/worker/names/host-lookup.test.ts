import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Probe } from '#core/ports/ssh.ts';
import type { DnsAnswer } from '#worker/names/dns-check.ts';
import { createHostLookup } from '#worker/names/host-lookup.ts';
import type { Worker } from '#worker/worker.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { hopTo, type ManualClock, manualClock, targetTo, worker } from '../setup.ts';

const HERE: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];

/** Lookups that the test answers; the name says what DNS knows about it. */
function desk(clock: ManualClock = manualClock()) {
  const begun: string[] = [];
  const answers = new Map<string, PromiseWithResolvers>();
  const expected: string[] = [];
  const names = createHostLookup({
    clock,
    lookup(hostname) {
      begun.push(hostname);
      return new Promise((resolve, reject) => answers.set(hostname, { resolve, reject }));
    },
    async checkDns(hostname): Promise<DnsAnswer> {
      expected.push(hostname);
      if (hostname.startsWith('dead')) return 'silent';
      return hostname.startsWith('other') ? 'none' : 'found';
    },
  });
  return {
    clock,
    names,
    begun,
    expected,
    async answer(hostname: string) {
      answers.get(hostname)?.resolve(HERE);
      await settled();
    },
    async refuse(hostname: string) {
      answers.get(hostname)?.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
      await settled();
    },
  };
}

interface PromiseWithResolvers {
  resolve(addresses: LookupAddress[]): void;
  reject(error: Error): void;
}

/** Waits until pending work has run. */
const settled = () => new Promise(setImmediate);

const dead = (count: number) => Array.from({ length: count }, (_, index) => `dead${index}.example`);

describe('names that DNS does not answer', () => {
  it('are resolved one at a time, however many there are', async () => {
    const { names, begun, refuse } = desk();
    const findings = dead(100).map((name) => names.find(name).addresses);
    await settled();
    expect(begun).toEqual(['dead0.example']);
    const refused = expect(findings[0]).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await refuse('dead0.example');
    await refused;
    expect(begun).toEqual(['dead0.example', 'dead1.example']);
  });

  it('do not delay names that DNS answers', async () => {
    const { names, begun, answer } = desk();
    for (const name of dead(100)) names.find(name);
    const { addresses } = names.find('web.example');
    await settled();
    expect(begun).toEqual(['dead0.example', 'web.example']);
    await answer('web.example');
    expect(await addresses).toEqual(HERE);
  });

  it('are still found when another source knows them', async () => {
    const { names, answer } = desk();
    const { addresses } = names.find('dead-to-dns.local');
    await settled();
    await answer('dead-to-dns.local');
    expect(await addresses).toEqual(HERE);
  });

  it('are skipped when nobody waits for them any more', async () => {
    const { names, begun, refuse } = desk();
    const [first, ...others] = dead(50).map((name) => names.find(name));
    await settled();
    for (const { leave } of others) leave();
    const last = names.find('dead-last.example');
    last.addresses.catch(() => {});
    first?.addresses.catch(() => {});
    await refuse('dead0.example');
    expect(begun).toEqual(['dead0.example', 'dead-last.example']);
  });
});

describe('a lookup', () => {
  it('is shared by concurrent requests for the name, in any case', async () => {
    const { names, begun, answer } = desk();
    const findings = ['web.example', 'Web.Example'].map((name) => names.find(name));
    await settled();
    findings[0]?.leave();
    findings[1]?.leave();
    const third = names.find('web.example');
    await answer('web.example');
    expect(await third.addresses).toEqual(HERE);
    expect(begun).toEqual(['web.example']);
  });

  it('is repeated for later requests', async () => {
    const { names, begun, answer } = desk();
    for (const _ of [1, 2]) {
      const { addresses } = names.find('web.example');
      await settled();
      await answer('web.example');
      await addresses;
    }
    expect(begun).toEqual(['web.example', 'web.example']);
  });

  it('is skipped for an IP address', async () => {
    const { names, expected } = desk();
    for (const name of dead(3)) names.find(name);
    names.find('192.0.2.1');
    names.find('2001:db8::1');
    expect(expected).toEqual(dead(3));
  });
});

describe('a name that DNS does not know and another source resolves slowly', () => {
  /** It takes 5 s, and others like it are requested. */
  async function slowOnce() {
    const own = desk();
    own.names.find('other.local').addresses.catch(() => {});
    await settled();
    own.clock.advance(5000);
    await own.refuse('other.local');
    own.names.find('dead.example');
    await settled();
    own.begun.length = 0;
    return own;
  }

  it('waits with the names that are expected to hang, for ten minutes', async () => {
    const { names, begun, clock } = await slowOnce();
    names.find('other.local').leave();
    names.find('other.local').leave();
    await settled();
    expect(begun).toEqual([]);
    clock.advance(10 * 60_000);
    names.find('other.local');
    await settled();
    expect(begun).toEqual(['other.local']);
  });

  it('is treated as normal once it is answered quickly', async () => {
    const { names, begun, refuse, answer } = await slowOnce();
    names.find('dead.example').addresses.catch(() => {});
    names.find('other.local');
    await settled();
    await refuse('dead.example');
    await answer('other.local');
    names.find('dead.example');
    names.find('other.local');
    await settled();
    expect(begun).toEqual(['other.local', 'dead.example', 'other.local']);
  });
});

describe('dialling', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd.stop());

  function probe(hostname: string, own: Worker, { signal } = new AbortController()): Promise<Probe> {
    const place = async () => () => {};
    const options = { over: undefined, as_far_as: 'auth', keep: false, timeout_ms: 5000 } as const;
    return own.prober.probe(hopTo(sshd, { hostname }), { ...options, signal, place });
  }

  it('ends at its deadline, queued or not, and says that the name was not resolved', async () => {
    const { names, clock } = desk();
    const own = worker({ host_lookup: names, clock });
    const probes = dead(20).map((hostname) => probe(hostname, own));
    await settled();
    clock.advance(5000);
    const details = (await Promise.all(probes)).map(({ fault }) => fault?.detail);
    const late = (name: string) => `The host name of ${name}:${sshd.port} was not resolved in time`;
    expect(details).toEqual(dead(20).map(late));
  });

  it('reaches IP addresses and resolved names while a hundred names hang', async () => {
    const { names, answer } = desk();
    const own = worker({ host_lookup: names });
    const hanging = dead(100).map((hostname) => probe(hostname, own));
    const named = probe('web.example', own);
    const addressed = probe('127.0.0.1', own);
    await settled();
    await answer('web.example');
    await answer('127.0.0.1');
    expect(await named).toMatchObject({ fault: undefined });
    expect(await addressed).toMatchObject({ fault: undefined });
    own.close();
    for (const probing of hanging) await expect(probing).rejects.toMatchObject({ code: 'shutting_down' });
  });

  it('ends at once when it is aborted', async () => {
    const { names } = desk();
    const abort = new AbortController();
    const probing = probe('dead.example', worker({ host_lookup: names }), abort);
    await settled();
    abort.abort(new Error('enough'));
    await expect(probing).rejects.toThrow('enough');
  });

  it('reports the same to the person', async () => {
    const { names, clock } = desk();
    const { prober } = worker({ host_lookup: names, clock, connect_timeout_ms: 15_000 });
    const testing = prober.test(targetTo(sshd, { hostname: 'dead.example' }));
    await settled();
    clock.advance(15_000);
    const message = `The host name of dead.example:${sshd.port} was not resolved in time`;
    expect(await testing).toMatchObject({ message, stages: [{ name: 'resolve', ok: false }] });
  });
});
