import { type GatewayClient, take } from '#client/client.ts';
import type { ClientError } from '#client/transport/client-error.ts';
import { parentOf } from '../../lib/paths.ts';
import type { UploadPlace } from './file-job.ts';
import { persist } from './patience.ts';

interface Options {
  readonly place: UploadPlace;
  readonly compare: boolean;
  readonly onRetry: (failure: ClientError) => void;
  readonly onPlaced: (directory: string) => void;
}

export type FolderHost = ReturnType<typeof createFolderHost>;

/** Creates and lists the directories of an uploaded tree on the host. */
export function createFolderHost(client: GatewayClient, { place, compare, onRetry, onPlaced }: Options) {
  const { server_id } = place;
  const made = new Set([place.directory]);
  return {
    /** An existing directory is fine. */
    async makeDirectory(path: string, signal: AbortSignal): Promise<void> {
      if (made.has(path)) return;
      const options = { params: { path: { server_id } }, body: { path, parents: true }, signal };
      await persist(() => client.http.POST('/api/files/{server_id}/mkdir', options), signal, onRetry);
      made.add(path);
      onPlaced(parentOf(path));
    },

    /** Sizes of existing files, or nothing if they are not compared. */
    async sizesIn(path: string, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
      if (!compare) return new Map();
      const options = { params: { path: { server_id }, query: { path } }, signal };
      const ask = () => take(client.http.GET('/api/files/{server_id}/ls', options));
      const { entries } = await persist(ask, signal, onRetry);
      return new Map(entries.filter(({ is_dir }) => !is_dir).map(({ name, size }) => [name, size]));
    },
  };
}
