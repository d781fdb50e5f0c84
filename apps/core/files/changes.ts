import type { FilePlace } from '../accounts/tickets.ts';
import { isOutcomeUnknown, recordOutcome } from '../audit/outcome.ts';
import { type AuditTrail, serverLabel } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { isInside, parentOf } from '../lib/paths/posix-path.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type {
  ChmodInput,
  Deleted,
  DirectoryMade,
  MkdirInput,
  ModeChanged,
  Renamed,
  RenameInput,
} from '../model/files/file-change.ts';
import { assertMay } from '../policy/account.ts';
import type { FileSession } from '../ports/files.ts';
import { deleteEvent } from '../webhooks/events.ts';
import type { FileAccess } from './access.ts';

type On<T> = T & { readonly server_id: number };

/** Changes files and directories, but not file contents. */
export interface FileChanges {
  makeDirectory(caller: Caller, input: On<MkdirInput>): Promise<DirectoryMade>;
  rename(caller: Caller, input: On<RenameInput>): Promise<Renamed>;
  remove(caller: Caller, place: FilePlace, signal?: AbortSignal): Promise<Deleted>;
  changeMode(caller: Caller, input: On<ChmodInput>, signal?: AbortSignal): Promise<ModeChanged>;
}

interface Deps {
  readonly access: FileAccess;
  readonly trail: AuditTrail;
}

export function createFileChanges({ access, trail }: Deps): FileChanges {
  return {
    makeDirectory: (caller, { server_id, path, parents = false }) => {
      const operation = parents ? 'mkdir_parents' : 'mkdir';
      return access.act({ caller, server_id, operation, paths: { path } }, async (granted) => {
        const { server, session, real, shown } = granted;
        const label = `${serverLabel(server)}: `;
        const made: string[] = [];
        try {
          if (parents) await makeParents(session, real.path, made);
          else await session.makeDirectory(real.path);
        } catch (error) {
          const items = isOutcomeUnknown(error) ? [...made, `${real.path}: ${error.code}`] : made;
          await trail.recordAll(caller, 'sftp_mkdir', { label, items });
          throw error;
        }
        await trail.record(caller, 'sftp_mkdir', label + real.path);
        return { path: shown.path, status: 'created' as const };
      });
    },

    rename: (caller, { server_id, old_path, new_path, overwrite = false }) =>
      access.act(
        { caller, server_id, operation: 'rename', paths: { old_path, new_path } },
        async ({ server, session, real, shown }) => {
          if (real.new_path !== real.old_path && isInside(real.new_path, real.old_path)) {
            throw new Fault('into_itself');
          }
          const about = {
            label: `${serverLabel(server)}: `,
            items: [`${real.old_path} to ${real.new_path}`],
          };
          await recordOutcome(session.rename(real.old_path, real.new_path, { overwrite }), (ending) =>
            trail.recordAll(caller, 'sftp_rename', {
              ...about,
              items: about.items.map((item) => item + ending),
            }),
          );
          return { ...shown, status: 'renamed' as const };
        },
      ),

    remove: (caller, { server_id, path }, signal) =>
      access.act({ caller, server_id, operation: 'delete', paths: { path }, signal }, async (granted) => {
        const { server, session, real, shown } = granted;
        if (!(await session.statOf(real.path))) throw new Fault('file_not_found');
        // Recorded first: an aborted removal has deleted something, too.
        await trail.record(caller, 'sftp_delete', `${serverLabel(server)}: ${real.path}`, { retry: false });
        await session.remove(real.path, { signal: granted.signal });
        await trail.fire(deleteEvent(caller, server, real.path));
        return { path: shown.path, status: 'deleted' as const };
      }),

    async changeMode(caller, { server_id, path, mode, recursive = false }, signal) {
      assertMay(caller, 'write_files');
      if (!/^[0-7]{3,4}$/.test(mode)) throw new Fault('invalid_mode');
      return access.act(
        { caller, server_id, operation: 'chmod', paths: { path }, signal },
        async (granted) => {
          const { server, session, real, shown } = granted;
          const extent = recursive ? ' with all that is in it' : '';
          await trail.record(
            caller,
            'sftp_chmod',
            `${serverLabel(server)}: ${real.path} to ${mode}${extent}`,
            { retry: false },
          );
          await session.changeMode(real.path, Number.parseInt(mode, 8), {
            recursive,
            signal: granted.signal,
          });
          return { path: shown.path, mode, status: 'changed' as const };
        },
      );
    },
  };
}

/** Like `mkdir -p`: existing directories are fine. Returns the directories it created. */
async function makeParents(session: FileSession, path: string, made: string[]): Promise<void> {
  const found = await session.statOf(path);
  if (found?.kind === 'directory') return;
  if (found) throw new Fault('already_exists');
  if (path !== '/') await makeParents(session, parentOf(path), made);
  try {
    await session.makeDirectory(path);
    made.push(path);
  } catch (error) {
    const raced = error instanceof Fault && error.code === 'already_exists';
    if (!raced || (await session.statOf(path))?.kind !== 'directory') throw error;
  }
}
