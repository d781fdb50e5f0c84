import { Fault } from '../errors.ts';
import type { ServerRow } from '../model/server.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { SshHop, SshTarget } from '../ports/ssh.ts';
import type { Credentials } from './credentials.ts';

const MAX_HOPS = 8; // bastions before the server

/** From a server's row to where to dial, with the bastions in between. */
export interface Connections {
  targetOf(server: ServerRow): Promise<SshTarget>;
  /** Refuses a jump host that does not exist, leads back to the server, or lies too deep. */
  assertJump(server_id: number | undefined, jump_via_id: number | null): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly credentials: Credentials;
}

export function createConnections({ repositories, credentials }: Deps): Connections {
  const { servers } = repositories;

  async function hopOf(server: ServerRow): Promise<SshHop> {
    const { name, hostname, port, username, host_key } = server;
    const auth = await credentials.open(server);
    return { server_id: server.id, name, hostname, port, username, host_key, auth };
  }

  /** The bastions before a server, nearest first. */
  async function bastions(via: number | null, seen: ReadonlySet<number>): Promise<ServerRow[]> {
    if (via === null) return [];
    if (seen.has(via)) throw new Fault('jump_cycle');
    if (seen.size > MAX_HOPS) throw new Fault('jump_too_deep');
    const bastion = await servers.byId(via);
    if (!bastion) throw new Fault('jump_host_unknown');
    return [bastion, ...(await bastions(bastion.jump_via_id, new Set(seen).add(via)))];
  }

  return {
    async targetOf(server) {
      const chain = await bastions(server.jump_via_id, new Set([server.id]));
      const [first = server, ...rest] = [server, ...chain].reverse();
      return { hops: [await hopOf(first), ...(await Promise.all(rest.map(hopOf)))] };
    },

    async assertJump(server_id, jump_via_id) {
      await bastions(jump_via_id, new Set([server_id ?? 0])); // a new server has no id that could be met again
    },
  };
}
