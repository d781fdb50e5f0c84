import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ssh2, { type AuthContext, type Prompt } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import type { SshTarget } from '#core/ports/ssh.ts';
import { failureOf, worker } from './setup.ts';

// sshd asks prompts only through PAM, which is the machine's own; a double asks what each test needs.
const host_key = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
}).privateKey;

const PASSWORD = 'one password';
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

interface Asking {
  readonly target: SshTarget;
  /** Authentication methods the client offered. */
  readonly offered: string[];
  /** What it answered, round by round. */
  readonly answers: string[][];
}

/** A host that takes keyboard-interactive alone and asks these rounds, whatever the answers are. */
async function startAsking(rounds: Prompt[][], accepted: boolean): Promise<Asking> {
  const offered: string[] = [];
  const answers: string[][] = [];
  const decide = (context: AuthContext) => {
    offered.push(context.method);
    if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive']);
    const ask = (round: number): void => {
      const prompts = rounds[round];
      if (prompts) {
        context.prompt(prompts, (given) => {
          answers.push(given);
          ask(round + 1);
        });
      } else if (accepted) context.accept();
      else context.reject(['keyboard-interactive']);
    };
    ask(0);
  };
  const server = new ssh2.Server({ hostKeys: [host_key] }, (client) => {
    client.on('authentication', decide).on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  return { target: targetAt(server.address()), offered, answers };
}

function targetAt(address: ReturnType<InstanceType<typeof ssh2.Server>['address']>): SshTarget {
  const { port } = address as AddressInfo; // a TCP server that listens
  const auth = { method: 'password', password: PASSWORD } as const;
  return {
    hops: [
      { server_id: 1, name: 'web-1', hostname: '127.0.0.1', port, username: 'deploy', auth, host_key: null },
    ],
  };
}

const hidden: Prompt = { prompt: 'Password: ', echo: false };
const shown: Prompt = { prompt: 'Favourite colour: ', echo: true };
const test = (target: SshTarget) => worker().prober.test(target);
const authStage = async (target: SshTarget) =>
  (await test(target)).stages.find(({ name }) => name === 'auth');

describe('keyboard-interactive', () => {
  it('answers the first round once with the password when it is one hidden prompt', async () => {
    const { target, answers } = await startAsking([[hidden]], true);
    expect(await authStage(target)).toMatchObject({ ok: true });
    expect(answers).toEqual([[PASSWORD]]);
  });

  it('is refused by the host when the password is wrong, and not tried again', async () => {
    const { target, answers, offered } = await startAsking([[hidden]], false);
    const result = await test(target);
    expect(result).toMatchObject({ success: false });
    expect(result.message).toContain('refused the password of user deploy');
    expect(answers).toEqual([[PASSWORD]]);
    expect(offered).toEqual(['none', 'keyboard-interactive']);
  });

  it.each([
    ['a second round', [[hidden], [hidden]], 1],
    ['two prompts in one round', [[hidden, hidden]], 0],
    ['a prompt that is shown', [[shown]], 0],
  ])('refuses %s at the stage auth', async (_name, rounds, answered) => {
    const { target, answers } = await startAsking(rounds, true);
    expect(await authStage(target)).toMatchObject({ ok: false });
    expect(answers).toHaveLength(answered);
  });

  it('ends in host_auth_failed', async () => {
    const { target } = await startAsking([[shown]], true);
    expect(await failureOf(worker().files.open(target))).toMatchObject({
      code: 'host_auth_failed',
      stage: 'auth',
    });
  });
});
