import { Fault } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import { credentialOf } from '../policy/account.ts';
import type { Files as FilesPort } from '../ports/ssh.ts';
import { type AuditTrail, serverLabel } from './audit-trail.ts';
import type { Connections } from './connections.ts';
import type { Reach } from './reach.ts';
import type { TypedCredentials } from './typed-credentials.ts';

export interface TypedConnect {
  readonly server_id: number;
  /** By default the server's own. */
  readonly username?: string | undefined;
  readonly password: string;
}

export interface FileConnects {
  /** Signs in to a server that stores nothing; what was typed is kept in memory for this caller's file operations. */
  connect(caller: Caller, typed: TypedConnect): Promise<void>;
}

interface Deps {
  readonly reach: Reach;
  readonly connections: Connections;
  readonly typed: TypedCredentials;
  readonly files: FilesPort;
  readonly trail: AuditTrail;
}

export function createFileConnects({ reach, connections, typed, files, trail }: Deps): FileConnects {
  return {
    async connect(caller, { server_id, username, password }) {
      const server = await reach.forSftp(caller, server_id);
      if (server.auth_method !== 'prompt') {
        throw new Fault('validation', 'This server has its credentials stored: nothing is to be typed');
      }
      const credential = credentialOf(caller);
      const entered = { username: username ?? server.username, password };
      const session = await files.open(await connections.targetWith(credential, server, entered));
      session.release();
      typed.keep(credential, server, entered);
      await trail.record(caller, 'sftp_connect', `${serverLabel(server)} as ${entered.username}`);
    },
  };
}
