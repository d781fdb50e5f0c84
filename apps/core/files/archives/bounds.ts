import { Fault } from '../../errors.ts';
import { sortedInTurns } from '../../lib/concurrency/sorted-in-turns.ts';
import { FREE_RATIO_MIB, FREE_RATIO_PERCENT, MAX_EXTRACT_GIB, MAX_EXTRACT_RATIO } from '../../limits.ts';
import type { ZipDirectory, ZipMember } from '../../ports/zip.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const LOCAL_HEADER_BYTES = 30; // without the name

/** Where each member has to end. Throws `archive_overlap`: Fifield's bombs refer to the same bytes many times. */
export async function endsOf({ members, start }: ZipDirectory): Promise<ReadonlyMap<ZipMember, number>> {
  const ends = new Map<ZipMember, number>();
  const ordered = await sortedInTurns(members, (one, other) => one.offset - other.offset);
  for (const [index, member] of ordered.entries()) {
    const end = ordered[index + 1]?.offset ?? start;
    const least = LOCAL_HEADER_BYTES + member.stored_name.length + member.compressed_size;
    if (member.offset + least > end) throw new Fault('archive_overlap');
    ends.set(member, end);
  }
  return ends;
}

export interface Total {
  readonly bytes: number;
  readonly files: number;
}

/**
 * What the members hold by the archive's own account, which the content cannot exceed. A high ratio is refused only where
 * it takes much of the free space, or of one that the host does not report: the harm of a bomb is a full disk.
 */
export function boundedTotal(members: readonly ZipMember[], free_bytes: number | undefined): Total {
  let [bytes, packed_bytes] = [0, 0];
  for (const { size, compressed_size } of members) {
    bytes += size;
    packed_bytes += compressed_size;
  }
  if (bytes > MAX_EXTRACT_GIB * GIB) throw new Fault('archive_too_large');
  const harmless_bytes = Math.max(FREE_RATIO_MIB * MIB, ((free_bytes ?? 0) * FREE_RATIO_PERCENT) / 100);
  if (bytes > harmless_bytes && bytes > packed_bytes * MAX_EXTRACT_RATIO) throw new Fault('archive_bomb');
  if (free_bytes !== undefined && free_bytes < bytes) throw new Fault('remote_disk_full'); // early, because a full disk stops others as well
  return { bytes, files: members.length };
}
