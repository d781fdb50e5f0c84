import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSftpLog } from '../../../support/hosts/sftp-log.ts';
import { startSshd } from '../../../support/hosts/sshd.ts';
import { targetTo, worker } from '../../setup.ts';
import { startHostileHost } from '../protocol/hostile-host.ts';

const FILE = { mode: 0o100644, size: 7, uid: 1000, gid: 1000, atime: 1, mtime: 1 };
const WRITES = ['WRITE', 'SETSTAT', 'FSETSTAT', 'REMOVE', 'RENAME', 'MKDIR', 'RMDIR'];

describe('Asking whether a file may be written', () => {
  it('sends nothing that could change the host, also where the answer is no', async () => {
    const log = startSftpLog();
    const sshd = await startSshd({ sftp: log.subsystem });
    onTestFinished(async () => {
      await sshd.stop();
      log.remove();
    });
    const path = join(sshd.folder, 'of-root.txt');
    writeFileSync(path, 'text', { mode: 0o644 }); // the test process is root
    const session = await worker().files.open(targetTo(sshd));
    expect(await session.mayWrite(path)).toBe(false);
    expect(log.take().filter((request) => WRITES.includes(request))).toEqual([]);
    chownSync(path, sshd.uid, sshd.uid);
    expect(await session.mayWrite(path)).toBe(true);
    expect(log.take().filter((request) => WRITES.includes(request))).toEqual([]);
  });

  it('does not open a FIFO that has replaced the file, which would block the host', async () => {
    const sshd = await startSshd();
    onTestFinished(() => sshd.stop());
    const path = join(sshd.folder, 'swapped.txt');
    execFileSync('mkfifo', [path]);
    chmodSync(path, 0o222);
    const session = await worker({ operation_timeout_ms: 600_000 }).files.open(targetTo(sshd));
    await session.mayWrite(path);
    expect(await session.loginDirectory()).toBe(sshd.home);
  });

  it('ends at a host that never answers it', async () => {
    const host = await startHostileHost({
      sftp(wrapper) {
        wrapper.on('REALPATH', (id, path) =>
          wrapper.name(id, [{ filename: path, longname: '', attrs: FILE }]),
        );
        wrapper.on('LSTAT', (id) => wrapper.attrs(id, FILE));
        wrapper.on('OPEN', () => {});
      },
    });
    onTestFinished(() => host.stop());
    const session = await worker({ operation_timeout_ms: 200 }).files.open(host.target);
    expect(await session.mayWrite('/f')).toBe(true); // the save will say what is wrong
  });
});
