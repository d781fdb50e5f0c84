import { Fault } from '#core/errors.ts';
import type { FileSession, Files, RemoteFile, SshTarget } from '#core/ports/ssh.ts';
import { toFileStat } from './attributes.ts';
import type { Handle, SftpChannel } from './channel.ts';
import { describeEntry, listDirectory } from './listing.ts';
import type { Lease, Pool } from './pool.ts';
import { readAhead } from './read-ahead.ts';
import { readAll } from './read-all.ts';
import { assertSamePlace } from './same-place.ts';

export function createFiles(pool: Pool): Files {
  return {
    open: (target) => openSession(pool, target),
    drop: (server_id) => pool.drop(server_id),
    dropOwner: (owner) => pool.dropOwner(owner),
  };
}

async function openSession(pool: Pool, target: SshTarget): Promise<FileSession> {
  const leases = await createRenewableLease(pool, target);
  const ask = <T>(path: string, work: (channel: SftpChannel) => Promise<T>) =>
    leases.use(async ({ connection }) => naming(path, work(await connection.metadata())));
  return {
    realpath: (path) => ask(path, (channel) => canonicalPath(channel, path)),
    list: (path) => ask(path, (channel) => listDirectory(channel, path)),
    entry: (path) => ask(path, (channel) => describeEntry(channel, path)),
    openRead: (path) => leases.use((lease) => naming(path, openRead(lease.again(), path))),
    release: () => leases.release(),
  };
}

interface RenewableLease {
  use<T>(work: (lease: Lease) => Promise<T>): Promise<T>;
  release(): void;
}

/** A pooled connection may have died unnoticed: it is replaced once, and the work, which only reads, runs again. */
async function createRenewableLease(pool: Pool, target: SshTarget): Promise<RenewableLease> {
  const first = await pool.lease(target);
  let lease = first;
  let renewal: Promise<void> | undefined;
  let released = false;
  async function renew(): Promise<void> {
    const fresh = await pool.lease(target);
    lease.release();
    lease = fresh;
    if (released) lease.release();
  }
  return {
    async use(work) {
      if (released) throw new Error('The file session was released');
      const used = lease;
      try {
        return await work(used);
      } catch (error) {
        if (used !== first || !used.replaceable()) throw error;
      }
      renewal ??= renew();
      await renewal;
      return work(lease);
    },
    release() {
      released = true;
      lease.release();
    },
  };
}

/** A lookup that fails for a name with replacement characters was most likely asked with a listed, unaddressable one. */
async function naming<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const missing = error instanceof Fault && error.code === 'file_not_found';
    if (missing && path.includes('\ufffd'))
      throw new Fault('unaddressable_name', undefined, { cause: error });
    throw error;
  }
}

/** sshd resolves a path whose last part is missing as well; only `stat` tells. */
async function canonicalPath(channel: SftpChannel, path: string): Promise<string> {
  const [real] = await Promise.all([channel.realpath(path), channel.stat(path)]);
  return real;
}

async function openRead(lease: Lease, path: string): Promise<RemoteFile> {
  const transfer = await lease.connection.transfer().catch((error: unknown) => {
    lease.release();
    throw error;
  });
  const release = () => {
    transfer.done();
    lease.release();
  };
  try {
    return await openRegular(transfer.channel, path, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function openRegular(channel: SftpChannel, path: string, release: () => void): Promise<RemoteFile> {
  // Before the open, which would wait for a writer on a FIFO and act on a device; after it, because paths can be swapped.
  assertRegular(toFileStat(await channel.stat(path)).kind);
  const handle = await channel.open(path);
  const close = closeOnce(channel, handle, release);
  try {
    const stat = toFileStat(await assertSamePlace(channel, handle, path));
    assertRegular(stat.kind);
    const read = (position: number, length: number) => channel.read(handle, position, length);
    return {
      stat,
      close,
      stream: (range) => readAhead({ read, close }, range),
      readAll: (limit_bytes) => readAll({ read }, stat.size, limit_bytes).finally(close),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function assertRegular(kind: string): void {
  if (kind !== 'file') throw new Fault('not_a_file');
}

/** The connection is given back when the server has closed the file, or cannot any more. */
function closeOnce(channel: SftpChannel, handle: Handle, release: () => void): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= channel.close(handle).then(release, release);
    return closing;
  };
}
