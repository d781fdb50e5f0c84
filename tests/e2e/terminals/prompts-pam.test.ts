import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addHost, listingOf, openingTerminal, testOf } from '../../support/features/chain.ts';
import { answer, asked, promptsOf } from '../../support/features/prompts.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { addPamService, type PamService } from '../../support/hosts/pam.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const FOR_PASSWORD = { text: 'Password:', echo: false };
const FOR_CODE = { text: expect.stringContaining('e-mail address'), echo: false };

let gateway: TestGateway;
let pam: PamService;
let sshd: Sshd;
let with_key: Sshd;

beforeAll(async () => {
  gateway = await startGateway();
  pam = await addPamService();
  const { program: pam_program, config } = pam;
  sshd = await startSshd({ pam_program, config });
  const steps = 'AuthenticationMethods publickey,keyboard-interactive:pam';
  with_key = await startSshd({ pam_program, config: [...config, steps] });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
  await with_key?.stop();
  await pam?.remove();
});

describe('A host that asks through PAM for a password and a code', () => {
  it('gets the stored password, and the person’s answer in the second round', async () => {
    const { id } = await addHost(gateway, { name: 'two rounds', sshd });
    const terminal = openingTerminal(gateway, id);
    expect(await asked(terminal)).toMatchObject({ name: 'two rounds', prompts: [FOR_CODE] });
    answer(terminal, pam.code);
    await terminal.frame('session');
    expect(promptsOf(terminal)).toHaveLength(1);
    terminal.type('id -un\r');
    await terminal.sees(sshd.username);
    terminal.close(1000);
  });

  it('accepts the right code after a wrong one, and does not get the stored password again', async () => {
    const { id } = await addHost(gateway, { name: 'second try', sshd });
    const terminal = openingTerminal(gateway, id);
    await asked(terminal);
    answer(terminal, 'wrong');
    expect(await asked(terminal, 2)).toMatchObject({ prompts: [FOR_PASSWORD] });
    answer(terminal, sshd.password);
    expect(await asked(terminal, 3)).toMatchObject({ prompts: [FOR_CODE] });
    answer(terminal, pam.code);
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('refuses the third wrong code, which ends the terminal with 1011 and blames the answers', async () => {
    const { id, username } = await addHost(gateway, { name: 'wrong code', sshd });
    const terminal = openingTerminal(gateway, id);
    for (const [index, given] of ['wrong', sshd.password, 'wrong', sshd.password, 'wrong'].entries()) {
      await asked(terminal, index + 1);
      answer(terminal, given);
    }
    const error = await terminal.frame('error');
    expect(error).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect(error['message']).toContain(`did not accept the answers of user ${username}`);
    expect((await terminal.closed()).code).toBe(1011);
  });

  it('gets the typed username and password when nothing is stored', async () => {
    const { id } = await addHost(gateway, { name: 'typed', sshd, auth_method: 'prompt', password: '' });
    const terminal = openingTerminal(gateway, id);
    await asked(terminal);
    answer(terminal, '', sshd.password);
    expect(await asked(terminal, 2)).toMatchObject({ prompts: [FOR_CODE] });
    answer(terminal, pam.code);
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('gets all answers from the person when no password is stored', async () => {
    const { id } = await addHost(gateway, { name: 'no password', sshd, password: '' });
    const terminal = openingTerminal(gateway, id);
    expect(await asked(terminal)).toMatchObject({ prompts: [FOR_PASSWORD] });
    answer(terminal, sshd.password);
    expect(await asked(terminal, 2)).toMatchObject({ prompts: [FOR_CODE] });
    answer(terminal, pam.code);
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('cannot be reached by files and tests, which have nobody to prompt', async () => {
    const { id } = await addHost(gateway, { name: 'for nobody', sshd });
    expect(await listingOf(gateway.admin, id)).toMatchObject({ status: 502, code: 'interaction_required' });
    const { success, stages } = await testOf(gateway.admin, id);
    expect([success, stages.at(-1)?.name, stages.at(-1)?.ok]).toEqual([false, 'auth', false]);
    expect(sshd.log()).not.toContain('Failed password');
  });

  it('works as a jump host for terminals, and prompts under its name', async () => {
    const bastion = await addHost(gateway, { name: 'bastion', sshd });
    const inner = await addHost(gateway, { name: 'behind', sshd, jump_via_id: bastion.id });
    const terminal = openingTerminal(gateway, inner.id);
    for (const [index, name] of ['bastion', 'behind'].entries()) {
      expect(await asked(terminal, index + 1)).toMatchObject({ name, prompts: [FOR_CODE] });
      answer(terminal, pam.code);
    }
    await terminal.frame('session');
    terminal.close(1000);
  });
});

describe('A host that requires a key and then prompts through PAM', () => {
  it('gets the key, the stored password and the code of the person', async () => {
    const { private_key } = with_key;
    const key = { auth_method: 'key', private_key } as const;
    const { id } = await addHost(gateway, { name: 'key and code', sshd: with_key, ...key });
    const terminal = openingTerminal(gateway, id);
    expect(await asked(terminal)).toMatchObject({ prompts: [FOR_CODE] });
    answer(terminal, pam.code);
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('prompts the person for both when no password is stored', async () => {
    const { private_key, password } = with_key;
    const key = { auth_method: 'key', private_key, password: '' } as const;
    const { id } = await addHost(gateway, { name: 'key only', sshd: with_key, ...key });
    const terminal = openingTerminal(gateway, id);
    expect(await asked(terminal)).toMatchObject({ prompts: [FOR_PASSWORD] });
    answer(terminal, password);
    expect(await asked(terminal, 2)).toMatchObject({ prompts: [FOR_CODE] });
    answer(terminal, pam.code);
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('cannot be reached by files', async () => {
    const { private_key } = with_key;
    const { id } = await addHost(gateway, {
      name: 'key alone',
      sshd: with_key,
      auth_method: 'key',
      private_key,
    });
    expect(await listingOf(gateway.admin, id)).toMatchObject({ status: 502, code: 'interaction_required' });
  });
});
