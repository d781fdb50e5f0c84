import type { FileSession, FileSystemSpace, Files, Walked, WalkOptions } from '#core/ports/files.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { openWrite, toSettable } from './parts/open-write.ts';
import { createPartFiles } from './parts/part-files.ts';
import { mayWrite } from './parts/writable.ts';
import { leaseChannel, withLeasedChannel } from './pool/leased-channel.ts';
import type { Pool } from './pool/pool.ts';
import type { SessionWork } from './pool/session-work.ts';
import { createRenewableLease, createSessionWork, explainingPath } from './pool/session-work.ts';
import { unconfined } from './pool/unconfined-lease.ts';
import { toFileStat } from './protocol/attributes.ts';
import type { SftpChannel } from './protocol/channel.ts';
import { isRefusal } from './protocol/refusals.ts';
import { assertStillReal } from './protocol/swap-check.ts';
import { openRead } from './transfer/open-read.ts';
import { describeEntry, listDirectory } from './tree/listing.ts';
import { changeAttributes, changeTreeMode } from './tree/mode.ts';
import { lstatPath, makeDirectory, makeLink, movePath } from './tree/move.ts';
import { removeTree } from './tree/remove.ts';
import { searchTree } from './tree/search.ts';
import { walkSteps } from './tree/walk.ts';
import { toWalked } from './tree/walk-step.ts';
import { openZip } from './unzip/open-zip.ts';
import { openArchive } from './zip/archive.ts';

export function createFiles(pool: Pool): Files {
  return {
    open: (target, { is_confined = true } = {}) =>
      openSession(is_confined ? pool : unconfinedPool(pool), target),
    drop: (server_id) => pool.drop(server_id),
    dropOwner: (owner) => pool.dropOwner(owner),
  };
}

function unconfinedPool(pool: Pool): Pick<Pool, 'lease'> {
  return { lease: async (target) => unconfined(await pool.lease(target)) };
}

async function openSession(pool: Pick<Pool, 'lease'>, target: SshTarget): Promise<FileSession> {
  const leases = await createRenewableLease(pool, target);
  const work = createSessionWork(leases);
  const openFile = (path: string) =>
    leases.use((lease) => explainingPath(path, openRead(lease.share(), path)));
  return {
    loginDirectory: () => work.query('.', (channel) => channel.realpath('.')),
    realpath: (path) => work.query(path, (channel) => canonicalPath(channel, path)),
    list: (path, options) => work.query(path, (channel) => listDirectory(channel, path, options)),
    entry: (path) => work.query(path, (channel) => describeEntry(channel, path)),
    mayWrite: (path) => work.query(path, (channel) => mayWrite(channel, path)),
    space: (path) => work.query(path, (channel) => spaceAt(channel, path)),
    openRead: openFile,
    openWrite: async (path, options = {}) =>
      explainingPath(path, openWrite(await work.lease(), path, options)),
    openZip: async (path) => openZip(await openFile(path)),
    ...createPartFiles(work),
    ...createTreeWork(work),
    release: () => leases.release(),
  };
}

/** sshd also resolves a path whose last segment does not exist, so `stat` has to check. */
async function canonicalPath(channel: SftpChannel, path: string): Promise<string> {
  const [real] = await Promise.all([channel.realpath(path), channel.stat(path)]);
  return real;
}

async function spaceAt(channel: SftpChannel, path: string): Promise<FileSystemSpace | undefined> {
  try {
    const [found] = await Promise.all([channel.statvfs(path), assertStillReal(channel, path)]);
    const { is_read_only: _, ...space } = found;
    return { ...space, free_files: space.total_files === 0 ? 0 : space.free_files };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

type TreeWork = Pick<
  FileSession,
  | 'statOf'
  | 'makeDirectory'
  | 'makeLink'
  | 'readLink'
  | 'setAttributes'
  | 'rename'
  | 'remove'
  | 'changeMode'
  | 'search'
  | 'walk'
  | 'archive'
>;

/** Operations on whole directory trees. */
export function createTreeWork(work: SessionWork): TreeWork {
  return {
    statOf: (path) =>
      work.query(path, async (channel) => {
        const attributes = await lstatPath(channel, path);
        return attributes && toFileStat(attributes);
      }),
    makeDirectory: (path) => work.change(path, (channel) => makeDirectory(channel, path)),
    makeLink: (path, target) => work.change(path, (channel) => makeLink(channel, path, target)),
    readLink: (path) => work.query(path, (channel) => channel.readlink(path)),
    setAttributes: (path, attributes) =>
      work.change(path, (channel) => changeAttributes(channel, path, toSettable(attributes))),
    rename: (from, to, { overwrite }) =>
      work.change(from, (channel) => movePath(channel, { from, to, overwrite })),
    remove: (path, { signal }) =>
      withLeasedChannel(work, { path, signal }, (channel) => removeTree(channel, path, signal)),
    changeMode: (path, mode, { recursive, signal }) =>
      withLeasedChannel(work, { path, signal }, (channel) =>
        changeTreeMode(channel, { path, mode, recursive, signal }),
      ),
    search: (path, options) =>
      withLeasedChannel(work, { path, signal: options.signal }, (channel) =>
        searchTree(channel, path, options),
      ),
    walk: (path, options) => walk(work, path, options),
    archive: (roots, { signal }) => openArchive(work, roots, signal),
  };
}

async function* walk(
  work: SessionWork,
  path: string,
  { order = 'depth', ...options }: WalkOptions,
): AsyncGenerator<Walked> {
  const { channel, release } = await leaseChannel(work);
  try {
    for await (const steps of walkSteps(channel, path, { ...options, order })) {
      yield* steps.map(toWalked);
    }
  } finally {
    release();
  }
}
