import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { HostKeys, PresentedHostKey, SshTarget } from '#core/ports/ssh.ts';
import { failureOf, judging, NEVER, NOBODY, request, trustAll, worker } from '../setup.ts';
import { startDouble } from '../ssh-double.ts';
import { type Eager, insidesOf, PINGS, PONG, startCurious, startEager, startRash } from './hostile-login.ts';
import { answering, thinking } from './people.ts';

const SECRET = 'one password'; // A method of the doubles.
const USER = ['ssh-connection', 'deploy', SECRET];

/** Pins whatever key it is shown. */
function pinning(): HostKeys & { readonly pinned: PresentedHostKey[] } {
  const pinned: PresentedHostKey[] = [];
  return {
    ...trustAll(),
    pinned,
    judge: async () => 'pin',
    pin: async (_hop, key) => void pinned.push(key),
  };
}

describe('a host that continues before the verdict on its key', () => {
  /** The verdict is no, and it comes late. */
  const refusing = (host: Eager, before_verdict: Buffer[] = []) =>
    judging(async () => {
      await host.understood;
      before_verdict.push(host.heard());
      throw new Fault('host_key_changed');
    });

  it('and offers authentication gets nothing before the verdict, and no username after it', async () => {
    const host = await startEager({ refuses_unasked: false });
    const before: Buffer[] = [];
    const host_keys = refusing(host, before);
    const { code } = await failureOf(worker({ host_keys }).shells.open(host.target(), request()));
    await host.gone;
    expect(USER.filter((said) => host.heard().includes(said))).toEqual([]);
    expect(before.map(({ length }) => length)).toEqual([PINGS * PONG.bytes]);
    expect(code).toBe('host_key_changed');
  });

  it('and refuses what was not offered gets no username', async () => {
    const host = await startEager({ refuses_unasked: true });
    const host_keys = refusing(host);
    const { code } = await failureOf(worker({ host_keys }).shells.open(host.target(), request()));
    await host.gone;
    expect(USER.filter((said) => host.heard().includes(said))).toEqual([]);
    expect(code).toBe('ssh_protocol');
  });
});

describe('a host that admits a user before it knows the name', () => {
  it('violates the protocol, and is not pinned', async () => {
    const host = await startRash();
    const host_keys = pinning();
    expect(await failureOf(worker({ host_keys }).shells.open(host.target(), request()))).toMatchObject({
      code: 'ssh_protocol',
      detail: expect.stringContaining('before any username was sent'),
    });
    expect(host_keys.pinned).toEqual([]);
    expect(host.offered).toEqual([]);
  });

  it('fails its test', async () => {
    const host = await startRash();
    expect(await worker().prober.test(host.target())).toMatchObject({ success: false });
  });

  it('is offline', async () => {
    const host = await startRash();
    const host_keys = pinning();
    const probe = await worker({ host_keys }).prober.probe(host.hop(), {
      ...{ over: undefined, as_far_as: 'auth', keep: true, signal: NEVER, timeout_ms: 5000 },
      place: async () => () => {},
    });
    expect(probe).toMatchObject({
      fault: { code: 'ssh_protocol' },
      credential_sent: false,
      way: undefined,
    });
    expect(host_keys.pinned).toEqual([]);
  });
});

describe('a first key that cannot be pinned', () => {
  it('ends the attempt before the username is sent', async () => {
    const host = await startDouble();
    const host_keys: HostKeys = {
      ...pinning(),
      pin: () => Promise.reject(new Fault('host_disconnected', 'It was given another address')),
    };
    expect(await failureOf(worker({ host_keys }).files.open(host.target()))).toMatchObject({
      code: 'host_disconnected',
      stage: 'host_key',
    });
    expect(host.offered).toEqual([]);
  });
});

describe('a jump host that prompts after it has admitted the user', () => {
  const chain = async () => {
    const inner = await startDouble();
    const bastion = await startCurious(inner.port);
    const target: SshTarget = {
      hops: [
        bastion.hop({ server_id: 1, name: 'bastion' }),
        inner.hop({ server_id: 2, name: 'inner', auth: { method: 'prompt' } }),
      ],
    };
    return { bastion, inner, target };
  };

  it('is not answered while a prompt of the host behind it is open', async () => {
    const { bastion, target } = await chain();
    const { ask, asked, thinking: asking, answer } = thinking();
    const opening = worker().shells.open(target, request({ ask }));
    await asking;
    await bastion.pry();
    answer(['root', SECRET]);
    await bastion.pry();
    expect([bastion.methods, bastion.stolen]).toEqual([['none'], []]);
    expect(asked.map(({ name }) => name)).toEqual(['inner']);
    await opening;
  });

  it('is not answered once the shell is open', async () => {
    const { bastion, target } = await chain();
    const [outer, inner] = target.hops;
    const hops: SshTarget['hops'] = [outer, ...(inner ? [{ ...inner, auth: outer.auth }] : [])];
    await worker().shells.open({ hops }, request({ ask: NOBODY }));
    await bastion.pry();
    expect([bastion.methods, bastion.stolen]).toEqual([['none'], []]);
  });
});

describe('a host that answers more than it was asked', () => {
  it('is refused at once, after at most one prompt to the person', async () => {
    const host = await startDouble({
      decide(context, client) {
        if (context.method !== 'none') return;
        const { _protocol } = insidesOf(client);
        for (let count = 0; count < 100; count += 1) {
          _protocol._authsQueue.push('none');
          _protocol.authFailure(['password'], true);
        }
      },
    });
    const person = thinking();
    const failure = await failureOf(worker().shells.open(host.target(), request({ ask: person.ask })));
    expect(failure).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect(failure.detail).toContain('sent more authentication replies than requests');
    expect(person.asked.length).toBeLessThanOrEqual(1);
  });

  it('is refused when it requires endless further steps', async () => {
    const host = await startDouble({
      decide(context) {
        if (context.method === 'none') context.reject(['password']);
        else context.reject(['password'], true);
      },
    });
    const { ask } = answering(...Array.from({ length: 40 }, () => ['again']));
    const failure = await failureOf(worker().shells.open(host.target(), request({ ask })));
    expect(failure).toMatchObject({ code: 'host_auth_failed' });
    expect(host.offered.length).toBeLessThanOrEqual(17);
  });
});
