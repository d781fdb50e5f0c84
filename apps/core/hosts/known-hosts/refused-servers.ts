import type { ServerRow } from '../../model/hosts/server.ts';
import type { Files } from '../../ports/files.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Clock } from '../../ports/runtime.ts';
import { knownKeys } from '../host-keys.ts';
import { fingerprintOf } from './parse.ts';
import type { RevokedKeys } from './revoked.ts';

/** Servers that are trusted by a key which has just been revoked. */
export interface RefusedServers {
  /** Closes the connections to servers trusted by one of these keys, on every instance. Returns those servers. */
  disconnect(revoked: ReadonlySet<string>): Promise<ServerRow[]>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  readonly revoked: Pick<RevokedKeys, 'without'>;
  readonly files: Pick<Files, 'drop'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createRefusedServers({ repositories, revoked, files, clock }: Deps): RefusedServers {
  const { servers } = repositories;

  async function isRefused(server: ServerRow, keys: ReadonlySet<string>): Promise<boolean> {
    const suspects = knownKeys(server).filter((key) => keys.has(key));
    const presented = await Promise.all(
      suspects.map(async (host_key) => ({ host_key, fingerprint: await fingerprintOf(host_key) })),
    );
    return (await revoked.without(server, presented)).length < suspects.length;
  }

  return {
    async disconnect(keys) {
      if (keys.size === 0) return [];
      const refused: ServerRow[] = [];
      for (const server of await servers.list()) if (await isRefused(server, keys)) refused.push(server);
      // Other instances close their connections to a server whose revision has changed.
      const ids = refused.map(({ id }) => id);
      await servers.markChanged(ids, clock.now().toISOString());
      for (const id of ids) files.drop(id);
      return refused;
    },
  };
}
