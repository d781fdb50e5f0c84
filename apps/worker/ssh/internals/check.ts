import { HYBRID } from '../hybrid/mlkem768x25519.ts';
import { assertAnnouncedAlgorithms } from './announced-algorithms.ts';
import { assertChannelCloses } from './channel-closes.ts';
import { assertChannelIncoming } from './channel-incoming.ts';
import { assertChannelSignals } from './channel-signals.ts';
import { assertHybrid, assertHybridExchange, offerHybrid } from './hybrid-exchange.ts';
import { assertGroupExchange, assertKeyExchange, type KeyExchange, onKeyExchange } from './key-exchange.ts';
import { createPacketPool } from './packet-pool.ts';
import { assertPing } from './ping.ts';
import { assertConnected, assertProtocol, type ProtocolWatch, watchProtocol } from './protocol.ts';
import { assertPublicKeyRequests } from './public-key-requests.ts';
import { rehearse } from './rehearsal.ts';
import { assertSupported } from './supported.ts';

let is_checked = false;

/**
 * Refuses to run with a version of ssh2 that lacks, or never calls, what this folder relies on. Also computes the first
 * hybrid exchange of the process, which takes 20 times as long as later ones, before anybody waits.
 */
export function assertSsh2(): void {
  if (is_checked) return;
  assertSupported();
  assertHandshake();
  assertHybridHandshake();
  assertGroupExchange(exchangeOf('diffie-hellman-group-exchange-sha256'));
  is_checked = true;
}

/** Watches a whole key exchange as it is watched with a host. */
function assertHandshake(): void {
  const uncalled = new Set<keyof ProtocolWatch>(['presented', 'completed', 'written', 'received']);
  const failure = rehearse({
    kex: 'curve25519-sha256',
    prepare(client) {
      assertProtocol(client);
      assertPublicKeyRequests(client);
      assertAnnouncedAlgorithms(client);
      assertChannelSignals(client);
      assertChannelCloses(client);
      assertChannelIncoming(client);
      assertPing(client);
      watchProtocol(client, {
        packets: createPacketPool({ after: () => () => undefined }),
        presented: () => uncalled.delete('presented'),
        completed() {
          assertConnected(client);
          uncalled.delete('completed');
        },
        written: () => uncalled.delete('written'),
        received: () => uncalled.delete('received') || true,
        exceeded(what) {
          throw new Error(what);
        },
      });
    },
  });
  if (failure) throw new Error('This version of ssh2 cannot exchange keys with itself', { cause: failure });
  if (uncalled.size > 0) throw new Error(`This version of ssh2 never calls ${[...uncalled].join(', ')}`);
}

function assertHybridHandshake(): void {
  const chosen: string[] = [];
  const failure = rehearse({
    kex: 'curve25519-sha256',
    prepare(...sides) {
      for (const side of sides) {
        assertHybrid(side);
        onKeyExchange(side, assertHybridExchange);
        offerHybrid(side);
        onKeyExchange(side, ({ negotiated }) => chosen.push(negotiated.kex));
      }
    },
  });
  if (failure || chosen.join() !== [HYBRID, HYBRID].join())
    throw new Error(`This version of ssh2 cannot exchange keys by ${HYBRID}`, { cause: failure });
}

/** The exchange that the client begins; a server of ssh2 then refuses one that proposes a group. */
function exchangeOf(kex: 'diffie-hellman-group-exchange-sha256'): KeyExchange {
  let begun: KeyExchange | undefined;
  rehearse({
    kex,
    prepare: (client) =>
      onKeyExchange(client, (exchange) => {
        assertKeyExchange(exchange);
        begun = exchange;
      }),
  });
  if (!begun) throw new Error('This version of ssh2 keeps no key exchange in _kex');
  return begun;
}
