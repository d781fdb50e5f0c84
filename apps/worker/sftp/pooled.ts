import { Fault } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Connection } from '../ssh/connection.ts';
import { type ChannelOptions, openSftpChannel, type SftpChannel } from './channel.ts';

// With the one for metadata this is half of sshd's default MaxSessions 10.
const MAX_TRANSFER_CHANNELS = 4;

/** One SSH connection with its SFTP channels, kept while somebody holds it and `idle_ms` longer. */
export interface PooledConnection {
  /** For short questions: never waits behind a transfer. */
  metadata(): Promise<SftpChannel>;
  /** For the content of a file; `done` once the file is closed. */
  transfer(): Promise<TransferChannel>;
  hold(): void;
  letGo(): void;
  ended(): Fault | undefined;
  onEnd(listener: () => void): void;
}

export interface TransferChannel {
  readonly channel: SftpChannel;
  done(): void;
}

export interface PooledOptions extends ChannelOptions {
  readonly clock: Clock;
  readonly idle_ms: number;
}

export async function openPooled(connection: Connection, options: PooledOptions): Promise<PooledConnection> {
  const channels = createChannels(connection, options);
  try {
    await channels.metadata();
  } catch (error) {
    connection.close();
    throw error;
  }
  let holders = 0;
  let cancelIdle = () => {};
  connection.onEnd(() => cancelIdle());
  return {
    ...channels,
    ended: () => connection.ended(),
    onEnd: (listener) => void connection.onEnd(listener),
    hold() {
      holders += 1;
      cancelIdle();
    },
    letGo() {
      holders -= 1;
      if (holders > 0 || connection.ended()) return;
      cancelIdle = options.clock.after(options.idle_ms, () =>
        connection.close(new Fault('host_disconnected', 'The idle connection was closed')),
      );
    },
  };
}

interface Lane {
  files: number;
  channel: Promise<SftpChannel>;
}

function createChannels(connection: Connection, options: ChannelOptions) {
  const open = () => openSftpChannel(connection, options);
  const metadata = reopening(open);
  const lanes: Lane[] = [];

  /** The emptiest channel; a new one while all are busy and the server gives more. */
  function chooseLane(): Lane {
    const [emptiest] = lanes.toSorted((a, b) => a.files - b.files);
    if (emptiest?.files === 0 || (emptiest && lanes.length >= MAX_TRANSFER_CHANNELS)) return emptiest;
    const lane: Lane = { files: 0, channel: open() };
    lanes.push(lane);
    return lane;
  }
  const remove = (lane: Lane) => {
    if (lanes.includes(lane)) lanes.splice(lanes.indexOf(lane), 1);
  };
  async function transfer(): Promise<TransferChannel> {
    const lane = chooseLane();
    lane.files += 1;
    const done = () => {
      lane.files -= 1;
    };
    const channel = await lane.channel.catch(() => undefined);
    if (channel && !channel.ended()) return { channel, done };
    done();
    remove(lane);
    if (connection.ended()) throw connection.ended();
    if (channel) return transfer();
    // A server that grants no more sessions still serves files, over the channel it did grant.
    return { channel: await metadata(), done: () => {} };
  }
  return { metadata, transfer };
}

/** Single flight; opens again when the channel is over. */
function reopening(open: () => Promise<SftpChannel>): () => Promise<SftpChannel> {
  let current: Promise<SftpChannel> | undefined;
  return async () => {
    const channel = await current?.catch(() => undefined);
    if (channel && !channel.ended()) return channel;
    current = open();
    return current;
  };
}
