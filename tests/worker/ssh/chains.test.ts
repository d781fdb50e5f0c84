import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { eventually } from '../../support/eventually.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startProxy, type TcpProxy } from '../../support/hosts/tcp.ts';
import { failureOf, hopTo, judging, request, type Screen, watch, worker } from '../setup.ts';
import { thinking } from './people.ts';

const NAMES = ['outer', 'inner', 'web-1'] as const;

let sshds: [Sshd, Sshd, Sshd];
beforeAll(async () => {
  sshds = await Promise.all([startSshd(), startSshd(), startSshd()]);
});
afterAll(() => Promise.all(sshds.map((sshd) => sshd.stop())));

let proxies: TcpProxy[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
});

/** Three hosts in a chain, each in its own network. */
async function chain(): Promise<SshTarget> {
  proxies = await Promise.all(sshds.map((sshd) => startProxy(sshd.port)));
  const [outer, inner, last] = sshds;
  const hop = (sshd: Sshd, index: number) =>
    hopTo(sshd, { server_id: index + 1, name: NAMES[index] ?? '', port: proxies[index]?.port ?? 0 });
  return { hops: [hop(outer, 0), hop(inner, 1), hop(last, 2)] };
}

async function shellOf(target: SshTarget): Promise<Screen> {
  const screen = watch(await worker().shells.open(target, request()));
  screen.type('echo rea""dy\n');
  await screen.shows('ready');
  return screen;
}

const lostAt = (hop: string) => ({
  kind: 'lost',
  fault: { code: 'host_disconnected', options: { hop } },
});

describe('a hop that dies', () => {
  it.each(NAMES.map((name, index) => [name, index] as const))(
    'ends its sessions with its own name: %s, its network reset',
    async (name, index) => {
      const screen = await shellOf(await chain());
      proxies[index]?.cut();
      expect(await screen.ended).toMatchObject(lostAt(name));
      expect(screen.ends()).toBe(1);
    },
  );

  it.each(NAMES.map((name, index) => [name, index] as const))(
    'ends its sessions with its own name: %s, its processes killed',
    async (name, index) => {
      const own = await startSshd();
      const { hops } = await chain();
      const changed = hops.map((hop, at) => (at === index ? { ...hop, port: own.port } : hop));
      const [first = hops[0], ...others] = changed;
      const screen = await shellOf({ hops: [first, ...others] });
      await own.killSessions();
      expect(await screen.ended).toMatchObject(lostAt(name));
      await own.stop();
    },
  );

  it.each(NAMES.map((name, index) => [name, index] as const))(
    'is named when its network drops all packets: %s',
    async (name, index) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }); // The keep-alives of ssh2.
      const screen = await shellOf(await chain());
      proxies[index]?.freeze();
      for (let misses = 0; misses < 6; misses += 1) {
        vi.advanceTimersByTime(15_000);
        await new Promise((resolve) => setTimeout(resolve, 50)); // The hosts that are alive answer in the meantime.
      }
      expect(await screen.ended).toMatchObject(lostAt(name));
    },
  );

  it('is named when it dies during the dial of a hop behind it', async () => {
    const target = await chain();
    const person = thinking();
    const auth = { method: 'prompt' } as const;
    const hops = [target.hops[0], hopTo(sshds[1], { name: 'inner', auth })] as const;
    const opening = failureOf(worker().shells.open({ hops }, request({ ask: person.ask })));
    await person.thinking;
    proxies[0]?.cut();
    expect(await opening).toMatchObject({ code: 'host_disconnected', hop: 'outer' });
  });
});

describe('the end of a chain', () => {
  it('leaves no connection on any hop', async () => {
    const screen = await shellOf(await chain());
    screen.shell.close();
    await Promise.all(proxies.map((proxy) => proxy.idle()));
  });

  it('is announced to the destination first, through jump hosts that are still connected', async () => {
    const own = await Promise.all([startSshd(), startSshd()]);
    const screen = await shellOf({
      hops: [hopTo(own[0], { server_id: 2, name: 'bastion' }), hopTo(own[1])],
    });
    screen.shell.close();
    await Promise.all(own.map((sshd) => goodbyeIn(sshd)));
    await Promise.all(own.map((sshd) => sshd.stop()));
  });
});

/** sshd logs an announced disconnect differently from a lost connection. */
async function goodbyeIn(sshd: Sshd): Promise<void> {
  await eventually(() => expect(sshd.log()).toContain('Received disconnect from'));
}

describe('a changed key', () => {
  it.each(NAMES)(
    'is refused at %s, before anything is sent to it or to the hosts behind it',
    async (swapped) => {
      const seen: string[] = [];
      const host_keys = judging(async ({ name }) => {
        seen.push(name);
        if (name === swapped) throw new Fault('host_key_changed');
        return 'trust';
      });
      const failure = await failureOf(worker({ host_keys }).shells.open(await chain(), request()));
      expect(failure).toMatchObject({ code: 'host_key_changed', stage: 'host_key', hop: swapped });
      expect(seen).toEqual(NAMES.slice(0, NAMES.indexOf(swapped) + 1));
      await Promise.all(proxies.map((proxy) => proxy.idle()));
    },
  );
});
