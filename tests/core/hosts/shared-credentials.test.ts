import { beforeAll, describe, expect, it } from 'vitest';
import { createKeyring, type Keyring } from '#core/crypto/keyring.ts';
import { createSharedCredentials, createTypedAnswers } from '#core/hosts/shared-credentials.ts';
import { createTypedCredentials } from '#core/hosts/typed-credentials.ts';
import { createInstanceQuestions } from '#core/instances/questions.ts';
import type { Credential } from '#core/model/accounts/caller.ts';
import { handClock } from '../../support/hand-clock.ts';

const OWNER: Credential = { kind: 'session', id: 'of-a-person' };
const SERVER = { id: 7, updated_at: 'first' };
const FIRST = { username: 'first', password: 'one' };
const SECOND = { username: 'second', password: 'two' };
const FIVE_MINUTES_MS = 5 * 60_000;

let keyring: Keyring;
beforeAll(async () => {
  keyring = await createKeyring('a secret key of the tests, long enough');
});

/** Instances that reach each other unless they are cut off. */
function setUp(...names: string[]) {
  const clock = handClock(1000);
  const cut_off = new Set<string>();
  const asked: string[] = [];
  const failures: unknown[] = [];
  const background = {
    run: (_what: string, work: Promise<unknown>) => void work.catch((e) => failures.push(e)),
  };
  const instances = names.map((run_id) => {
    const typed = createTypedCredentials(clock);
    const questions = createInstanceQuestions(keyring, clock, run_id);
    const others = {
      list: async () =>
        names
          .filter((name) => name !== run_id)
          .map((name) => ({
            ...{ run_id: name, url: name, instance_id: name, machine: '', proof: '' },
            ...{ clock_skew_ms: 0, recordings_directory_id: null, version: null },
          })),
    };
    const neighbours = {
      async ask(url: string, signed: string) {
        asked.push(`${run_id} ${url}`);
        if (cut_off.has(url) || cut_off.has(run_id)) return undefined;
        return instances[names.indexOf(url)]?.answers.answer(signed);
      },
    };
    const shared = createSharedCredentials({ typed, questions, others, neighbours, background });
    return { typed, shared, answers: createTypedAnswers({ typed, questions }) };
  });
  const at = (name: string) => {
    const instance = instances[names.indexOf(name)];
    if (!instance) throw new Error(name);
    return instance;
  };
  return { clock, cut_off, asked, at };
}

describe('Typed credentials of several instances', () => {
  it('are found at every instance, and asked for once by requests at the same time', async () => {
    const { at, asked } = setUp('a', 'b', 'c');
    await at('a').shared.keep(OWNER, SERVER, FIRST);
    asked.length = 0;
    const found = await Promise.all([1, 2, 3].map(() => at('b').shared.of(OWNER, SERVER)));
    expect(found).toEqual([FIRST, FIRST, FIRST]);
    expect(asked).toEqual(['b a', 'b c']);
  });

  it('are not given to another owner, nor for another server or an edited one', async () => {
    const { at } = setUp('a', 'b');
    await at('a').shared.keep(OWNER, SERVER, FIRST);
    const { shared } = at('b');
    expect(await shared.of({ kind: 'session', id: 'another' }, SERVER)).toBeUndefined();
    expect(await shared.of({ kind: 'api_key', id: 1 }, SERVER)).toBeUndefined();
    expect(await shared.of(OWNER, { ...SERVER, id: 8 })).toBeUndefined();
    expect(await shared.of(OWNER, { ...SERVER, updated_at: 'later' })).toBeUndefined();
    expect(await shared.of(OWNER, SERVER)).toEqual(FIRST);
  });

  it('are the most recently typed of several answers', async () => {
    const { at, cut_off, clock } = setUp('a', 'b', 'c');
    cut_off.add('a');
    await at('a').shared.keep(OWNER, SERVER, FIRST);
    await clock.pass(1000);
    await at('b').shared.keep(OWNER, SERVER, SECOND);
    cut_off.clear();
    expect(await at('c').shared.of(OWNER, SERVER)).toEqual(SECOND);
  });

  it('are replaced everywhere when they are typed again', async () => {
    const { at, clock } = setUp('a', 'b');
    await at('a').shared.keep(OWNER, SERVER, FIRST);
    await clock.pass(1000);
    await at('b').shared.keep(OWNER, SERVER, SECOND);
    expect(await at('a').shared.of(OWNER, SERVER)).toEqual(SECOND);
  });

  it('do not come back from another instance once the host has refused them', async () => {
    const { at, cut_off, clock } = setUp('a', 'b');
    await at('a').shared.keep(OWNER, SERVER, FIRST);
    expect(await at('b').shared.of(OWNER, SERVER)).toEqual(FIRST);
    cut_off.add('a');
    await at('b').shared.forget(OWNER, SERVER);
    cut_off.clear();
    expect(await at('b').shared.of(OWNER, SERVER)).toBeUndefined();
    await clock.pass(1000);
    await at('a').shared.keep(OWNER, SERVER, SECOND);
    expect(await at('b').shared.of(OWNER, SERVER)).toEqual(SECOND);
  });

  it('are forgotten everywhere once the host has refused them', async () => {
    const { at } = setUp('a', 'b', 'c');
    await at('a').shared.keep(OWNER, SERVER, FIRST);
    await at('b').shared.of(OWNER, SERVER);
    await at('b').shared.forget(OWNER, SERVER);
    for (const name of ['c', 'a', 'b']) expect(await at(name).shared.of(OWNER, SERVER)).toBeUndefined();
  });

  it('expire five minutes after the last use at any instance', async () => {
    const { at, clock } = setUp('a', 'b');
    await at('a').shared.keep(OWNER, SERVER, FIRST);
    await clock.pass(FIVE_MINUTES_MS - 1000);
    expect(await at('b').shared.of(OWNER, SERVER)).toEqual(FIRST);
    await clock.pass(FIVE_MINUTES_MS - 1000);
    expect(await at('a').shared.of(OWNER, SERVER)).toEqual(FIRST);
    await clock.pass(FIVE_MINUTES_MS);
    for (const name of ['a', 'b']) expect(await at(name).shared.of(OWNER, SERVER)).toBeUndefined();
  });

  it('are dropped with their owner at an instance that was given them', async () => {
    const { at, cut_off } = setUp('a', 'b');
    await at('a').shared.keep(OWNER, SERVER, FIRST);
    await at('b').shared.of(OWNER, SERVER);
    expect(at('b').typed.owners()).toEqual([OWNER]);
    at('b').typed.forgetOwner(OWNER);
    cut_off.add('a');
    expect(await at('b').shared.of(OWNER, SERVER)).toBeUndefined();
  });
});
