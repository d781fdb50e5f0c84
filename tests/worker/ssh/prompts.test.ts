import type { AuthContext, Prompt } from 'ssh2';
import { describe, expect, it } from 'vitest';
import type { Ask, SshTarget } from '#core/ports/ssh.ts';
import { failureOf, manualClock, NOBODY, request, worker } from '../setup.ts';
import { type SshDouble, startDouble } from '../ssh-double.ts';
import { answering, thinking } from './people.ts';

// sshd sends prompts only through PAM, which belongs to the machine; a double sends what each test needs.
const PASSWORD = 'one password';
const hidden: Prompt = { prompt: 'Password: ', echo: false };
const code: Prompt = { prompt: 'Verification code: ', echo: false };
const shown: Prompt = { prompt: 'Favorite color: ', echo: true };

interface Asking extends SshDouble {
  /** The answers of each round. */
  readonly answers: string[][];
}

/** A host that accepts keyboard-interactive only, and sends these rounds whatever the answers are. */
async function startAsking(rounds: Prompt[][], accepted = true, instructions = ''): Promise<Asking> {
  const answers: string[][] = [];
  const decide = (context: AuthContext) => {
    if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
    const ask = (round: number): void => {
      const prompts = rounds[round];
      if (prompts) {
        context.prompt(prompts, '', instructions, (given) => {
          answers.push(given);
          ask(round + 1);
        });
      } else if (accepted) context.accept();
      else context.reject(['keyboard-interactive']);
    };
    ask(0);
  };
  return { ...(await startDouble({ decide })), answers };
}

const test = (target: SshTarget) => worker().prober.test(target);
const authStage = async (target: SshTarget) =>
  (await test(target)).stages.find(({ name }) => name === 'auth');
const open = (target: SshTarget, ask: Ask = NOBODY) => worker().shells.open(target, request({ ask }));

describe('keyboard-interactive with nobody to prompt', () => {
  it('answers the first round with the password once when it is one hidden prompt', async () => {
    const { target, answers } = await startAsking([[hidden]]);
    expect(await authStage(target())).toMatchObject({ ok: true });
    expect(answers).toEqual([[PASSWORD]]);
  });

  it('is refused by the host when the password is wrong, and not retried', async () => {
    const { target, answers, offered } = await startAsking([[hidden]], false);
    const result = await test(target());
    expect(result).toMatchObject({ success: false });
    expect(result.message).toContain('refused the password of user deploy');
    expect(answers).toEqual([[PASSWORD]]);
    expect(offered).toEqual(['none', 'keyboard-interactive']);
  });

  it.each([
    ['a second round', [[hidden], [hidden]], 1],
    ['two prompts in one round', [[hidden, hidden]], 0],
    ['a prompt that is shown', [[shown]], 0],
    ['a prompt for a code', [[code]], 0],
    ['a prompt for a code after the password', [[hidden], [code]], 1],
    ['a shown prompt for a password', [[{ ...hidden, echo: true }]], 0],
  ])('refuses %s at the stage auth', async (_name, rounds, answered) => {
    const { target, answers } = await startAsking(rounds);
    expect(await authStage(target())).toMatchObject({ ok: false });
    expect(answers).toHaveLength(answered);
  });

  it('answers a round without prompts silently, and keeps the password for the next', async () => {
    const { target, answers } = await startAsking([[], [hidden], []]);
    expect(await authStage(target())).toMatchObject({ ok: true });
    expect(answers).toEqual([[], [PASSWORD], []]);
  });

  it('ends with interaction_required', async () => {
    const { target } = await startAsking([[shown]]);
    expect(await failureOf(worker().files.open(target()))).toMatchObject({
      code: 'interaction_required',
      stage: 'auth',
    });
  });
});

