import type { AuthContext, AuthenticationType } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ask, SshAuth, SshTarget } from '#core/ports/ssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { failureOf, NOBODY, request, targetTo, worker } from '../setup.ts';
import { freshKey, type SshDouble, startDouble } from '../ssh-double.ts';
import { answering } from './people.ts';

const KEY: SshAuth = {
  method: 'key',
  private_key: freshKey(),
  passphrase: '',
};
const PASSWORD: SshAuth = { method: 'password', password: 'one password' };

const open = (target: SshTarget, ask: Ask = NOBODY) => worker().shells.open(target, request({ ask }));

interface Steps extends SshDouble {
  /** The input at each step that it accepted. */
  readonly given: string[];
}

/** Requires these methods in order; accepts any answer but `wrong`. */
async function startSteps(...steps: AuthenticationType[]): Promise<Steps> {
  const given: string[] = [];
  function pass(context: AuthContext, answer: string): void {
    given.push(answer);
    const next = steps[given.length];
    if (answer === 'wrong') {
      given.pop();
      context.reject([context.method]);
    } else if (next) context.reject([next], true);
    else context.accept();
  }
  function decide(context: AuthContext): void {
    const wanted = steps[given.length] ?? 'none';
    if (context.method !== wanted) context.reject([wanted]);
    else if (context.method === 'password') pass(context, context.password);
    else if (context.method === 'keyboard-interactive') {
      context.prompt([{ prompt: 'Code: ', echo: false }], ([answer = '']) => pass(context, answer));
    } else if (context.method === 'publickey' && !context.signature) context.accept();
    else pass(context, 'key');
  }
  return { ...(await startDouble({ decide })), given };
}

describe('a host that requires a further authentication step', () => {
  it('prompts the person after the key', async () => {
    const { target, given } = await startSteps('publickey', 'keyboard-interactive');
    const { ask, asked } = answering(['123456']);
    await open(target({ auth: KEY }), ask);
    expect(given).toEqual(['key', '123456']);
    const prompts = [{ text: 'Code:', echo: false }];
    expect(asked).toEqual([{ name: 'web-1', instructions: '', is_ours: false, prompts }]);
  });

  it('prompts the person for the password after the key', async () => {
    const { target, given } = await startSteps('publickey', 'password');
    const { ask, asked } = answering(['typed']);
    await open(target({ auth: KEY }), ask);
    expect(given).toEqual(['key', 'typed']);
    expect(asked[0]).toMatchObject({ prompts: [{ text: 'Password', echo: false }] });
  });

  it('prompts the person after the password, which is not sent twice', async () => {
    const { target, given } = await startSteps('password', 'keyboard-interactive');
    await open(target({ auth: PASSWORD }), answering(['123456']).ask);
    expect(given).toEqual(['one password', '123456']);
  });

  it('may require more than two', async () => {
    const { target, given } = await startSteps('publickey', 'password', 'keyboard-interactive');
    await open(target({ auth: KEY }), answering(['typed'], ['123456']).ask);
    expect(given).toEqual(['key', 'typed', '123456']);
  });

  it.each([
    ['password', [['wrong'], ['wrong'], ['wrong']]],
    ['keyboard-interactive', [['wrong'], ['wrong'], ['wrong']]],
  ] as const)('allows three attempts at a %s', async (method, answers) => {
    const { target } = await startSteps('publickey', method);
    const { ask, asked } = answering(...answers.map((answer) => [...answer]));
    expect(await failureOf(open(target({ auth: KEY }), ask))).toMatchObject({ code: 'host_auth_failed' });
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['key', KEY, 'publickey'],
    ['password', PASSWORD, 'password'],
  ] as const)('is refused after the %s when there is nobody to prompt', async (_name, auth, method) => {
    const { target } = await startSteps(method, 'keyboard-interactive');
    const failure = await failureOf(worker().files.open(target({ auth })));
    expect(failure).toMatchObject({ code: 'interaction_required', stage: 'auth' });
    expect(failure.detail).toContain('requires another authentication step (keyboard-interactive)');
  });

  it('is refused when the step cannot be typed', async () => {
    const { target } = await startSteps('password', 'publickey');
    const failure = await failureOf(open(target({ auth: PASSWORD })));
    expect(failure.detail).toContain('requires another authentication step (publickey)');
  });
});

describe('an sshd that requires a key and a password', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ config: ['AuthenticationMethods publickey,password'] });
  });
  afterAll(() => sshd.stop());

  it('gets both', async () => {
    const auth: SshAuth = { method: 'key', private_key: sshd.private_key, passphrase: '' };
    const { ask, asked } = answering(['wrong'], [sshd.password]);
    await expect(open(targetTo(sshd, { auth }), ask)).resolves.toBeDefined();
    expect(asked.map(({ instructions }) => instructions)).toEqual([
      'web-1 asks for the password of user sallyport-test.',
      'web-1 refused the password of user sallyport-test.',
    ]);
  });
});
