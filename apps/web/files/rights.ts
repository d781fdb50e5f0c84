import type { TextKey } from '../i18n/languages.ts';
import { isAllowed, isWithin, parentOf } from '../lib/paths.ts';
import type { Server } from '../servers/servers.ts';
import type { Entry } from './list/entries.ts';

export type FileAction =
  | 'make'
  | 'upload'
  | 'download'
  | 'rename'
  | 'delete'
  | 'chmod'
  | 'move'
  | 'copy'
  | 'extract'
  | 'open'
  | 'copy_path'
  | 'properties';

export interface Situation {
  readonly server: Pick<Server, 'sftp_read_only' | 'sftp_allowed_paths'> | undefined;
  readonly directory: string;
  readonly targets: readonly Entry[];
  /** Demo mode refuses all changes, including creating tickets. */
  readonly is_demo: boolean;
}

const WRITES: ReadonlySet<FileAction> = new Set([
  'make',
  'upload',
  'rename',
  'delete',
  'chmod',
  'move',
  'extract',
]);
const ON_DIRECTORY: ReadonlySet<FileAction> = new Set(['make', 'upload']);
const ON_ONE: ReadonlySet<FileAction> = new Set(['rename', 'open', 'extract']);
const ON_MEMBER: ReadonlySet<FileAction> = new Set(['rename', 'delete', 'move']);

/** Why an action is unavailable, as far as the page can tell. The gateway and the host make the final decision. */
export function hindranceOf(action: FileAction, situation: Situation): TextKey | undefined {
  const { server, is_demo } = situation;
  if (WRITES.has(action) && is_demo) return 'why_demo';
  if (action === 'copy' && is_demo) return 'why_demo';
  if (WRITES.has(action) && server?.sftp_read_only) return 'files_why_read_only';
  return ON_DIRECTORY.has(action)
    ? directoryHindrance(situation)
    : (targetHindrance(action, situation) ?? pathHindrance(action, situation));
}

function directoryHindrance({ server, directory }: Situation): TextKey | undefined {
  return isAllowed(directory, server?.sftp_allowed_paths ?? []) ? undefined : 'files_why_outside';
}

function targetHindrance(action: FileAction, { targets, is_demo }: Situation): TextKey | undefined {
  if (targets.length === 0) return 'files_why_nothing';
  if (targets.some(({ addressable }) => !addressable)) return 'not_addressable';
  if (targets.length > 1 && ON_ONE.has(action)) return 'files_why_several';
  if (targets.length > 1 && action === 'download' && is_demo) return 'files_why_demo_archive';
  return undefined;
}

/** Removing an entry also needs access to its directory, as in the gateway's rules. */
function pathHindrance(action: FileAction, { server, directory, targets }: Situation): TextKey | undefined {
  const allowed = server?.sftp_allowed_paths ?? [];
  if (isAllowed(directory, allowed)) return undefined; // including everything in it
  const is_free = ({ path }: Entry) => isAllowed(path, allowed) && !ON_MEMBER.has(action);
  return targets.every(is_free) ? undefined : 'files_why_outside';
}

interface Sending {
  readonly entries: readonly Entry[];
  readonly move: boolean;
  readonly directory: string;
}

/** Why these entries cannot go there. */
export function sendHindrance(
  { entries, move, directory }: Sending,
  target: Pick<Server, 'sftp_read_only' | 'sftp_allowed_paths'> | undefined,
  { from, to }: { readonly from: number; readonly to: number },
): TextKey | undefined {
  if (target?.sftp_read_only) return 'files_why_target_read_only';
  if (!isAllowed(directory, target?.sftp_allowed_paths ?? [])) return 'files_why_target_outside';
  if (from !== to) return undefined;
  if (entries.some(({ path, is_dir, is_symlink }) => is_dir && !is_symlink && isWithin(directory, path)))
    return 'files_why_into_itself';
  return move && entries.some(({ path }) => parentOf(path) === directory)
    ? 'files_why_there_already'
    : undefined;
}

/** Validates a name before asking the gateway. */
export function nameTrouble(name: string, taken: readonly Entry[], own?: string): TextKey | undefined {
  if (name === '' || name === '.' || name === '..') return 'files_name_needed';
  if (/[/\0]/.test(name)) return 'files_name_slash';
  if (name !== own && name.includes('\ufffd')) return 'files_name_replaced'; // it would become part of the name
  if (name !== own && taken.some((entry) => entry.name === name)) return 'files_name_taken';
  return undefined;
}
