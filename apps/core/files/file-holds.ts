import { Fault } from '../errors.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { Holds } from './holds.ts';

const LONGEST_SAVE_MS = 60_000; // from the last check of the old content to the replacement

/** Runs the work while nobody else saves this file; its signal aborts when the hold is lost. */
export async function holdingFile<T>(
  holds: Holds,
  { server, path }: { readonly server: ServerRow; readonly path: string },
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const busy = () => new Fault('file_busy');
  const hold = await holds.wait(`file:${hostOf(server)}:${path}`, { ttl_ms: LONGEST_SAVE_MS, busy });
  try {
    return await work(hold.lost);
  } finally {
    await hold.release();
  }
}

/** Identifies the host: two server records may be the same one. */
function hostOf({ host_key, hostname, port }: ServerRow): string {
  return host_key ?? `${hostname}:${port}`;
}
