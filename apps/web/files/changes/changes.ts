import { type GatewayClient, take } from '#client/client.ts';
import { joinPath, movedTo, parentOf } from '../../lib/paths.ts';
import type { FileCursor } from '../list/cursor.ts';
import type { Entry } from '../list/entries.ts';
import type { FileListing } from '../list/listing.ts';
import { type BatchOutcome, runBatch } from './batch.ts';

export interface Progress {
  readonly signal: AbortSignal;
  readonly onProgress: (finished: number) => void;
}

/** Changes to the listed entries. Each refreshes the list and places the cursor. */
export interface FileChanges {
  makeDirectory(name: string): Promise<void>;
  rename(entry: Entry, name: string): Promise<void>;
  remove(entries: readonly Entry[], progress: Progress): Promise<BatchOutcome>;
  changeMode(entries: readonly Entry[], change: ModeChange, progress: Progress): Promise<BatchOutcome>;
  /** Moves to another directory of the same server. */
  move(paths: readonly string[], into: MoveTarget, progress: Progress): Promise<BatchOutcome>;
}

export interface ModeChange {
  readonly mode: string;
  readonly recursive: boolean;
}

export interface MoveTarget {
  readonly directory: string;
  readonly overwrite: boolean;
}

interface Deps {
  readonly client: GatewayClient;
  readonly server_id: number;
  readonly listing: Pick<FileListing, 'path' | 'refreshAll'>;
  readonly cursor: Pick<FileCursor, 'aim' | 'aimBeside' | 'clearSelection'>;
  readonly onMoved: (from: string, to: string) => void;
  readonly onRemoved: (path: string) => void;
}

export function createFileChanges({
  client,
  server_id,
  listing,
  cursor,
  onMoved,
  onRemoved,
}: Deps): FileChanges {
  const params = { path: { server_id } };
  async function rename(old_path: string, new_path: string, overwrite = false): Promise<void> {
    const body = { old_path, new_path, overwrite };
    await client.http.POST('/api/files/{server_id}/rename', { params, body });
    onMoved(old_path, new_path);
  }
  async function removeOne(path: string, signal: AbortSignal): Promise<void> {
    const query = { path };
    await client.http.DELETE('/api/files/{server_id}/delete', { params: { ...params, query }, signal });
    onRemoved(path);
  }

  /** Removed entries leave the cursor beside them. */
  async function batch(
    paths: readonly string[],
    work: (path: string, signal: AbortSignal) => Promise<unknown>,
    { vanishing, ...progress }: Progress & { readonly vanishing: boolean },
  ): Promise<BatchOutcome> {
    const outcome = await runBatch(paths, (path) => work(path, progress.signal), progress);
    if (vanishing) cursor.aimBeside(new Set(outcome.done));
    await listing.refreshAll();
    return outcome;
  }

  return {
    async makeDirectory(name) {
      const body = { path: joinPath(listing.path(), name) };
      await take(client.http.POST('/api/files/{server_id}/mkdir', { params, body }));
      cursor.clearSelection();
      cursor.aim(name);
      await listing.refreshAll();
    },
    async rename(entry, name) {
      await rename(entry.path, joinPath(parentOf(entry.path), name));
      cursor.clearSelection();
      cursor.aim(name);
      await listing.refreshAll();
    },
    remove(entries, progress) {
      const paths = entries.map(({ path }) => path);
      return batch(paths, removeOne, { ...progress, vanishing: true });
    },
    changeMode(entries, { mode, recursive }, progress) {
      return batch(
        entries.map(({ path }) => path),
        (path, signal) => {
          const body = { path, mode, recursive };
          return client.http.POST('/api/files/{server_id}/chmod', { params, body, signal });
        },
        { ...progress, vanishing: false },
      );
    },
    move(paths, { directory, overwrite }, progress) {
      const work = (path: string) => rename(path, movedTo(directory, path), overwrite);
      return batch(paths, work, { ...progress, vanishing: true });
    },
  };
}
