import type { Fault } from '#core/errors.ts';
import type { SftpChannel } from '../protocol/channel.ts';

// Together with the metadata channel, this stays below sshd's default MaxSessions of 10.
const MAX_CHANNELS = 8;
// ssh2 gives a channel a window of 2 MiB; with all of it in flight, sshd stalls until the window is renewed.
const CHANNEL_BYTES = 1536 * 1024;
const SHARED_CHANNEL_BYTES = 256 * 1024; // short requests use it as well

/** Bytes in flight on a channel, over all its users. */
export interface Load {
  bytes: number;
  readonly max_bytes: number;
}

/** For file contents; call `done` once the file is closed. */
export interface TransferChannel {
  readonly channel: SftpChannel;
  readonly load: Load;
  done(): void;
}

/** One transfer, on its first channel. */
export interface Transfer extends TransferChannel {
  /** How many channels it may use, given the other transfers. */
  share(): number;
  /** Another idle channel; undefined when there is none. */
  more(): Promise<TransferChannel | undefined>;
}

export interface TransferChannelsOptions {
  readonly open: () => Promise<SftpChannel>;
  /** The fallback when the server grants no other channel. */
  readonly metadata: () => Promise<SftpChannel>;
  readonly ended: () => Fault | undefined;
}

interface Entry {
  users: number;
  readonly load: Load;
  readonly opening: Promise<SftpChannel>;
}

/** The channels of one connection for file contents, shared fairly by its transfers. */
export function createTransferChannels(options: TransferChannelsOptions): () => Promise<Transfer> {
  const channels = createChannels(options);
  const shared_load: Load = { bytes: 0, max_bytes: SHARED_CHANNEL_BYTES };
  let transfers = 0;

  async function firstChannel(): Promise<TransferChannel> {
    const acquired = await channels.acquireAny();
    if (typeof acquired === 'object') return acquired;
    const ended = options.ended();
    if (ended) throw ended;
    if (acquired === 'ended' || channels.count() > 0) return firstChannel();
    // A server that grants no further sessions still serves files over the one it did grant.
    return { channel: await options.metadata(), load: shared_load, done: () => {} };
  }
  function begin(): () => void {
    transfers += 1;
    return once(() => {
      transfers -= 1;
      if (transfers === 0) channels.resetLimit();
    });
  }
  return async () => {
    const end = begin();
    const first = await firstChannel().catch((error: unknown) => {
      end();
      throw error;
    });
    return {
      ...first,
      share: () => Math.max(1, Math.floor(channels.granted() / transfers)),
      more: channels.acquireIdle,
      done() {
        first.done();
        end();
      },
    };
  };
}

type Acquired = TransferChannel | 'ended' | 'refused';

function createChannels({ open }: TransferChannelsOptions) {
  const entries: Entry[] = [];
  let granted = MAX_CHANNELS;

  function begin(): Entry {
    const entry: Entry = { users: 0, load: { bytes: 0, max_bytes: CHANNEL_BYTES }, opening: open() };
    entries.push(entry);
    return entry;
  }
  const leastLoaded = () => entries.toSorted((a, b) => a.users - b.users || a.load.bytes - b.load.bytes)[0];
  function idle(): Entry | undefined {
    const entry = leastLoaded();
    if (entry?.users === 0) return entry;
    return entries.length < granted ? begin() : undefined;
  }
  function leave(entry: Entry): void {
    entry.users -= 1;
  }
  async function acquire(entry: Entry): Promise<Acquired> {
    entry.users += 1;
    const channel = await entry.opening.catch(() => undefined);
    if (channel && !channel.ended()) return { channel, load: entry.load, done: once(() => leave(entry)) };
    leave(entry);
    if (entries.includes(entry)) entries.splice(entries.indexOf(entry), 1);
    if (!channel) granted = Math.max(1, entries.length);
    return channel ? 'ended' : 'refused';
  }
  return {
    count: () => entries.length,
    /** How many channels the server is known or assumed to grant. */
    granted: () => granted,
    resetLimit(): void {
      granted = MAX_CHANNELS;
    },
    /** An idle channel, or else the least used one. */
    acquireAny: () => acquire(idle() ?? leastLoaded() ?? begin()),
    async acquireIdle(): Promise<TransferChannel | undefined> {
      const entry = idle();
      const entered = entry && (await acquire(entry));
      return typeof entered === 'object' ? entered : undefined;
    },
  };
}

function once(run: () => void): () => void {
  let ran = false;
  return () => {
    if (!ran) run();
    ran = true;
  };
}
