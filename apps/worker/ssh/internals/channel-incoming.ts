import type { Client } from 'ssh2';
import { assertParts } from './parts.ts';

/** What the host may still send on a channel. */
export interface Incoming {
  /** `open` until the host has sent its EOF. */
  readonly state: string;
  /** In bytes; below zero when the host has sent more. */
  readonly window: number;
}

interface Parts {
  readonly _chanMgr: { get(id: number): unknown };
}

/** Undefined when there is no such channel, or the host has not confirmed it yet. */
export function incomingOf(client: Client, channel_id: number): Incoming | undefined {
  const channel = (client as unknown as Parts)._chanMgr.get(channel_id);
  return typeof channel === 'object' ? (channel as { readonly incoming: Incoming }).incoming : undefined;
}

export function assertChannelIncoming(client: Client): void {
  assertParts('Client', client, { _chanMgr: 'object' });
  assertParts('ChannelManager', (client as unknown as Parts)._chanMgr, { get: 'function' });
}
