import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Server } from '#core/model/hosts/server.ts';
import {
  type Actor,
  type Answer,
  startGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../gateway/gateway.ts';
import { type Sshd, type SshdOptions, startSshd } from '../hosts/sshd.ts';

/** A gateway, and a host with files. */
export interface FileHost {
  readonly sshd: Sshd;
  readonly gateway: TestGateway;
  readonly server: Server;
  /** A path below the host's own folder. */
  at(...names: string[]): string;
  /** Another record of the same host, with other rules. */
  add(name: string, fields: Record<string, unknown>): Promise<Server>;
  /** A file owned by the account; missing directories are created. */
  put(name: string, content: string | Uint8Array, mode?: number): Promise<string>;
  /** A directory owned by the account. */
  make(name: string): Promise<string>;
  link(name: string, target: string): Promise<string>;
  ask<T = Record<string, unknown>>(change: Change, options?: AskOptions): Promise<Answer<T>>;
  stop(): Promise<void>;
}

export interface AskOptions {
  readonly id?: number;
  readonly actor?: Actor;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is asked: the verb of the address, and its query or body. */
export type Change =
  | {
      readonly verb: 'ls' | 'stat' | 'read' | 'search' | 'delete' | 'archive' | 'old-copies';
      readonly query: Readonly<Record<string, string>>;
    }
  | {
      readonly verb: 'write' | 'mkdir' | 'rename' | 'chmod' | 'copy-to' | 'extract' | 'restore';
      readonly body: object;
    };

const METHODS: Readonly<Record<Change['verb'], string>> = {
  ls: 'GET',
  stat: 'GET',
  read: 'GET',
  search: 'GET',
  archive: 'GET',
  'old-copies': 'GET',
  delete: 'DELETE',
  write: 'PUT',
  mkdir: 'POST',
  rename: 'POST',
  chmod: 'POST',
  'copy-to': 'POST',
  extract: 'POST',
  restore: 'POST',
};

export async function startFileHost(
  options: { sshd?: SshdOptions; gateway?: TestGatewayOptions } = {},
): Promise<FileHost> {
  const sshd = await startSshd(options.sshd);
  const gateway = await startGateway(options.gateway);
  const { port, username, password, uid, folder } = sshd;
  const add = (name: string, fields: Record<string, unknown>) =>
    gateway.addServer({ name, port, username, password, ...fields });
  const server = await add('box', {});
  const at = (...names: string[]) => join(folder, ...names);
  const make = async (name: string) => {
    const first = await mkdir(at(name), { recursive: true });
    for (
      let made = at(name);
      first?.startsWith(folder) && made.length >= first.length;
      made = dirname(made)
    ) {
      await chown(made, uid, uid);
    }
    return at(name);
  };
  return {
    sshd,
    gateway,
    server,
    at,
    add,
    make,
    async put(name, content, mode = 0o644) {
      const path = at(name);
      await make(dirname(join('/', name)).slice(1));
      await writeFile(path, content);
      await chmod(path, mode);
      await chown(path, uid, uid);
      return path;
    },
    async link(name, target) {
      await symlink(target, at(name));
      return at(name);
    },
    ask: (change, asked) => ask(change, { id: server.id, actor: gateway.admin, ...asked }),
    async stop() {
      await gateway.close();
      await sshd.stop();
    },
  };
}

async function ask<T>(
  change: Change,
  { id, actor, headers = {} }: AskOptions & { id: number; actor: Actor },
): Promise<Answer<T>> {
  const method = METHODS[change.verb];
  const path = `/api/files/${id}/${change.verb}`;
  const init =
    'query' in change
      ? { method, headers }
      : {
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(change.body),
        };
  const query = 'query' in change ? `?${new URLSearchParams(change.query)}` : '';
  const response = await actor.fetch(path + query, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as T }; // tests name what they expect
}
