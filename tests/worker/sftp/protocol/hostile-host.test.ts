import type { FileEntry, ServerChannel, SFTPWrapper } from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf, request, watch, worker } from '../../setup.ts';
import { type HostileHost, type Misdeeds, startHostileHost } from './hostile-host.ts';

const hosts: HostileHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()));
});

async function hostThat(misdeeds: Misdeeds): Promise<HostileHost> {
  const host = await startHostileHost(misdeeds);
  hosts.push(host);
  return host;
}

const CHUNK = Buffer.alloc(32_000, 'x');

/** Sends 16 MiB whatever the window says: ssh2's server side is told that there is always room. */
function flood(channel: ServerChannel, to: 'stdout' | 'stderr'): void {
  const { outgoing } = channel as unknown as { outgoing: { window: number } };
  for (let sent = 0; sent < 16 * 1024 * 1024; sent += CHUNK.length) {
    outgoing.window = 2 ** 30;
    (to === 'stdout' ? channel : channel.stderr).write(CHUNK);
  }
}

describe('a host that ignores the SSH window', () => {
  it.each(['stdout', 'stderr'] as const)(
    'is disconnected with ssh_protocol while %s is paused',
    async (stream) => {
      const { target } = await hostThat({ shell: (channel) => flood(channel, stream) });
      const shell = await worker().shells.open(target, request());
      shell.pause();
      const screen = watch(shell);
      shell.pause();
      expect(await screen.ended).toMatchObject({ kind: 'lost', fault: { code: 'ssh_protocol' } });
      expect(screen.ends()).toBe(1);
    },
  );

  it('is tolerated while somebody reads', async () => {
    const { target } = await hostThat({
      shell(channel) {
        flood(channel, 'stdout');
        channel.exit(0);
        channel.end();
      },
    });
    const screen = watch(await worker().shells.open(target, request()));
    expect(await screen.ended).toMatchObject({ kind: 'exit', code: 0 });
    expect(screen.bytes().length).toBeGreaterThanOrEqual(16 * 1024 * 1024);
  });
});

const NO_ATTRIBUTES = { mode: 0o100644, size: 1, uid: 0, gid: 0, atime: 0, mtime: 0 };
const DIRECTORY = { ...NO_ATTRIBUTES, mode: 0o40755 };

/** Answers every READDIR with the same entries, and counts open directories. */
function endlessDirectory(batch: FileEntry[]) {
  let open = 0;
  return {
    open: () => open,
    sftp(sftp: SFTPWrapper) {
      sftp.on('REALPATH', (id, path) => sftp.name(id, [{ filename: path, longname: '', attrs: DIRECTORY }]));
      sftp.on('STAT', (id) => sftp.attrs(id, DIRECTORY));
      sftp.on('READDIR', (id) => sftp.name(id, batch));
      sftp.on('OPENDIR', (id) => {
        open += 1;
        sftp.handle(id, Buffer.from('handle'));
      });
      sftp.on('CLOSE', (id) => {
        open -= 1;
        sftp.status(id, 0);
      });
    },
  };
}

const entry = (filename: string): FileEntry => ({ filename, longname: '', attrs: NO_ATTRIBUTES });

describe('an endless directory', () => {
  it.each([
    ['entries', Array.from({ length: 4000 }, () => entry('name'))],
    ['long names', Array.from({ length: 10 }, () => entry('x'.repeat(20_000)))],
  ])('is refused with sftp_failed for its %s, and closed', { timeout: 180_000 }, async (_what, batch) => {
    const directory = endlessDirectory(batch);
    const { target } = await hostThat(directory);
    const remote = await worker().files.open(target);
    expect(await failureOf(remote.list('/endless'))).toMatchObject({
      code: 'sftp_failed',
      detail: 'The directory has too many entries to list',
    });
    await expect.poll(() => directory.open()).toBe(0); // Nobody waits for its answer.
  });
});
