import { Fault } from '../errors.ts';
import { isInside, normalizePath } from '../lib/posix-path.ts';
import type { Server } from '../model/server.ts';

/**
 * What each operation does to which path. `follow`: it acts on what a link leads to, so the whole path is resolved;
 * `entry`: it acts on the link itself, so only its parent is.
 */
export const OPERATIONS = {
  ls: { writes: false, path: 'follow' },
  read: { writes: false, path: 'follow' },
  download: { writes: false, path: 'follow' },
  stat: { writes: false, path: 'entry' },
} as const satisfies Record<string, { writes: boolean; path: 'follow' | 'entry' }>;

export type Operation = keyof typeof OPERATIONS;

/** Judges real paths, as the server itself resolved them; binds administrators too. */
export function authorizeSftp(
  server: Pick<Server, 'sftp_read_only' | 'sftp_allowed_paths'>,
  operation: Operation,
  real_paths: readonly string[],
): void {
  if (OPERATIONS[operation].writes && server.sftp_read_only) throw new Fault('sftp_read_only');
  if (!real_paths.every((path) => isAllowed(server.sftp_allowed_paths, path))) {
    throw new Fault('path_outside_allowed');
  }
}

function isAllowed(allowed_paths: readonly string[], real_path: string): boolean {
  return (
    allowed_paths.length === 0 || allowed_paths.some((allowed) => isInside(real_path, normalizePath(allowed)))
  );
}
