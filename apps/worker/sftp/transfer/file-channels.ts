import type { Flow } from '../pool/flow-control.ts';
import type { Load, Transfer, TransferChannel } from '../pool/transfer-channels.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Handle } from '../protocol/requests.ts';

// One channel could carry this alone, but two keep two sshd processes busy.
const BYTES_PER_CHANNEL = 1024 * 1024;

/** One file, open on as many channels as it takes to fill the connection. */
export interface FileChannels {
  /** The size of the next request with `outstanding_bytes` in flight or buffered; 0 means wait. */
  next_bytes(outstanding_bytes: number): number;
  chunk_bytes(): number;
  /** Runs `work` on the least loaded channel. */
  run<T>(bytes: number, work: (channel: SftpChannel, handle: Handle) => Promise<T>): Promise<T>;
  /** Closes the file on every channel; settles with the first channel's outcome. */
  close(): Promise<void>;
}

export interface FileChannelsOptions {
  readonly transfer: Transfer;
  /** The file's handle on the transfer's first channel. */
  readonly handle: Handle;
  readonly flow: Flow;
  /** Infinite if it is unknown. */
  readonly expected_bytes: number;
  /** Opens the same file on another channel. */
  readonly open: (channel: SftpChannel) => Promise<Handle>;
}

interface FileChannel {
  readonly channel: SftpChannel;
  readonly handle: Handle;
  readonly load: Load;
  done(): void;
}

export function createFileChannels(options: FileChannelsOptions): FileChannels {
  const { flow } = options;
  const { first, lanes, adjust, close } = openChannels(options);
  let asked_bytes = 0;
  const hasRoom = ({ load }: FileChannel, bytes: number) => load.bytes + bytes <= load.max_bytes;
  const leastLoaded = () => lanes.reduce((a, b) => (a.load.bytes <= b.load.bytes ? a : b), first);
  return {
    chunk_bytes: flow.chunk_bytes,
    next_bytes(outstanding_bytes) {
      const chunk_bytes = flow.chunk_bytes();
      if (outstanding_bytes <= chunk_bytes) return chunk_bytes; // always allows two chunks, or no progress would be possible
      const fits = outstanding_bytes + chunk_bytes <= flow.window_bytes();
      return fits && lanes.some((lane) => hasRoom(lane, chunk_bytes)) ? chunk_bytes : 0;
    },
    async run(bytes, work) {
      asked_bytes += bytes;
      adjust(asked_bytes);
      const { channel, handle, load } = leastLoaded();
      load.bytes += bytes;
      const delivered = flow.sent();
      let delivered_bytes = 0;
      try {
        const result = await work(channel, handle);
        delivered_bytes = bytes;
        return result;
      } finally {
        load.bytes -= bytes;
        delivered(delivered_bytes);
      }
    },
    async close() {
      flow.leave();
      await close();
    },
  };
}

function openChannels({ transfer, handle, flow, expected_bytes, open }: FileChannelsOptions) {
  const first: FileChannel = { ...transfer, handle };
  const lanes: FileChannel[] = [first];
  let opening = 0;
  let is_closed = false;
  let is_full = false;

  async function openOn(more: TransferChannel): Promise<void> {
    if (is_closed) return more.done();
    const lane = { ...more, handle: await open(more.channel) };
    if (is_closed) drop(lane);
    else lanes.push(lane);
  }
  async function add(): Promise<void> {
    opening += 1;
    const more = await transfer.more();
    try {
      if (more) await openOn(more);
    } catch {
      more?.done();
      is_full = true; // the channels already open carry on
    }
    opening -= 1;
  }
  return {
    first,
    lanes,
    /** Opens or closes channels, depending on need and on other transfers. */
    adjust(asked_bytes: number): void {
      const whole_bytes = Number.isFinite(expected_bytes) ? expected_bytes : asked_bytes; // a small file needs one
      const useful_bytes = Math.min(flow.window_bytes(), whole_bytes);
      const wanted = is_full ? 0 : Math.min(transfer.share(), Math.ceil(useful_bytes / BYTES_PER_CHANNEL));
      for (let count = lanes.length + opening; count < wanted; count += 1) void add();
      for (const lane of lanes.splice(transfer.share())) drop(lane);
    },
    async close(): Promise<void> {
      is_closed = true;
      for (const lane of lanes.splice(1)) drop(lane);
      await closeChannel(first);
    },
  };
}

async function closeChannel({ channel, handle, done }: FileChannel): Promise<void> {
  await channel.close(handle).finally(done);
}

function drop(lane: FileChannel): void {
  closeChannel(lane).catch(() => {}); // best effort: users of the channel see its failure themselves
}
