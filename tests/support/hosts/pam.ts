import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../at-exit.ts';
import { USERNAME } from './sshd.ts';

/** A PAM service on this machine, for an sshd that prompts for a password and then a code. */
export interface PamService {
  /** For `startSshd`. */
  readonly program: string;
  readonly config: readonly string[];
  readonly code: string;
  remove(): Promise<void>;
}

/**
 * `pam_ftp` is the one module of every Debian that asks something of its own: an e-mail address, whose first part
 * `pam_exec` then compares. sshd names its service after the program that was started.
 */
export async function addPamService(): Promise<PamService> {
  const name = `sallyport-test-${randomBytes(6).toString('hex')}`;
  const service = `/etc/pam.d/${name}`;
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-pam-'));
  const code = randomBytes(4).toString('hex');
  const [program, check] = [join(folder, name), join(folder, 'check')];
  const callOff = atExit(() => spawnSync('rm', ['-rf', service, folder]));
  await chmod(folder, 0o755);
  await symlink('/usr/sbin/sshd', program);
  await writeFile(check, `#!/bin/sh\n[ "$PAM_RUSER" = ${code} ]\n`, { mode: 0o755 });
  await writeFile(
    service,
    [
      'auth requisite pam_unix.so',
      `auth requisite pam_ftp.so users=${USERNAME}`,
      `auth required pam_exec.so quiet ${check}`,
      'account required pam_permit.so',
      'session required pam_permit.so',
      '',
    ].join('\n'),
  );
  return {
    program,
    config: ['PasswordAuthentication no', 'KbdInteractiveAuthentication yes'],
    code,
    async remove() {
      callOff();
      await Promise.all([rm(service), rm(folder, { recursive: true })]);
    },
  };
}
