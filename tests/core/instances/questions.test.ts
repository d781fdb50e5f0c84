import { beforeAll, describe, expect, it } from 'vitest';
import { createKeyring, type Keyring } from '#core/crypto/keyring.ts';
import { createInstanceQuestions } from '#core/instances/questions.ts';
import { handClock } from '../../support/hand-clock.ts';

const ABOUT = { owner: 'session:1', server_id: 7 };
const SECRET = { password: 'of the host' };

let keyring: Keyring;
let another: Keyring;
beforeAll(async () => {
  keyring = await createKeyring('a secret key of the tests, long enough');
  another = await createKeyring('another secret key of the tests, long enough');
});

function setUp() {
  const clock = handClock(60_000);
  const of = (run_id: string, keys = keyring) => createInstanceQuestions(keys, clock, run_id);
  return { clock, of, one: of('one'), other: of('other') };
}

describe('A question between instances', () => {
  it('is answered so that only the instance that asked can read it', async () => {
    const { one, other } = setUp();
    const question = await one.ask('other', ABOUT);
    const received = await other.receive(question.signed);
    expect(received?.about).toEqual(ABOUT);
    const answer = (await received?.seal(SECRET)) ?? '';
    expect(answer).not.toContain('host');
    expect(atob(answer.split(':')[1] ?? '')).not.toContain(SECRET.password);
    expect(await question.open(answer)).toEqual(SECRET);
  });

  it('is accepted once', async () => {
    const { one, other } = setUp();
    const { signed } = await one.ask('other', ABOUT);
    expect(await other.receive(signed)).toBeDefined();
    expect(await other.receive(signed)).toBeUndefined();
  });

  it.each([
    ['for another instance', async ({ one }: ReturnType<typeof setUp>) => one.ask('third', ABOUT)],
    [
      'signed with another key',
      async ({ of }: ReturnType<typeof setUp>) => of('one', another).ask('other', ABOUT),
    ],
    [
      'signed two minutes ago',
      async ({ one, clock }: ReturnType<typeof setUp>) => {
        const question = await one.ask('other', ABOUT);
        await clock.pass(120_000);
        return question;
      },
    ],
  ])('is refused when it is %s', async (_what, ask) => {
    const scene = setUp();
    const { signed } = await ask(scene);
    expect(await scene.other.receive(signed)).toBeUndefined();
  });

  it('takes no answer to another question', async () => {
    const { one, other } = setUp();
    const [first, second] = [await one.ask('other', ABOUT), await one.ask('other', ABOUT)];
    const answer = (await (await other.receive(first.signed))?.seal(SECRET)) ?? '';
    await expect(second.open(answer)).rejects.toThrow();
  });

  it('shows the same length for a short and a long password', async () => {
    const { one, other } = setUp();
    const lengths = [];
    for (const password of ['short', 'long'.repeat(50)]) {
      const received = await other.receive((await one.ask('other', ABOUT)).signed);
      lengths.push((await received?.seal({ password }))?.length);
    }
    expect(lengths[0]).toBe(lengths[1]);
  });
});
