import { Fault } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Connection } from '../../ssh/connection.ts';
import { ping } from '../../ssh/internals/ping.ts';
import { type ChannelOptions, openSftpChannel, type SftpChannel } from '../protocol/channel.ts';
import type { Budget } from './budget.ts';
import { createFlowControl, type FlowControl } from './flow-control.ts';
import { createProbe } from './probe.ts';
import { createTransferChannels, type Transfer } from './transfer-channels.ts';

// Replies come in order: enough calls in flight to keep the channel busy, few enough that the next one need not wait long.
const MAX_METADATA_CALLS = 64;

/** One SSH connection with its SFTP channels, closed after `idle_ms` without a lease. */
export interface PooledConnection {
  readonly connection: Connection;
  /** Resolves when the host has started SFTP, which is asked for once. */
  sftp(): Promise<void>;
  /** For short requests, which never wait behind a transfer. */
  metadata(): Promise<SftpChannel>;
  /** For file contents. */
  transfer(): Promise<Transfer>;
  /** From the host to the gateway; `up` is the other direction. */
  readonly down: FlowControl;
  readonly up: FlowControl;
  readonly budget: Budget;
  hold(): void;
  release(): void;
  is_held(): boolean;
  /** Asks the host, unless it has just sent something; resolves within three seconds. */
  isAlive(): Promise<boolean>;
  /** Closes when the work that uses it is done. */
  retire(): void;
  ended(): Fault | undefined;
  /** The returned function removes the listener. */
  onEnd(listener: (fault: Fault) => void): () => void;
}

export interface PooledOptions extends ChannelOptions {
  readonly clock: Clock;
  readonly idle_ms: number;
  readonly budget: Budget;
}

export function toPooled(connection: Connection, options: PooledOptions): PooledConnection {
  const channels = createChannels(connection, options);
  let started: Promise<SftpChannel> | undefined;
  const ask = async () => {
    if (!started) return ping(connection.client);
    const channel = await channels.metadata();
    await channel.realpath('.').catch(() => {}); // a refusal is an answer too
  };
  const isAlive = createProbe(connection, { ask, clock: options.clock });
  let holders = 0;
  let is_retired = false;
  let cancelIdle = () => {};
  const close = () => connection.close(new Fault('host_disconnected', 'The idle connection was closed'));
  connection.onEnd(() => cancelIdle());
  return {
    ...channels,
    connection,
    async sftp() {
      started ??= channels.metadata();
      await started;
    },
    down: createFlowControl(options.budget),
    up: createFlowControl(options.budget),
    budget: options.budget,
    is_held: () => holders > 0,
    isAlive,
    retire() {
      is_retired = true;
      if (holders === 0) close();
    },
    ended: () => connection.ended(),
    onEnd: (listener) => connection.onEnd(listener),
    hold() {
      holders += 1;
      cancelIdle();
    },
    release() {
      holders -= 1;
      if (holders > 0 || connection.ended()) return;
      if (is_retired) close();
      else cancelIdle = options.clock.after(options.idle_ms, close);
    },
  };
}

function createChannels(connection: Connection, given: ChannelOptions) {
  const options = { ...given, memory: {} };
  const metadata = reopenWhenEnded(() =>
    openSftpChannel(connection, { ...options, max_calls: MAX_METADATA_CALLS }),
  );
  const open = () => openSftpChannel(connection, options);
  const ended = () => connection.ended();
  return { metadata, transfer: createTransferChannels({ open, metadata, ended }) };
}

/** Shares one channel and opens a new one when it has ended. */
function reopenWhenEnded(open: () => Promise<SftpChannel>): () => Promise<SftpChannel> {
  let current: Promise<SftpChannel> | undefined;
  return async () => {
    const channel = await current?.catch(() => undefined);
    if (channel && !channel.ended()) return channel;
    current = open();
    return current;
  };
}
