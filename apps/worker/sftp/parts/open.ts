import { Fault } from '#core/errors.ts';
import { kindOf, type Stats } from '../protocol/attributes.ts';
import type { Handle, SftpChannel } from '../protocol/channel.ts';
import { assertSamePlace } from '../protocol/swap-check.ts';

export interface OpenPart {
  readonly handle: Handle;
  readonly stats: Stats;
}

/** For writing, once it is sure that it is the file of this real path; closed again when it is not. */
export async function openPart(channel: SftpChannel, path: string): Promise<OpenPart> {
  // Before the open, which would follow a link and wait on a FIFO; after it, because paths can be swapped.
  if (kindOf(await channel.lstat(path)) !== 'file') throw new Fault('not_a_file');
  const handle = await channel.open(path, 'r+');
  try {
    return { handle, stats: await assertSamePlace(channel, handle, path) };
  } catch (error) {
    await channel.close(handle).catch(() => {}); // what went wrong before is what is told
    throw error;
  }
}
