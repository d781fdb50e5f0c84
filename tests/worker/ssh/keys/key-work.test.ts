import { sign } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import type { AuthContext, Connection } from 'ssh2';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Stage } from '#core/model/hosts/connection-test.ts';
import type { KeyAsker, SshAuth } from '#core/ports/ssh.ts';
import { crowdAbort, failureOf, NEVER, request, worker } from '../../setup.ts';
import { freshKey, startDouble } from '../../ssh-double.ts';
import { insidesOf } from '../hostile-login.ts';
import { encrypted, longDsa } from './der-keys.ts';
import { keygen, PASSPHRASE, rsa8192, withRounds } from './key-files.ts';

const keyOf = (private_key: string): SshAuth => ({ method: 'key', private_key, passphrase: '' });

/** The longest time in which the event loop did not turn. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest_ms = 0;
  let last_ms = performance.now();
  const timer = setInterval(() => {
    longest_ms = Math.max(longest_ms, performance.now() - last_ms);
    last_ms = performance.now();
  }, 1);
  await work().finally(() => clearInterval(timer));
  return longest_ms;
}

function msOf(work: () => unknown): number {
  const began_ms = performance.now();
  work();
  return performance.now() - began_ms;
}

/** Of three tries: whatever else the machine does only adds to them. */
async function least(measure: () => Promise<number>): Promise<number> {
  const first = await measure();
  return Math.min(first, await measure(), await measure());
}

describe('Signing in with a private key', () => {
  it('does not block the event loop, not even with an RSA key of 8192 bits', async () => {
    const { target } = await startDouble();
    const { shells } = worker();
    const signIn = () => shells.open(target({ auth: keyOf(rsa8192()) }), request());
    await shells.open(target(), request()); // loads everything
    const signing_ms = await least(async () =>
      msOf(() => sign('sha256', Buffer.from('sallyport'), rsa8192())),
    );
    expect(await least(() => longestBlock(signIn))).toBeLessThan(0.8 * signing_ms);
  });

  it('signs once, however often the host accepts the key', async () => {
    let signatures = 0;
    function acceptAgain(client: Connection, { algo, data }: { algo: string; data: Buffer }): void {
      const { _protocol } = insidesOf(client);
      for (const _ of Array(signatures < 20 ? 3 : 0)) {
        _protocol._authsQueue.push('publickey');
        _protocol.authPKOK(algo, data);
      }
    }
    function decide(context: AuthContext, client: Connection): void {
      if (context.method !== 'publickey') context.reject(['publickey']);
      else if (!context.signature) context.accept();
      else {
        signatures += 1;
        acceptAgain(client, context.key);
      }
    }
    const { target } = await startDouble({ decide });
    const failure = await failureOf(worker().shells.open(target({ auth: keyOf(freshKey()) }), request()));
    expect(failure).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect(failure.detail).toContain('asked for more than one signature');
    expect(signatures).toBe(1);
  });
});

function once() {
  let happened = () => {};
  const promise = new Promise<void>((resolve) => {
    happened = resolve;
  });
  return { promise, happened };
}

/** The priorities of the processes that decrypt keys for this one. */
function keyPriorities(): number[] {
  const threads = readdirSync('/proc/self/task');
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  const keys = children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('key-process'));
  return keys.map((pid) => getPriority(Number(pid)));
}

const ENCRYPTED = keygen(['-t', 'ed25519', '-a', '1', '-N', PASSPHRASE]).key;
const OTHER = keygen(['-t', 'ed25519', '-a', '1', '-N', PASSPHRASE]).key;
const SLOW = withRounds(ENCRYPTED, 256); // seconds

const RSA_2048 = keygen(['-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', '']).key;

describe('Signing with RSA keys', () => {
  it('lets no user wait for the signatures of another', async () => {
    const { private_keys } = worker();
    let signed_by_others = 0;
    const others = [1, 2, 3].map(async () => {
      await private_keys.assertReadable(rsa8192(), '', { user_id: 1 }); // signs, to compare the halves
      signed_by_others += 1;
    });
    await private_keys.assertReadable(RSA_2048, '', { user_id: 2 });
    expect(signed_by_others).toBe(0);
    await Promise.all(others);
  });
});

