import type { AuthContext } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { Ask, SshTarget } from '#core/ports/ssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { failureOf, hopTo, judging, NOBODY, request, targetTo, worker } from '../setup.ts';
import { startDouble } from '../ssh-double.ts';
import { answering, thinking } from './people.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const auth = { method: 'prompt' } as const;
const typed = (changes = {}) => targetTo(sshd, { auth, ...changes });
const open = (target: SshTarget, ask: Ask = NOBODY, options = {}) =>
  worker(options).shells.open(target, request({ ask }));

describe('a server without stored credentials', () => {
  it('asks for username and password in one prompt', async () => {
    const { ask, asked } = answering([sshd.username, sshd.password]);
    await expect(open(typed({ username: 'somebody' }), ask)).resolves.toBeDefined();
    expect(asked).toEqual([
      {
        name: 'web-1',
        instructions: `Sign in to web-1 (127.0.0.1:${sshd.port})`,
        is_ours: true,
        prompts: [
          { text: 'Username', echo: true, value: 'somebody' },
          { text: 'Password', echo: false },
        ],
      },
    ]);
  });

  it('uses the username of the record when none is typed', async () => {
    await expect(open(typed(), answering(['', sshd.password]).ask)).resolves.toBeDefined();
  });

  it('asks for the password of the same user again after a refusal, three times in all', async () => {
    const own = await startSshd();
    const { ask, asked } = answering(['', 'wrong'], ['wrong'], ['wrong']);
    const failure = await failureOf(open(targetTo(own, { auth }), ask));
    await own.stop();
    expect(failure).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect(failure.detail).toContain('refused the password of user sallyport-test');
    expect(asked).toHaveLength(3);
    expect(asked[2]?.prompts).toEqual([{ text: 'Password', echo: false }]);
    expect(asked[2]?.instructions).toContain('refused the password of user sallyport-test');
    expect(own.log().match(/Connection from/g)).toHaveLength(1);
  });

  it('authenticates with the right password at the second attempt', async () => {
    const { ask } = answering(['', 'wrong'], [sshd.password]);
    await expect(open(typed(), ask)).resolves.toBeDefined();
  });

  it('answers the prompt of a host with the typed password', async () => {
    const answers: string[][] = [];
    const decide = (context: AuthContext) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
      context.prompt([{ prompt: 'Password: ', echo: false }], (given) => {
        answers.push([context.username, ...given]);
        if (given[0] === 'right') context.accept();
        else context.reject(['keyboard-interactive']);
      });
    };
    const { target } = await startDouble({ decide });
    await open(target({ auth }), answering(['root', 'wrong'], ['right']).ask);
    expect(answers).toEqual([
      ['root', 'wrong'],
      ['root', 'right'],
    ]);
  });

  it('prompts nobody before the host key is verified', async () => {
    const { ask, asked } = answering(['', sshd.password]);
    const host_keys = judging(() => Promise.reject(new Fault('host_key_changed')));
    expect(await failureOf(open(typed(), ask, { host_keys }))).toMatchObject({ code: 'host_key_changed' });
    expect(asked).toEqual([]);
  });

  it('sends no username while the person types', async () => {
    const own = await startSshd();
    const person = thinking();
    const opening = open(targetTo(own, { auth }), person.ask);
    await person.thinking;
    expect(own.log()).not.toContain('userauth-request');
    person.answer(['', own.password]);
    await opening;
    await own.stop();
  });

  it('is refused with credentials_required when there is nobody to prompt', async () => {
    expect(await failureOf(worker().files.open(typed()))).toEqual({
      code: 'credentials_required',
      detail: 'web-1 stores no password: enter its username and password to connect',
      stage: 'auth',
      hop: undefined,
    });
  });

  it('prompts for a jump host too', async () => {
    const { ask, asked } = answering(['', sshd.password], ['', sshd.password]);
    const bastion = hopTo(sshd, { server_id: 2, name: 'bastion', auth });
    await expect(open({ hops: [bastion, hopTo(sshd, { auth })] }, ask)).resolves.toBeDefined();
    expect(asked.map(({ name }) => name)).toEqual(['bastion', 'web-1']);
  });
});

describe('a test of a server without stored credentials', () => {
  it('succeeds once the host key is verified, and says that it did not authenticate', async () => {
    const result = await worker().prober.test(typed());
    expect(result).toMatchObject({ success: true, message: 'Connection successful' });
    expect(result.stages.map(({ name }) => name)).toEqual([
      'resolve',
      'tcp',
      'handshake',
      'host_key',
      'auth',
    ]);
    expect(result.stages.at(-1)).toMatchObject({
      ok: true,
      detail: 'Not tried: the username and password are entered at connect',
    });
  });

  it('sends no username to the host', async () => {
    const own = await startSshd();
    await worker().prober.test(targetTo(own, { auth }));
    await own.stop();
    expect(own.log()).not.toContain('userauth-request');
  });

  it('fails at a jump host without stored credentials', async () => {
    const bastion = hopTo(sshd, { server_id: 2, name: 'bastion', auth });
    const result = await worker().prober.test({ hops: [bastion, hopTo(sshd)] });
    expect(result).toMatchObject({
      success: false,
      message: 'bastion stores no password: enter its username and password to connect',
    });
    expect(result.stages.at(-1)).toMatchObject({ name: 'auth', hop: 'bastion', ok: false });
  });
});
