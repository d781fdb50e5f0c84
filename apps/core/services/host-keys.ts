import { Fault } from '../errors.ts';
import { judgeHostKey } from '../policy/host-key.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { HostKeys, PresentedHostKey, SshHop } from '../ports/ssh.ts';

interface Deps {
  readonly repositories: Pick<Repositories, 'servers'>;
  /** `SERVICE_VERIFY_HOST_KEYS`. */
  readonly enabled: boolean;
}

/** Trust on first use: each hop is held against its own pin, as it is in the database now. */
export function createHostKeys({ repositories, enabled }: Deps): HostKeys {
  const { servers } = repositories;

  function judge(hop: SshHop, pinned: string | null, presented: PresentedHostKey): 'trust' | 'pin' {
    try {
      return judgeHostKey(pinned, presented.host_key, enabled);
    } catch (cause) {
      throw new Fault(
        'host_key_changed',
        `The host key of ${hop.name} (${hop.hostname}:${hop.port}) is not the one that was pinned: it now presents ` +
          `${presented.fingerprint}. Either the host was set up anew or somebody is in between. If the new key is ` +
          'right, an administrator clears the pinned key of the server.',
        { cause, stage: 'host_key', hop: hop.name },
      );
    }
  }

  return {
    async judge(hop, presented) {
      const server = await servers.byId(hop.server_id);
      if (!server) throw new Fault('server_not_found');
      return judge(hop, server.host_key, presented);
    },

    async pin(hop, presented) {
      const { server_id, hostname, port } = hop;
      const in_force = await servers.pinHostKey({ server_id, hostname, port, ...presented });
      judge(hop, in_force, presented); // of two first contacts at once, one pinned
    },
  };
}
