import type { Client, ClientChannel } from 'ssh2';
import { abortable } from '#core/lib/deadline.ts';
import type { Attempt } from '../attempt.ts';
import { tunnelFault } from '../faults.ts';

/** A channel to the next hop, forwarded by the previous one, which also resolves the name. */
export function openTunnel(bastion: Client, name: string, attempt: Attempt): Promise<ClientChannel> {
  const { hostname, port } = attempt.hop;
  return abortable(attempt.signal, (resolve, reject) => {
    let wanted = true;
    try {
      bastion.forwardOut('127.0.0.1', 0, hostname, port, (error, channel) => {
        if (error) reject(tunnelFault(error, attempt, name));
        else if (wanted) resolve(channel);
        else channel.destroy();
      });
    } catch (error) {
      reject(tunnelFault(error, attempt, name));
    }
    return () => {
      wanted = false;
    };
  });
}
