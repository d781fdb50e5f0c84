import type { Client, ClientChannel } from 'ssh2';
import { Channel as Ssh2Channel } from 'ssh2/lib/Channel.js';
import { assertParts, protocolOf } from './parts.ts';

interface Channel {
  readonly outgoing: { readonly id: number; readonly state: string };
  readonly _client: Client;
}

interface Protocol {
  signal(channel: number, name: string): void;
}

/**
 * Kills the program of a channel and closes it. The `signal` of ssh2 refuses once the input has ended, which RFC 4254 §6.9
 * does not.
 */
export function killProgram(channel: ClientChannel): void {
  const { outgoing, _client } = channel as unknown as Channel;
  if (outgoing.state !== 'open' && outgoing.state !== 'eof') return;
  try {
    protocolOf<Protocol>(_client).signal(outgoing.id, 'KILL');
    channel.close();
  } catch {
    // ssh2 throws when its socket is gone
  }
}

export function assertChannelSignals(client: Client): void {
  assertParts('Protocol', protocolOf(client), { signal: 'function' });
  const end = { id: 0, window: 0, packetSize: 0, state: 'open' };
  const channel = new Ssh2Channel(client, { type: 'session', incoming: { ...end }, outgoing: { ...end } });
  assertParts('Channel', channel, { outgoing: 'object', _client: 'object' });
}
