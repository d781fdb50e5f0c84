import { Fault, toFault } from '#core/errors.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { NO_REMOVE } from '../protocol/failures.ts';
import { isRefusal } from '../protocol/refusals.ts';
import type { Content } from './content.ts';
import { type NewFile, openNewPart } from './open.ts';
import { setModified } from './permissions.ts';
import { explainRefusal } from './write.ts';

interface NewContent {
  readonly as: NewFile;
  readonly content: Content;
  /** ISO 8601. */
  readonly modified?: string | undefined;
}

/** Creates the target itself, for hosts that permit no renaming; resolves with its size. */
export async function writeNew(
  channel: SftpChannel,
  target: string,
  { as, content, modified }: NewContent,
): Promise<number> {
  const handle = await openNewPart(channel, target, as);
  try {
    const size = await content(channel, handle);
    if (modified !== undefined) {
      const stats = await channel.fstat(handle);
      await setModified(channel, { path: target, handle, stats }, modified);
    }
    await channel.close(handle);
    return size;
  } catch (error) {
    await channel.close(handle).catch(() => {}); // it may have been closed already
    const reason = await explainRefusal(error, { channel, path: target, needed_bytes: 1 });
    await channel.unlink(target).catch((kept: unknown) => {
      throw isRefusal(kept) ? incomplete(reason, target) : reason;
    });
    throw reason;
  }
}

function incomplete(error: unknown, target: string): Fault {
  const { code, detail, options } = toFault(error);
  return new Fault(code, `${detail}. ${NO_REMOVE}: ${target} is incomplete`, { ...options, cause: error });
}
