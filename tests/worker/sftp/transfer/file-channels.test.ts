import { describe, expect, it, vi } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { Flow } from '#worker/sftp/pool/flow-control.ts';
import { createTransferChannels, type Transfer } from '#worker/sftp/pool/transfer-channels.ts';
import type { SftpChannel } from '#worker/sftp/protocol/channel.ts';
import { createFileChannels, type FileChannels } from '#worker/sftp/transfer/file-channels.ts';

const MIB = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** A channel that only closes handles, and records which. */
function makeChannel(closed: string[], name: string): SftpChannel {
  const close = async (handle: Buffer) => void closed.push(`${name}:${handle}`);
  return partial({ close, ended: () => undefined, max_bytes: CHUNK_BYTES });
}

/** The parts of a channel that a file uses. */
function partial(channel: Partial<SftpChannel>): SftpChannel {
  return channel as SftpChannel;
}

/** A server that grants this many channels. */
function startHost(granted = 100) {
  const closed: string[] = [];
  let opened = 0;
  const transfers = createTransferChannels({
    async open() {
      if (opened === granted) throw new Fault('sftp_unavailable');
      opened += 1;
      return makeChannel(closed, `channel ${opened}`);
    },
    metadata: async () => makeChannel(closed, 'metadata'),
    ended: () => undefined,
  });
  return { transfers, closed, opened: () => opened };
}

const flowOf = (window_bytes: number): Flow => ({
  window_bytes: () => window_bytes,
  chunk_bytes: () => CHUNK_BYTES,
  sent: () => () => {},
  limitChunk() {},
  leave: vi.fn(),
});

interface Wanted {
  readonly window_bytes: number;
  readonly expected_bytes?: number;
  readonly open?: () => Promise<Buffer>;
}

function lanesOn(
  transfer: Transfer,
  { window_bytes, expected_bytes = 100 * MIB, open }: Wanted,
): FileChannels {
  const handle = Buffer.from('first');
  const another = open ?? (async () => Buffer.from('another'));
  return createFileChannels({ transfer, handle, flow: flowOf(window_bytes), expected_bytes, open: another });
}

/** Requests that are never answered, by channel. */
async function fill(lanes: FileChannels, count: number): Promise<string[]> {
  const used: string[] = [];
  const run = () =>
    void lanes.run(CHUNK_BYTES, async (channel) => {
      used.push(String(channels.get(channel) ?? channels.set(channel, channels.size).get(channel)));
      await new Promise(() => {});
    });
  for (let index = 0; index < count; index += 1) {
    run();
    await new Promise(setImmediate);
  }
  return used;
}
const channels = new Map<SftpChannel, number>();

const usedChannels = async (lanes: FileChannels, count = 24) => new Set(await fill(lanes, count)).size;

describe('the channels of a file', () => {
  it.each([
    [MIB, 1],
    [3 * MIB, 3],
    [12 * MIB, 8],
  ])('spread a window of %i bytes over %i channels', async (window_bytes, count) => {
    const { transfers } = startHost();
    expect(await usedChannels(lanesOn(await transfers(), { window_bytes }))).toBe(count);
  });

  it('are one channel for a small file', async () => {
    const { transfers, opened } = startHost();
    const lanes = lanesOn(await transfers(), { window_bytes: 12 * MIB, expected_bytes: MIB / 2 });
    expect(await usedChannels(lanes)).toBe(1);
    expect(opened()).toBe(1);
  });

  it('are limited to what the server grants', async () => {
    const { transfers } = startHost(3);
    expect(await usedChannels(lanesOn(await transfers(), { window_bytes: 12 * MIB }))).toBe(3);
    const other = lanesOn(await transfers(), { window_bytes: 12 * MIB });
    expect(await usedChannels(other)).toBe(1);
  });

  it('are the metadata channel when the server grants no other', async () => {
    const { transfers, closed } = startHost(0);
    const lanes = lanesOn(await transfers(), { window_bytes: 12 * MIB });
    expect(await usedChannels(lanes)).toBe(1);
    await lanes.close();
    expect(closed).toEqual(['metadata:first']);
  });

  it('are shared again when another transfer starts', async () => {
    const { transfers, opened } = startHost();
    const one = lanesOn(await transfers(), { window_bytes: 12 * MIB });
    await usedChannels(one);
    const other = lanesOn(await transfers(), { window_bytes: 12 * MIB });
    expect(await usedChannels(one, 1)).toBe(1); // It checks its share and closes the others.
    expect(await usedChannels(other)).toBe(4);
    expect(opened()).toBe(8);
  });

  it('continue with those that are open when the file cannot be opened again', async () => {
    const { transfers } = startHost();
    const open = vi.fn(() => Promise.reject(new Fault('path_outside_allowed')));
    const lanes = lanesOn(await transfers(), { window_bytes: 2 * MIB, open });
    expect(await usedChannels(lanes)).toBe(1);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('are all closed at once, even one that is still opening', async () => {
    const { transfers, closed } = startHost();
    let opened = (_handle: Buffer) => {};
    const open = vi
      .fn(async (): Promise<Buffer> => Buffer.from('another'))
      .mockImplementationOnce(
        () =>
          new Promise<Buffer>((resolve) => {
            opened = resolve;
          }),
      );
    const lanes = lanesOn(await transfers(), { window_bytes: 3 * MIB, open });
    await usedChannels(lanes);
    await lanes.close();
    expect(closed.toSorted()).toEqual(['channel 1:first', 'channel 3:another']);
    opened(Buffer.from('late'));
    await new Promise(setImmediate);
    expect(closed).toContain('channel 2:late');
  });

  it('need at least two chunks, and no more than the window', async () => {
    const { transfers } = startHost();
    const lanes = lanesOn(await transfers(), { window_bytes: 1024 });
    expect([0, CHUNK_BYTES, CHUNK_BYTES + 1].map(lanes.next_bytes)).toEqual([CHUNK_BYTES, CHUNK_BYTES, 0]);
  });
});