describe('Decrypting private keys', () => {
  let gone: AbortController;
  beforeEach(() => {
    gone = crowdAbort();
  });
  afterEach(() => gone.abort());

  /** Each passphrase is other work. */
  function slow(
    keys: Pick<ReturnType<typeof worker>, 'private_keys'>,
    asker: KeyAsker,
    number: number,
    keyFor = (_passphrase: string) => SLOW,
  ) {
    const passphrase = `wrong ${number}`;
    const reading = keys.private_keys.assertReadable(keyFor(passphrase), passphrase, {
      signal: gone.signal,
      ...asker,
    });
    const work = { is_over: false, failure: failureOf(reading) };
    work.failure.finally(() => (work.is_over = true)).catch(() => undefined);
    return work;
  }

  it('lets no user wait for the keys of another', async () => {
    const keys = worker();
    const others = [1, 2, 3, 4, 5, 6].map((number) => slow(keys, { user_id: 1 }, number));
    await keys.private_keys.assertReadable(ENCRYPTED, PASSPHRASE, { user_id: 2 });
    expect(others.filter(({ is_over }) => is_over)).toEqual([]);
  });

  it('gives way to the gateway', async () => {
    slow(worker(), { user_id: 1 }, 1);
    await expect.poll(keyPriorities).toEqual([10]);
  });

  it.each([
    ['in JavaScript', undefined],
    ['in one native call', (passphrase: string) => encrypted(longDsa(2900), passphrase)],
  ])('ends with the request that asked: %s', async (_how, keyFor) => {
    const keys = worker();
    const abandoned = new AbortController();
    const asker = { user_id: 1, signal: abandoned.signal };
    for (const number of [1, 2, 3, 4, 5, 6]) slow(keys, asker, number, keyFor);
    await keys.private_keys.assertReadable(OTHER, PASSPHRASE, { user_id: 3 }); // so the first two have begun
    const other = slow(keys, { user_id: 2 }, 7);
    abandoned.abort();
    await keys.private_keys.assertReadable(ENCRYPTED, PASSPHRASE, { user_id: 1 });
    expect(other.is_over).toBe(false);
  });

  it('fails, and leaves its place, when its process cannot start', async () => {
    const { private_keys } = worker();
    const { execPath } = process;
    onTestFinished(() => {
      process.execPath = execPath;
    });
    process.execPath = '/nowhere';
    for (const number of [1, 2, 3, 4]) {
      const reading = private_keys.assertReadable(ENCRYPTED, `${number}`, { user_id: number });
      await expect(reading).rejects.toThrow('spawn /nowhere ENOENT');
    }
  });

  it('goes on while one of several requests for the same key remains', async () => {
    const { private_keys } = worker();
    const leaving = new AbortController();
    const asked = [leaving.signal, NEVER].map((signal) =>
      private_keys.assertReadable(ENCRYPTED, PASSPHRASE, { user_id: 1, signal }),
    );
    leaving.abort(new Error('gone'));
    await expect(asked[0]).rejects.toThrow('gone');
    await expect(asked[1]).resolves.toBeUndefined();
  });

  it('ends with the dial', async () => {
    const { target } = await startDouble();
    const keys = worker();
    const leaving = new AbortController();
    const auth = (number: number): SshAuth => ({
      method: 'key',
      private_key: SLOW,
      passphrase: `wrong ${number}`,
    });
    const dials = [1, 2, 3].map((number) => {
      const asked = once();
      const watch = (stage: Stage) => stage === 'auth' && asked.happened();
      const opening = keys.shells.open(
        { ...target({ auth: auth(number) }), user_id: 1 },
        request({ signal: leaving.signal, watch }),
      );
      return { opening: expect(opening).rejects.toThrow('gone'), asked: asked.promise };
    });
    await Promise.all(dials.map(({ asked }) => asked));
    leaving.abort(new Error('gone'));
    await Promise.all(dials.map(({ opening }) => opening));
    const other = slow(keys, { user_id: 2 }, 4);
    await keys.private_keys.assertReadable(ENCRYPTED, PASSPHRASE, { user_id: 1 });
    expect(other.is_over).toBe(false);
  });

  it('is refused when too many of one user wait, while others are served', async () => {
    const keys = worker();
    const waiting = Array.from({ length: 2 + 64 }, (_, number) => slow(keys, { user_id: 1 }, number));
    const refused = keys.private_keys.assertReadable(SLOW, 'one more', { user_id: 1, signal: gone.signal });
    await expect(refused).rejects.toMatchObject({ code: 'too_many_key_jobs', options: { retry_after: 10 } });
    await keys.private_keys.assertReadable(ENCRYPTED, PASSPHRASE, { user_id: 2 });
    expect(waiting.filter(({ is_over }) => is_over)).toEqual([]);
  });
});
