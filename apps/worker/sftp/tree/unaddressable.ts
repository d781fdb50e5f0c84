import { joinPath } from '#core/lib/posix-path.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import type { Listed } from '../protocol/read-directory.ts';
import { isUnchanged } from '../protocol/swap-check.ts';
import { forEachBounded } from './bounded.ts';

const REPLACEMENT = '\ufffd';
const NO_NAME = /^\.{0,2}$|[/\0]/; // a lying host could lead astray what is put together from it
const MAX_LOOKUPS = 32;

/**
 * ssh2 hands out names as text, with U+FFFD for bytes that are no UTF-8; a name may also hold that character itself.
 * Only a name that is really spelled so can be looked up again, and of several that read alike only one can be it.
 */
export async function unaddressable(
  channel: SftpChannel,
  directory: string,
  found: readonly Listed[],
): Promise<ReadonlySet<Listed>> {
  const suspects = new Map<string, Listed[]>();
  const mute = new Set<Listed>();
  for (const listed of found) {
    const { filename } = listed;
    if (NO_NAME.test(filename)) mute.add(listed);
    else if (filename.includes(REPLACEMENT))
      suspects.set(filename, [...(suspects.get(filename) ?? []), listed]);
  }
  await forEachBounded([...suspects], MAX_LOOKUPS, async ([name, alike]) => {
    const real = await channel.lstat(joinPath(directory, name)).catch(() => undefined);
    const ended = channel.ended();
    if (ended) throw ended;
    const literal = real && alike.find(({ attrs }) => isUnchanged(attrs, real));
    for (const listed of alike) if (listed !== literal) mute.add(listed);
  });
  return mute;
}
