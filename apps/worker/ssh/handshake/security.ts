import type { Client, NegotiatedAlgorithms } from 'ssh2';
import { printable } from '#core/lib/text/printable.ts';
import { type HopConnection, isPostQuantum } from '#core/model/hosts/hop-connection.ts';
import type { PresentedHostKey } from '#core/ports/ssh.ts';
import { kindOf } from '../algorithms/proposal.ts';

const MAX_VERSION = 100; // it comes from the host

export interface Security {
  /** How the connection is protected; undefined before the key exchange is over. */
  of(key: PresentedHostKey): Omit<HopConnection, 'hop'> | undefined;
}

/** Reads what the first key exchange negotiates. */
export function watchSecurity(client: Client, ident: () => string | undefined): Security {
  let negotiated: NegotiatedAlgorithms | undefined;
  client.once('handshake', (algorithms) => {
    negotiated = algorithms;
  });
  return {
    of({ host_key }) {
      if (!negotiated) return undefined;
      const { kex, cs } = negotiated;
      const key_exchange: string = kex; // ssh2 knows no name of a hybrid
      const version = ident()?.replace(/^SSH-[^-]*-/, '') ?? '';
      return {
        ...{ key_exchange, cipher: cs.cipher, host_key_type: kindOf(host_key) },
        server_version: printable(version, MAX_VERSION),
        is_post_quantum: isPostQuantum(key_exchange),
      };
    },
  };
}
