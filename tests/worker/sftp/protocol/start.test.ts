import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountOptions, addAccount } from '../../../support/hosts/accounts.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, targetTo, worker } from '../../setup.ts';

let sshd: Sshd;
let forced: Sshd;

beforeAll(async () => {
  const sftp = '/usr/lib/openssh/sftp-server'; // started through the login shell, unlike internal-sftp
  sshd = await startSshd({ sftp });
  forced = await startSshd({ sftp, config: ['ForceCommand echo "Backups only"; exit 3'] });
});
afterAll(async () => {
  await sshd?.stop();
  await forced?.stop();
});

async function listingAs(options: AccountOptions, host = sshd) {
  const account = await addAccount(options);
  const { username, password } = account;
  const target = targetTo(host, { username, auth: { method: 'password', password } });
  const { files, prober } = worker();
  const failure = await failureOf(files.open(target));
  const { success, stages } = await prober.test(target);
  await account.remove();
  return { ...failure, success, tested: stages.at(-1), username };
}

describe('SFTP that does not start', () => {
  it.each<[string, AccountOptions, string, RegExp, boolean]>([
    [
      'a start-up file that prints a line',
      { bashrc: 'echo Welcome back' },
      'startup_output',
      /“Welcome back”/,
      true,
    ],
    ['a start-up file that prints a word', { bashrc: 'printf x' }, 'startup_output', /“x”/, true],
    ['a restricted shell', { shell: '/bin/rbash' }, 'restricted_shell', /restricted shell/, true],
    ['nologin', { shell: '/usr/sbin/nologin' }, 'login_disabled', /let user sp-\w+ run anything/, false],
    ['an expired password', { password_expired: true }, 'password_expired', /expired password/, true],
    ['a shell that ends at once', { shell: '/bin/false' }, 'sftp_unavailable', /no SFTP subsystem$/, true],
  ])('is reported as what it is: %s', async (_what, account, code, words, success) => {
    const failure = await listingAs(account);
    expect(failure).toMatchObject({ code, stage: 'sftp', success });
    expect(failure.detail).toMatch(words);
    expect(failure.tested).toMatchObject({ name: 'sftp', ok: false, detail: failure.detail });
  });

  it('is reported with what a forced command says', async () => {
    const failure = await listingAs({}, forced);
    expect(failure).toMatchObject({ code: 'sftp_refused', success: true });
    expect(failure.detail).toContain('“Backups only”');
  });
});
