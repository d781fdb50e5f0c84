import { Fault } from '#core/errors.ts';
import { createGiveWay } from '#core/lib/concurrency/give-way.ts';
import type { RemoteFile } from '#core/ports/files.ts';
import type { RemoteZip, ZipDirectory, ZipLimits } from '#core/ports/zip.ts';
import { contentOf } from './content.ts';
import { findCentralDirectory } from './end-records.ts';
import { CENTRAL_BYTES, memberAt } from './members.ts';
import { createNaming } from './names.ts';
import { piecesOf } from './pieces.ts';

/** Takes ownership of the file. */
export function openZip(file: RemoteFile): RemoteZip {
  return {
    readDirectory: (limits) => readDirectory(file, limits),
    content: (member, ends_before) => contentOf({ file, member, ends_before }),
    close: () => file.close(),
  };
}

async function readDirectory(
  file: RemoteFile,
  { members: most, directory_bytes, encoding, signal }: ZipLimits,
): Promise<ZipDirectory> {
  const { start, length, count, prefix_bytes } = await findCentralDirectory(file);
  const naming = createNaming(encoding);
  const { members } = naming;
  const giveWay = createGiveWay();
  const read = { start, length: Math.min(length, directory_bytes) };
  let rest: Uint8Array = Buffer.alloc(0);
  for await (const piece of piecesOf(file, read)) {
    signal.throwIfAborted();
    const bytes = Buffer.concat([rest, piece]);
    let at = 0;
    for (let next = memberAt(bytes, at, prefix_bytes); next; next = memberAt(bytes, at, prefix_bytes)) {
      if (members.length === most) return { ...(await naming.done()), truncated: true, start };
      naming.add(next);
      at += next.length;
      await giveWay();
    }
    rest = bytes.subarray(at);
  }
  const truncated = read.length < length;
  const is_whole = rest.length < CENTRAL_BYTES && members.length % 65_536 === count % 65_536;
  if (!truncated && !is_whole) throw new Fault('archive_damaged', 'The directory of the archive is damaged');
  return { ...(await naming.done()), truncated, start };
}
