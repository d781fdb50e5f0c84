import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ssh2, { type Attributes, type SFTPWrapper } from 'ssh2';
import { onTestFinished } from 'vitest';
import type { FileSession } from '#core/ports/files.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { FRESH, worker } from '../setup.ts';
import { freshKey } from '../ssh-double.ts';

const { OK, EOF, FAILURE, NO_SUCH_FILE } = ssh2.utils.sftp.STATUS_CODE;
const TIMES = { uid: 1000, gid: 1000, atime: 1, mtime: 1 };
export const FILE: Attributes = { ...TIMES, mode: 0o100644, size: 7 };
const DIRECTORY: Attributes = { ...TIMES, mode: 0o40755, size: 0 };

/** Nothing exists elsewhere. */
export const DIR = '/jail/d';

/** A request about a path, and how many came before it. */
export interface Seen {
  readonly path: string;
  /** How many requests about this path came before it. */
  readonly nth: number;
  readonly changes: number;
  /** How many requests there were since a listing ended. */
  readonly since_listed: number;
}

/** What somebody on the host does during the requests. */
export interface Swaps {
  /** How many files are in the directory. */
  readonly files?: number;
  /** Further names in it. */
  readonly names?: readonly string[];
  readonly leadsAway?: (seen: Seen) => boolean;
  readonly refuses?: (change: string, nth: number) => boolean;
  readonly opened?: Attributes;
  readonly content?: string;
}

export interface SwappingHost {
  readonly session: FileSession;
  /** The changes it was asked to make, with their paths, in order. */
  readonly changes: string[];
  /** The number of open handles. */
  open(): number;
}

/** A host with one directory whose paths change their targets between requests. */
export async function startSwappingHost(swaps: Swaps): Promise<SwappingHost> {
  const changes: string[] = [];
  const looks = new Map<string, number>();
  let open = 0;
  let since_listed = -1;

  function attributesOf(path: string): Attributes | undefined {
    if (path === DIR || path === '/jail') return DIRECTORY;
    return /\/(f\d+|part|old)$/.test(path) ? FILE : undefined;
  }
  function look(path: string): string {
    const nth = looks.get(path) ?? 0;
    looks.set(path, nth + 1);
    if (since_listed >= 0) since_listed += 1;
    return swaps.leadsAway?.({ path, nth, changes: changes.length, since_listed })
      ? path.replace('/jail', '/outside')
      : path;
  }
  function sftp(wrapper: SFTPWrapper): void {
    const tell = (id: number, path: string) => {
      const attributes = attributesOf(path);
      if (attributes) wrapper.attrs(id, attributes);
      else wrapper.status(id, NO_SUCH_FILE);
    };
    const change = (id: number, ...words: string[]) => {
      const told = words.join(' ');
      const refused = swaps.refuses?.(told, changes.length) ?? false;
      changes.push(told);
      wrapper.status(id, refused ? FAILURE : OK);
    };
    const give = (id: number) => {
      open += 1;
      wrapper.handle(id, Buffer.from('h'));
    };
    let listed = false;
    wrapper.on('REALPATH', (id, path) =>
      wrapper.name(id, [{ filename: look(path), longname: '', attrs: DIRECTORY }]),
    );
    wrapper.on('LSTAT', tell);
    wrapper.on('STAT', tell);
    wrapper.on('FSTAT', (id) => wrapper.attrs(id, swaps.opened ?? FILE));
    // As servers built on ssh2 do, which know a few combinations of flags only.
    wrapper.on('OPEN', (id, _path, flags) =>
      ssh2.utils.sftp.flagsToString(flags) === null ? wrapper.status(id, FAILURE) : give(id),
    );
    wrapper.on('OPENDIR', (id) => {
      listed = false;
      give(id);
    });
    wrapper.on('READDIR', (id) => {
      if (listed) {
        since_listed = Math.max(since_listed, 0);
        return wrapper.status(id, EOF);
      }
      listed = true;
      const files = Array.from({ length: swaps.files ?? 1 }, (_, index) => `f${index}`);
      const names = [...files, ...(swaps.names ?? [])];
      wrapper.name(
        id,
        names.map((filename) => ({ filename, longname: '', attrs: FILE })),
      );
    });
    wrapper.on('READ', (id, _handle, offset) => {
      const content = (swaps.content ?? 'OUTSIDE').slice(offset);
      if (content === '') wrapper.status(id, EOF);
      else wrapper.data(id, Buffer.from(content));
    });
    wrapper.on('CLOSE', (id) => {
      open -= 1;
      wrapper.status(id, OK);
    });
    wrapper.on('FSETSTAT', (id) => wrapper.status(id, OK));
    wrapper.on('SETSTAT', (id, path) => change(id, 'SETSTAT', path));
    wrapper.on('REMOVE', (id, path) => change(id, 'REMOVE', path));
    wrapper.on('RMDIR', (id, path) => change(id, 'RMDIR', path));
    wrapper.on('MKDIR', (id, path) => change(id, 'MKDIR', path));
    wrapper.on('RENAME', (id, from, to) => change(id, 'RENAME', from, to));
  }

  const session = await worker().files.open(await listen(sftp));
  return { session, changes, open: () => open };
}

/** With an Ed25519 key: generating RSA takes another double a second. */
async function listen(sftp: (wrapper: SFTPWrapper) => void): Promise<SshTarget> {
  const server = new ssh2.Server({ hostKeys: [freshKey()] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (context) => context.accept());
    client.on('session', (accept) => accept().on('sftp', (grant) => sftp(grant())));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const place = { server_id: 1, name: 'swapping', hostname: '127.0.0.1', port, username: 'any' };
  return { hops: [{ ...place, ...FRESH, auth: { method: 'password', password: 'any' } }] };
}
