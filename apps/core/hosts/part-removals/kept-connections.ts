import { z } from 'zod';
import type { Vault } from '../../crypto/vault.ts';
import { isDatabaseDown } from '../../errors.ts';
import { KeptHop, type PartRemovalRow } from '../../model/hosts/part-removal.ts';
import type { ServerRow } from '../../model/hosts/server.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { SshHop, SshTarget } from '../../ports/ssh.ts';
import type { Connections } from '../connections.ts';

const PLACE = 'part_removals.connection';

/** The connection to a server that is being deleted, sealed: its own hop and all jump hosts as they are now. */
export interface KeptConnections {
  /** Says why, when the gateway cannot or must not connect on its own. */
  seal(server: ServerRow): Promise<{ readonly sealed: string } | { readonly obstacle: string }>;
  /** Through the present record of a jump host, as long as it has one. */
  open(row: PartRemovalRow): Promise<SshTarget>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly connections: Pick<Connections, 'targetOf'>;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  readonly verify_host_keys: boolean;
}

export function createKeptConnections(deps: Deps): KeptConnections {
  const { repositories, connections, vault, verify_host_keys } = deps;

  function obstacleOf(server: ServerRow, { hops }: SshTarget): string | undefined {
    if (!server.sftp_enabled) return 'SFTP is disabled';
    if (hops.some(({ auth }) => auth.method === 'prompt')) return 'no stored credential';
    // By then the address may belong to another host, or a jump host may be pointed elsewhere.
    if (verify_host_keys && hops.some(isUnpinned)) return 'no pinned host key';
    if (!verify_host_keys && hops.length > 1) return 'host keys are not verified';
    return undefined;
  }

  async function connectionTo(server: ServerRow): Promise<SshTarget | { readonly obstacle: string }> {
    try {
      const target = await connections.targetOf(server);
      const obstacle = obstacleOf(server, target);
      return obstacle === undefined ? target : { obstacle };
    } catch (error) {
      if (isDatabaseDown(error)) throw error; // nothing has been deleted yet
      return { obstacle: 'the stored credentials cannot be used' };
    }
  }

  async function present(kept: readonly SshHop[]): Promise<SshHop[]> {
    for (let at = kept.length - 2; at >= 0; at -= 1) {
      const record = await repositories.servers.byId(kept[at]?.server_id ?? 0);
      if (record) return [...(await connections.targetOf(record)).hops, ...kept.slice(at + 1)];
    }
    return [...kept];
  }

  return {
    async seal(server) {
      const found = await connectionTo(server);
      if ('obstacle' in found) return found;
      return { sealed: await vault.seal(JSON.stringify(found.hops), PLACE, server.id) };
    },

    async open({ server_id, connection_sealed }) {
      const kept = z.array(KeptHop).parse(JSON.parse(await vault.open(connection_sealed, PLACE, server_id)));
      const [first, ...rest] = await present(kept.map((hop) => ({ ...hop, is_kept: true })));
      if (!first) throw new Error('A kept connection has no hop');
      return { hops: [first, ...rest] };
    },
  };
}

function isUnpinned({ known_host_keys }: SshHop): boolean {
  return known_host_keys.length === 0;
}
