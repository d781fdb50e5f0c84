import { type AuditTrail, serverLabel } from '../audit/trail.ts';
import { invalidField, toFault } from '../errors.ts';
import type { Connections, Entered } from '../hosts/connections.ts';
import { hiddenHopsFor } from '../hosts/hidden-hops.ts';
import type { Reach } from '../hosts/reach.ts';
import type { SharedCredentials } from '../hosts/shared-credentials.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import { credentialOf } from '../policy/account.ts';
import type { Files as FilesPort } from '../ports/files.ts';

export interface TypedConnect {
  readonly server_id: number;
  /** The server's own by default. */
  readonly username?: string | undefined;
  readonly password: string;
}

export interface FileConnects {
  /**
   * Signs in to the first hop without stored credentials; keeps them in memory for this caller's file operations. Throws
   * `credentials_required` when another hop needs credentials.
   */
  connect(caller: Caller, typed: TypedConnect): Promise<void>;
}

interface Deps {
  readonly reach: Reach;
  readonly connections: Connections;
  readonly typed: Pick<SharedCredentials, 'keep'>;
  readonly files: FilesPort;
  readonly trail: AuditTrail;
}

export function createFileConnects({ reach, connections, typed, files, trail }: Deps): FileConnects {
  /** Keeps the credentials unless the host refuses them; another hop's are asked for next. */
  async function tryOut(caller: Caller, server: ServerRow, entered: Entered): Promise<void> {
    const credential = credentialOf(caller);
    try {
      const target = await connections.targetWith(credential, server, entered);
      const session = await files.open({ ...target, user_id: caller.user_id });
      session.release();
    } catch (error) {
      const fault = toFault(error);
      if (fault.code === 'credentials_required') await typed.keep(credential, entered.hop, entered.typed);
      const { hop = server.name } = fault.options;
      const is_another = fault.code === 'host_auth_failed' && hop !== entered.hop.name;
      if (is_another) await connections.forgetTyped(credential, server, fault);
      throw error;
    }
    await typed.keep(credential, entered.hop, entered.typed);
  }

  return {
    async connect(caller, { server_id, username, password }) {
      const server = await reach(caller, 'connect_to_files', server_id);
      const credential = credentialOf(caller);
      const hop = await connections.askingHop(credential, server);
      if (!hop) {
        throw invalidField('username', 'No server on this route asks for credentials');
      }
      const entered = { hop, typed: { username: username ?? hop.username, password } };
      const at = hop.id === server.id ? '' : ` at ${serverLabel(hop)}`;
      const detail = `${serverLabel(server)} as ${entered.typed.username}${at}`;
      try {
        await tryOut(caller, server, entered);
      } catch (error) {
        const fault = (await hiddenHopsFor(caller, server, connections)).fault(error);
        await trail.record(caller, 'sftp_connect', `${detail}: ${fault.code}`);
        throw fault;
      }
      await trail.record(caller, 'sftp_connect', detail);
    },
  };
}
