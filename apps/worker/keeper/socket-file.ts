import { chmod, link, lstat, mkdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

const MAX_PATH_BYTES = 103; // of a Unix socket on macOS; Linux takes 107
const LONGEST_SUFFIX = '.4294967295';

/** Another keeper listens already. */
export class KeeperRuns extends Error {
  override name = 'KeeperRuns';
}

export function socketPath(dir: string): string {
  return join(dir, 'socket');
}

/** Why the folder cannot hold the socket; undefined when it can. */
export function pathObjection(dir: string): string | undefined {
  const bytes = Buffer.byteLength(socketPath(dir)) + LONGEST_SUFFIX.length;
  return bytes <= MAX_PATH_BYTES
    ? undefined
    : `the path ${dir} is too long for a Unix socket by ${bytes - MAX_PATH_BYTES} bytes`;
}

/**
 * Creates the folder, or refuses one that another user could have made: who can reach the socket opens shells, and receives
 * credentials when it listens there.
 */
export async function assertPrivate(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(dir).then((found) => {
    if (!found.isDirectory()) throw new Error(`${dir} is not a directory`);
    return found;
  });
  if (process.getuid && uid !== process.getuid()) throw new Error(`${dir} belongs to another user`);
  if ((mode & 0o077) !== 0) await chmod(dir, 0o700);
}

/** Listens on a Unix socket; a dead keeper's socket is replaced. Throws `KeeperRuns`. */
export async function listenAt(dir: string, connected: (socket: Socket) => void): Promise<Server> {
  await assertPrivate(dir);
  const own = `${socketPath(dir)}.${process.pid}`;
  await rm(own, { force: true });
  const server = createServer(connected);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(own, resolve);
  });
  try {
    await chmod(own, 0o600);
    await publish(own, socketPath(dir));
  } catch (error) {
    server.close();
    throw error;
  } finally {
    await rm(own, { force: true });
  }
  return server;
}

/** Uses a link, which never replaces the socket of a keeper that started at the same time. */
async function publish(own: string, path: string): Promise<void> {
  for (;;) {
    try {
      return await link(own, path);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    if (await isAlive(path)) throw new KeeperRuns('A keeper is already running here');
    await rm(path, { force: true });
  }
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
