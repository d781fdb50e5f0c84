import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AnyAuthMethod, AuthContext, AuthenticationType, Client, ParsedKey } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AlgorithmSet } from '#core/model/hosts/server.ts';
import type { SshAuth, SshTarget } from '#core/ports/ssh.ts';
import { createKeyOffers } from '#worker/ssh/auth/key.ts';
import type { Login } from '#worker/ssh/auth/login.ts';
import { watchSignatureAlgorithms } from '#worker/ssh/internals/announced-algorithms.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { failureOf, request, targetTo, worker } from '../setup.ts';
import { freshKey, type SshDouble, startDouble } from '../ssh-double.ts';
import { answering } from './people.ts';

const STORED = 'one password';
const PRIVATE_KEY = freshKey();
const KEY: SshAuth = { method: 'key', private_key: PRIVATE_KEY, passphrase: '' };
const PASSWORD: SshAuth = { method: 'password', password: STORED };
const KEY_AND_PASSWORD: SshAuth = { ...KEY, password: STORED };
const PASSWORD_AND_KEY: SshAuth = { ...PASSWORD, key: { private_key: PRIVATE_KEY, passphrase: '' } };

/** One step of a host: a password, the answers to the prompts of each round, or any key. */
interface Step {
  readonly publickey?: true;
  readonly password?: string;
  readonly rounds?: readonly (readonly [prompt: string, answer: string])[];
}

const key: Step = { publickey: true };
const password: Step = { password: STORED };
const push: Step = { rounds: [] };
const code: Step = { rounds: [['Verification code: ', '123456']] };
const by_prompt: Step = { rounds: [['Password: ', STORED]] };

interface Chain extends SshDouble {
  /** Everything that was sent to sign in, in order. */
  readonly sent: string[];
}

function methodsOf({ publickey, password, rounds }: Step): AuthenticationType[] {
  return [
    ...(publickey ? (['publickey'] as const) : []),
    ...(password === undefined ? [] : (['password'] as const)),
    ...(rounds ? (['keyboard-interactive'] as const) : []),
  ];
}

/** A host that wants these steps in order, each after partial success. */
async function startChain(...steps: readonly Step[]): Promise<Chain> {
  const sent: string[] = [];
  let passed = 0;
  const step = () => steps[passed] ?? {};
  function settle(context: AuthContext, is_right: boolean): void {
    if (is_right) passed += 1;
    if (passed === steps.length) context.accept();
    else context.reject(methodsOf(step()), is_right);
  }
  function converse(context: Extract<AuthContext, { method: 'keyboard-interactive' }>): void {
    const { rounds = [] } = step();
    const ask = (at: number, is_right: boolean): void => {
      const round = rounds[at];
      if (!round) settle(context, is_right);
      else
        context.prompt([{ prompt: round[0], echo: false }], ([given = '']) => {
          sent.push(given);
          ask(at + 1, is_right && given === round[1]);
        });
    };
    if (rounds.length === 0) context.prompt([], () => settle(context, true));
    else ask(0, true);
  }
  function give(context: AuthContext, given: string): void {
    sent.push(given);
    settle(context, given === 'key' || given === step().password);
  }
  function decide(context: AuthContext): void {
    if (!methodsOf(step()).includes(context.method)) context.reject(methodsOf(step()));
    else if (context.method === 'keyboard-interactive') converse(context);
    else if (context.method === 'password') give(context, context.password);
    else if (context.method === 'publickey' && !context.signature) context.accept();
    else give(context, 'key');
  }
  return { ...(await startDouble({ decide })), sent };
}

const atTerminal = (target: SshTarget, ...answers: string[][]) =>
  worker().shells.open(target, request({ ask: answering(...answers).ask }));
const withoutTerminal = (target: SshTarget) => worker().files.open(target);

/** The outcome of a sign-in without a terminal; the double has no SFTP. */
async function signIn(target: SshTarget): Promise<string> {
  const { stages } = await worker().prober.test(target);
  const auth = stages.find(({ name }) => name === 'auth');
  return auth?.ok ? 'accepted' : String(auth?.code);
}

