import type { Client, ClientChannel } from 'ssh2';
import { Channel as Ssh2Channel } from 'ssh2/lib/Channel.js';
import { assertParts } from './parts.ts';

interface Channel {
  readonly incoming: { state: string };
}

/**
 * Calls the listener once when the host closes the channel or the connection is gone, while ssh2 is at it. The `close` of ssh2 comes only after
 * everything has been read, and a write that waits for the window would wait forever.
 */
export function onChannelClosed(channel: ClientChannel, listener: () => void): void {
  const { incoming } = channel as unknown as Channel;
  let { state } = incoming;
  Object.defineProperty(incoming, 'state', {
    get: () => state,
    set(next: string) {
      const is_first = next === 'closed' && state !== 'closed';
      state = next;
      if (is_first) listener();
    },
  });
}

export function assertChannelCloses(client: Client): void {
  const end = { id: 0, window: 0, packetSize: 0, state: 'open' };
  const channel = new Ssh2Channel(client, { type: 'session', incoming: { ...end }, outgoing: { ...end } });
  assertParts('Channel', channel, { incoming: 'object' });
}
