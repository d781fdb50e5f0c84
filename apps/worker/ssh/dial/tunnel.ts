import type { Client, ClientChannel } from 'ssh2';
import type { Attempt } from '../attempt.ts';
import { OURSELVES, openForward } from '../channels/forward.ts';
import { tunnelFault } from '../faults.ts';

/** A channel to the next hop, forwarded by the previous one. */
export async function openTunnel(bastion: Client, name: string, attempt: Attempt): Promise<ClientChannel> {
  const { hop: to, signal } = attempt;
  try {
    return await openForward(bastion, { to, from: OURSELVES, signal }, (channel) => channel);
  } catch (error) {
    throw signal.aborted ? signal.reason : tunnelFault(error, attempt, name);
  }
}
