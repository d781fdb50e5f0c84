import { lstatSync, mkdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isUtf8 } from '#core/lib/paths/path-bytes.ts';
import type { FileSession } from '#core/ports/files.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import {
  type ForeignHost,
  has_proftpd,
  has_twisted,
  startProftpd,
  startTwisted,
} from '../../../support/hosts/foreign/foreign-hosts.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { FRESH, failureOf, targetTo, worker } from '../../setup.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const session = (target: SshTarget = targetTo(sshd)): Promise<FileSession> => worker().files.open(target);

let folders = 0;
/** A fresh directory of the account. */
async function makeFolder(): Promise<string> {
  folders += 1;
  const path = join(sshd.folder, `links-${folders}`);
  mkdirSync(path);
  await chown(path, sshd.uid, sshd.uid);
  return path;
}

describe('a new link', () => {
  it.each(['target', '../elsewhere', '/nowhere/at all', 'ünit', 'bytes:/caf%E9', '\udce9'])(
    'contains its target as it was given: %j',
    async (target) => {
      const folder = await makeFolder();
      const remote = await session();
      await remote.makeLink(join(folder, 'link'), target);
      expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
      expect(await remote.readLink(join(folder, 'link'))).toBe(target);
      if (isUtf8(target)) expect(readlinkSync(join(folder, 'link'))).toBe(target);
    },
  );

  it('replaces nothing', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'link');
    symlinkSync('old', path);
    const remote = await session();
    expect(await failureOf(remote.makeLink(path, 'new'))).toMatchObject({ code: 'already_exists' });
    expect(readlinkSync(path)).toBe('old');
  });

  it.each(['', 'a\0b'])('has a target that is a path: not %j', async (target) => {
    const path = join(await makeFolder(), 'link');
    expect(await failureOf((await session()).makeLink(path, target))).toMatchObject({ code: 'invalid_path' });
  });
});

const foreignTarget = ({ port, username, password }: ForeignHost): SshTarget => {
  const place = { server_id: 1, name: 'foreign', hostname: '127.0.0.1', port, username };
  return { hops: [{ ...place, ...FRESH, auth: { method: 'password', password } }] };
};

describe('another SFTP server', () => {
  it.each([
    ['ProFTPD', has_proftpd, () => startProftpd(sshd, [])],
    ['Twisted', has_twisted, () => startTwisted(sshd)],
  ])('makes a link that points the right way: %s', async (_name, is_installed, start) => {
    if (!is_installed) return;
    const host = await start();
    const remote = await session(foreignTarget(host));
    const path = join(host.folder, 'link');
    await remote.makeLink(path, join(host.folder, 'target'));
    expect(readlinkSync(path)).toBe(join(host.folder, 'target'));
    await host.stop();
  });
});

describe('attributes', () => {
  it('of a file or directory are set by its path', async () => {
    const folder = await makeFolder();
    const times = { modified: '2023-11-14T22:13:20Z', accessed: '2001-09-09T01:46:40Z' };
    await (await session()).setAttributes(folder, { mode: 0o711, times });
    const { mode, mtimeMs, atimeMs } = statSync(folder);
    expect([mode & 0o7777, mtimeMs, atimeMs]).toEqual([0o711, 1_700_000_000_000, 1_000_000_000_000]);
  });

  it('leave the mode alone unless it is given', async () => {
    const folder = await makeFolder();
    const before = statSync(folder).mode;
    const times = { modified: '2023-11-14T22:13:20Z', accessed: '2023-11-14T22:13:20Z' };
    await (await session()).setAttributes(folder, { times });
    expect(statSync(folder).mode).toBe(before);
  });

  it.each(['1969-12-31T23:59:59Z', '2106-02-07T06:28:16Z', 'yesterday'])(
    'hold no time that SFTP cannot express: %s',
    async (modified) => {
      const folder = await makeFolder();
      const setting = (await session()).setAttributes(folder, { times: { modified, accessed: modified } });
      expect(await failureOf(setting)).toMatchObject({ code: 'validation' });
    },
  );
});
