import type { FileSession, Files } from '#core/ports/files.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { createPartFiles } from './parts/part-files.ts';
import type { Pool } from './pool/pool.ts';
import { createRenewableLease } from './pool/renewable-lease.ts';
import { createSessionWork, naming } from './pool/session-work.ts';
import type { SftpChannel } from './protocol/channel.ts';
import { openRead } from './transfer/open-read.ts';
import { describeEntry, listDirectory } from './tree/listing.ts';
import { createTreeWork } from './tree/work.ts';

export function createFiles(pool: Pool): Files {
  return {
    open: (target) => openSession(pool, target),
    drop: (server_id) => pool.drop(server_id),
    dropOwner: (owner) => pool.dropOwner(owner),
  };
}

async function openSession(pool: Pool, target: SshTarget): Promise<FileSession> {
  const leases = await createRenewableLease(pool, target);
  const work = createSessionWork(leases);
  return {
    loginDirectory: () => work.ask('.', (channel) => channel.realpath('.')),
    realpath: (path) => work.ask(path, (channel) => canonicalPath(channel, path)),
    list: (path) => work.ask(path, (channel) => listDirectory(channel, path)),
    entry: (path) => work.ask(path, (channel) => describeEntry(channel, path)),
    openRead: (path) => leases.use((lease) => naming(path, openRead(lease.again(), path))),
    ...createPartFiles(work),
    ...createTreeWork(work),
    release: () => leases.release(),
  };
}

/** sshd resolves a path whose last part is missing as well; only `stat` tells. */
async function canonicalPath(channel: SftpChannel, path: string): Promise<string> {
  const [real] = await Promise.all([channel.realpath(path), channel.stat(path)]);
  return real;
}
