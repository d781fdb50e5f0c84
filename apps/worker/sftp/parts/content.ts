import type { SftpChannel } from '../protocol/channel.ts';
import type { Handle } from '../protocol/requests.ts';
import { copyContent, writeBytes } from './copy-content.ts';

/** Writes the new content to an open file, from the start; resolves with its size. */
export type Content = (channel: SftpChannel, to: Handle) => Promise<number>;

/** The content of a part. */
export function contentOf(part: string): Content {
  return async (channel, to) => {
    const from = await channel.open(part);
    try {
      return await copyContent(channel, from, to);
    } finally {
      await channel.close(from).catch(() => {}); // nothing depends on it any more
    }
  };
}

export function contentIn(bytes: Uint8Array): Content {
  return (channel, to) => writeBytes(channel, to, bytes);
}
