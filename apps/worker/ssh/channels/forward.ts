import type { Client, ClientChannel } from 'ssh2';
import type { FaultCode } from '#core/errors.ts';
import { abortable } from '#core/lib/time/deadline.ts';

interface Forward {
  readonly to: { readonly hostname: string; readonly port: number };
  /** Who connects, as the host is told. */
  readonly from: { readonly hostname: string; readonly port: number };
  readonly signal: AbortSignal;
}

/** The gateway itself, without a port of its own. */
export const OURSELVES: Forward['from'] = { hostname: '127.0.0.1', port: 0 };

/**
 * A `direct-tcpip` channel (RFC 4254 §7.2); the host resolves the name. `adopt` gets it before anything that
 * the host has sent on it. Rejects with the error of ssh2.
 */
export function openForward<T>(
  client: Client,
  { to, from, signal }: Forward,
  adopt: (channel: ClientChannel) => T,
): Promise<T> {
  return abortable(signal, (resolve, reject) => {
    let is_wanted = true;
    try {
      client.forwardOut(from.hostname, from.port, to.hostname, to.port, (error, channel) => {
        if (error) reject(error);
        else if (is_wanted) resolve(adopt(channel));
        else channel.destroy();
      });
    } catch (error) {
      reject(error); // ssh2 throws when its socket is gone
    }
    return () => {
      is_wanted = false;
    };
  });
}

// Reason codes of SSH_MSG_CHANNEL_OPEN_FAILURE, RFC 4254 §5.1.
const ADMINISTRATIVELY_PROHIBITED = 1;
const CONNECT_FAILED = 2;

interface Refusal {
  readonly code: FaultCode;
  readonly detail: string;
}

/** Why a host did not forward to an address. */
export function forwardRefusal(error: unknown, host: string, address: string): Refusal {
  const reason = error instanceof Error && 'reason' in error ? error.reason : undefined;
  if (reason === ADMINISTRATIVELY_PROHIBITED)
    return { code: 'permission_denied', detail: `${host} does not allow forwarding to ${address}` };
  if (reason === CONNECT_FAILED)
    return { code: 'host_unreachable', detail: `${host} cannot reach ${address}` };
  if (typeof reason === 'number')
    return { code: 'permission_denied', detail: `${host} refused to forward to ${address}` };
  return { code: 'host_disconnected', detail: `${host} was lost while connecting to ${address}` };
}
