import { joinPath, nameOf } from '../../lib/paths/posix-path.ts';
import type { PartKeeper } from '../uploads/part-keeper.ts';
import type { CopyPlace, CopySource, CopyTarget } from './ends.ts';

interface Marked {
  readonly from: CopySource;
  readonly to: CopyTarget;
  readonly place: CopyPlace;
  readonly user_id: number;
}

/**
 * Keeps a marker file where the target of a directory is created, during the work. Bind mounts, chroots and several
 * server records may hide that the target is inside the source, where a copy would never end; the marker shows it.
 */
export async function markingTarget<T>(
  keeper: PartKeeper,
  { from, to, place, user_id }: Marked,
  work: (marker_name: string | undefined) => Promise<T>,
): Promise<T> {
  const source = await from.session.statOf(from.real.source_path);
  if (source?.kind !== 'directory') return work(undefined);
  if ((await to.session.refusals(place.real_path)).remove) return work(undefined); // it would stay
  const found = await to.session.statOf(place.real_path);
  const beside = found?.kind === 'directory' ? joinPath(place.real_path, 'marker') : place.real_path;
  const row = await keeper.begin({ user_id, server_id: to.server.id, target_path: beside });
  const attended = keeper.attend(row);
  try {
    await to.session.createPart(row.part_path, { is_private: true });
    return await work(nameOf(row.part_path));
  } finally {
    attended.leave();
    await keeper.discard(to.session, row);
  }
}