describe('Without a terminal, a host is signed in to that wants', () => {
  it.each<[string, SshAuth, Step[], string[]]>([
    ['the password', PASSWORD, [password], [STORED]],
    ['the password at a prompt', PASSWORD, [by_prompt], [STORED]],
    ['the key', KEY, [key], ['key']],
    ['the key and the password', KEY_AND_PASSWORD, [key, password], ['key', STORED]],
    ['the key and the password at a prompt', KEY_AND_PASSWORD, [key, by_prompt], ['key', STORED]],
    ['the password and the key', PASSWORD_AND_KEY, [password, key], [STORED, 'key']],
    ['the password at a prompt and the key', PASSWORD_AND_KEY, [by_prompt, key], [STORED, 'key']],
    ['the password and a push', PASSWORD, [password, push], [STORED]],
    ['the password at a prompt and a push', PASSWORD, [by_prompt, push], [STORED]],
    ['the key and a push', KEY, [key, push], ['key']],
    ['a push and the password', PASSWORD, [push, password], [STORED]],
    ['the key, the password and a push', KEY_AND_PASSWORD, [key, password, push], ['key', STORED]],
    ['the key, a push and the password', KEY_AND_PASSWORD, [key, push, password], ['key', STORED]],
    ['the key, or else a push', KEY, [key, { ...push, password: 'other' }], ['key']],
  ])('%s', async (_name, auth, steps, expected) => {
    const host = await startChain(...steps);
    expect(await signIn(host.target({ auth }))).toBe('accepted');
    expect(host.sent).toEqual(expected);
  });
});

describe('Without a terminal, nothing answers a host that wants', () => {
  it.each<[string, SshAuth, Step[], string[]]>([
    ['a code', PASSWORD, [code], []],
    ['the password and a code', PASSWORD, [password, code], [STORED]],
    ['the key and a code', KEY_AND_PASSWORD, [key, code], ['key']],
    ['the key and a password that is not stored', KEY, [key, password], ['key']],
    ['the password twice', PASSWORD, [password, by_prompt], [STORED]],
  ])('%s', async (_name, auth, steps, expected) => {
    const host = await startChain(...steps);
    expect(await failureOf(withoutTerminal(host.target({ auth })))).toMatchObject({
      code: 'interaction_required',
      stage: 'auth',
    });
    expect(host.sent).toEqual(expected);
  });
});

describe('At a terminal, a host is signed in to that wants', () => {
  it.each<[string, SshAuth, Step[], string[][], string[]]>([
    [
      'a code and the password',
      PASSWORD,
      [
        {
          rounds: [
            ['OTP: ', '1'],
            ['Password: ', STORED],
          ],
        },
      ],
      [['1']],
      ['1', STORED],
    ],
    [
      'the password and a code',
      PASSWORD,
      [
        {
          rounds: [
            ['Password: ', STORED],
            ['Token: ', '1'],
          ],
        },
      ],
      [['1']],
      [STORED, '1'],
    ],
    [
      'the key, the password and a code',
      KEY_AND_PASSWORD,
      [key, password, code],
      [['123456']],
      ['key', STORED, '123456'],
    ],
    [
      'the key and a password that is not stored',
      KEY,
      [key, { password: 'typed' }],
      [['typed']],
      ['key', 'typed'],
    ],
    [
      'a code at a prompt, and offers the method password as well',
      PASSWORD,
      [{ ...password, ...code }],
      [['123456']],
      ['123456'],
    ],
  ])('%s', async (_name, auth, steps, answers, expected) => {
    const host = await startChain(...steps);
    await expect(atTerminal(host.target({ auth }), ...answers)).resolves.toBeDefined();
    expect(host.sent).toEqual(expected);
  });

  it('a wrong code again: the person has three tries, and the stored password is not sent again', async () => {
    const host = await startChain({
      rounds: [
        ['Password: ', STORED],
        ['Verification code: ', '123456'],
      ],
    });
    await atTerminal(host.target({ auth: PASSWORD }), ['000000'], [STORED], ['111111'], [STORED], ['123456']);
    expect(host.sent).toEqual([STORED, '000000', STORED, '111111', STORED, '123456']);
  });
});

describe('A refusal names what was refused:', () => {
  it.each<[string, SshAuth, Step[], string[][]]>([
    ['refused the password of user deploy', PASSWORD, [{ password: 'other' }], []],
    ['refused the password of user deploy', PASSWORD, [{ rounds: [['Password: ', 'other']] }], []],
    ['refused the password of user deploy', KEY_AND_PASSWORD, [key, { password: 'other' }], []],
    [
      'refused the password of user deploy',
      PASSWORD,
      [{ password: 'other', rounds: [['Password: ', 'other']] }],
      [],
    ],
    ['did not accept the answers of user deploy', PASSWORD, [code], [['0'], ['1'], ['2']]],
    ['did not accept the answers of user deploy', KEY, [key, code], [['0'], ['1'], ['2']]],
    ['refused the key of user deploy', KEY_AND_PASSWORD, [password], []],
  ])('%s', async (detail, auth, steps, answers) => {
    const host = await startChain(...steps);
    const failure = await failureOf(atTerminal(host.target({ auth }), ...answers));
    expect(failure).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect(failure.detail).toContain(detail);
    expect(host.sent.filter((one) => one === STORED).length).toBeLessThanOrEqual(1);
  });
});