describe('keyboard-interactive at a terminal', () => {
  it('shows the person every prompt but the first hidden one, with the name of the server', async () => {
    const { target, answers } = await startAsking([[hidden], [shown, hidden]], true, 'One more thing');
    const { ask, asked } = answering(['blue', 'again']);
    await open(target(), ask);
    expect(answers).toEqual([[PASSWORD], ['blue', 'again']]);
    expect(asked).toEqual([
      {
        name: 'web-1',
        instructions: 'One more thing',
        is_ours: false,
        prompts: [
          { text: 'Favorite color:', echo: true },
          { text: 'Password:', echo: false },
        ],
      },
    ]);
  });

  it('sends the password in a later round that asks for it, once', async () => {
    const { target, answers } = await startAsking([[code], [hidden], [hidden]]);
    const { ask, asked } = answering(['123456'], ['typed']);
    await open(target(), ask);
    expect(answers).toEqual([['123456'], [PASSWORD], ['typed']]);
    expect(asked.map(({ prompts }) => prompts[0]?.text)).toEqual(['Verification code:', 'Password:']);
  });

  it('strips control characters from the host’s texts and truncates them', async () => {
    const { target } = await startAsking(
      [[{ prompt: `\x1b]0;title\x07Code\r\n1. phone ${'x'.repeat(5000)}`, echo: true }]],
      true,
      `\x1b[2J${'é'.repeat(5000)}`,
    );
    const { ask, asked } = answering(['1']);
    await open(target(), ask);
    expect(asked[0]?.prompts[0]?.text).toMatch(/^\]0;titleCode\n1\. phone x+$/);
    expect(Buffer.byteLength(asked[0]?.prompts[0]?.text ?? '')).toBe(1024);
    expect(asked[0]?.instructions).toMatch(/^\[2Jé+$/);
    expect(Buffer.byteLength(asked[0]?.instructions ?? '')).toBeLessThanOrEqual(4096);
  });

  it.each([
    ['more than 16 prompts', [Array.from({ length: 17 }, () => shown)]],
    ['more than 32 rounds', Array.from({ length: 33 }, () => [shown])],
  ])('refuses %s', async (_name, rounds) => {
    const { target } = await startAsking(rounds);
    const { ask } = answering(...rounds.map(() => ['blue']));
    const failure = await failureOf(open(target(), ask));
    expect(failure).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect(failure.detail).toContain('asks more questions than a person could answer');
  });

  it('answers every prompt, whatever the person enters', async () => {
    const { target, answers } = await startAsking([[shown, shown]]);
    await open(target(), answering(['blue', 'red', 'green']).ask);
    const short = await startAsking([[shown, shown]]);
    await open(short.target(), answering(['blue']).ask);
    expect([answers, short.answers]).toEqual([[['blue', 'red']], [['blue', '']]]);
  });
});

describe('a prompted person', () => {
  it('does not use up the timeout of the attempt', async () => {
    const clock = manualClock();
    const { target } = await startAsking([[shown]]);
    const person = thinking();
    const opening = worker({ clock }).shells.open(target(), request({ ask: person.ask }));
    await person.thinking;
    clock.advance(4 * 60_000);
    person.answer(['blue']);
    await expect(opening).resolves.toBeDefined();
  });

  it('has five minutes', async () => {
    const clock = manualClock();
    const { target } = await startAsking([[shown]]);
    const person = thinking();
    const opening = failureOf(worker({ clock }).shells.open(target(), request({ ask: person.ask })));
    const signal = await person.thinking;
    clock.advance(5 * 60_000);
    expect(await opening).toMatchObject({ code: 'connect_timeout', stage: 'auth' });
    expect(signal.aborted).toBe(true);
  });

  it('is released at once when the host disconnects', async () => {
    const { target, clients } = await startAsking([[shown]]);
    const person = thinking();
    const opening = failureOf(open(target(), person.ask));
    const signal = await person.thinking;
    for (const client of clients) client.end();
    expect(await opening).toMatchObject({ code: 'host_disconnected', stage: 'auth' });
    expect(signal.aborted).toBe(true);
    person.answer(['too late']);
  });

  it('is released at once when the attempt is aborted', async () => {
    const { target } = await startAsking([[shown]]);
    const abort = new AbortController();
    const person = thinking();
    const opening = worker().shells.open(target(), request({ ask: person.ask, signal: abort.signal }));
    const signal = await person.thinking;
    abort.abort(new Error('gone'));
    await expect(opening).rejects.toThrow('gone');
    expect(signal.reason).toBe(abort.signal.reason);
  });

  it('learns which server of a chain asks', async () => {
    const { ask, asked } = answering(['blue']);
    const bastion = await startAsking([[shown]]);
    const hops = [bastion.hop({ name: 'bastion' }), bastion.hop({ name: 'web-1' })] as const;
    expect(await failureOf(open({ hops }, ask))).toMatchObject({ stage: 'tcp', hop: 'web-1' });
    expect(asked.map(({ name }) => name)).toEqual(['bastion']);
  });
});