describe('An sshd that wants the password and the key', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ config: ['AuthenticationMethods password,publickey publickey,password'] });
  });
  afterAll(() => sshd.stop());

  it.each(['password', 'key'] as const)('gets both without a terminal, the %s first', async (method) => {
    const { private_key, password } = sshd;
    const stored = { private_key, passphrase: '' };
    const auth: SshAuth =
      method === 'key' ? { method, ...stored, password } : { method, password, key: stored };
    await expect(withoutTerminal(targetTo(sshd, { auth }))).resolves.toBeDefined();
  });
});

describe('An RSA key signs in to a host', () => {
  let rsa: { readonly private_key: string; readonly public_key: string };
  beforeAll(() => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const private_key = pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    rsa = { private_key, public_key: openSshText(pair.publicKey) };
  });

  it.each([
    ['default', 'rsa-sha2-512', ['rsa-sha2-512']],
    ['default', 'rsa-sha2-256', ['rsa-sha2-512', 'rsa-sha2-256']],
    ['legacy', 'ssh-rsa', ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa']],
  ] as const)('with %s algorithms that accepts only %s', async (algorithms, accepted, tried) => {
    const config = [`PubkeyAcceptedAlgorithms ${accepted}`];
    const sshd = await startSshd({ config, authorized_keys: [rsa.public_key] });
    const auth: SshAuth = { method: 'key', private_key: rsa.private_key, passphrase: '' };
    await expect(withoutTerminal(targetTo(sshd, { auth, algorithms }))).resolves.toBeDefined();
    const offered = sshd
      .log()
      .match(/(?<=userauth_pubkey: (?:signature algorithm|publickey test pkalg|test pkalg) )\S+/g);
    await sshd.stop();
    expect(offered).toEqual(tried);
  });

  it.each<[string, string[] | undefined, AlgorithmSet, string[]]>([
    ['announces nothing', undefined, 'default', ['rsa-sha2-512', 'rsa-sha2-256']],
    [
      'announces both',
      ['ssh-ed25519', 'rsa-sha2-256', 'rsa-sha2-512'],
      'legacy',
      ['rsa-sha2-512', 'rsa-sha2-256'],
    ],
    ['leaves out SHA-512', ['rsa-sha2-256'], 'default', ['rsa-sha2-256']],
    ['announces SHA-1 only', ['ssh-rsa'], 'legacy', ['ssh-rsa']],
    ['announces SHA-1 only', ['ssh-rsa'], 'default', []],
    ['announces no RSA', ['ssh-ed25519'], 'legacy', []],
  ])('that %s (%j), with %s algorithms as %j', async (_name, announced, algorithms, expected) => {
    const { client, announce } = announcing();
    const signatures = watchSignatureAlgorithms(client);
    announce(announced);
    const offers = createKeyOffers(loginWith({ client, signatures, algorithms }), 'deploy', NO_FILE);
    const types: string[] = [];
    for (let offer = await offers.next(); offer; offer = await offers.next()) types.push(typeOf(offer));
    expect(types).toEqual(expected);
  });
});

/** A line of `authorized_keys`. */
function openSshText(key: KeyObject): string {
  const { n = '', e = '' } = key.export({ format: 'jwk' });
  const numbers = [Buffer.from(e, 'base64url'), Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')])];
  const fields = [Buffer.from('ssh-rsa'), ...numbers].flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return [length, field];
  });
  return `ssh-rsa ${Buffer.concat(fields).toString('base64')}\n`;
}

const NO_FILE = { private_key: '', passphrase: '' };

interface Extension {
  readonly name: string;
  readonly algs: readonly string[];
}

/** A client of a host that announces these signature algorithms. */
function announcing() {
  const handlers = { EXT_INFO(_protocol: unknown, _extensions: readonly Extension[]) {} };
  const client = { _protocol: { _handlers: handlers, authPK() {} } } as unknown as Client;
  const announce = (algs: readonly string[] | undefined) => {
    if (algs) handlers.EXT_INFO(undefined, [{ name: 'server-sig-algs', algs }]);
  };
  return { client, announce };
}

/** A login with an RSA key. */
function loginWith({
  algorithms,
  ...login
}: Pick<Login, 'client' | 'signatures'> & { algorithms: AlgorithmSet }): Login {
  const key = { parsed: { type: 'ssh-rsa' }, sign: async () => Buffer.alloc(0) };
  const attempt = { hop: { algorithms }, user_id: undefined };
  return { ...login, attempt, keys: { read: async () => key } } as unknown as Login;
}

function typeOf(offer: AnyAuthMethod): string {
  return offer.type === 'publickey' ? (offer.key as ParsedKey).type : offer.type;
}
