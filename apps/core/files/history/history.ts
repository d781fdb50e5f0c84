import type { FilePlace } from '../../accounts/tickets.ts';
import { phraseOf } from '../../audit/phrases.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { AuditAction, AuditFilter, AuditRow } from '../../model/audit/audit.ts';
import type { FileHistory, FileHistoryEntry } from '../../model/files/file-history.ts';
import { may } from '../../policy/account.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { FileAccess } from '../access.ts';
import type { LargeAnswers } from '../large-answers.ts';
import { isAbout, sizeOf } from './changes-of.ts';
import { oldCopiesOf } from './old-copies.ts';

const MOST = 100;
const LOOKED_AT = 500; // entries that contain the path, perhaps in a longer one
const SEARCH_LENGTH = 200; // as `AuditFilter` allows; the whole path is compared afterwards

/** What changes the content, the name or the rights of a file. */
const CHANGES: readonly AuditAction[] = [
  'sftp_chmod',
  'sftp_copy',
  'sftp_delete',
  'sftp_rename',
  'sftp_upload',
  'sftp_write',
];

/** Tells who changed a file through the gateway. */
export interface Histories {
  /** Everybody's changes for who may read the audit log, else only the caller's own. */
  history(caller: Caller, place: FilePlace): Promise<FileHistory>;
}

interface Deps {
  readonly access: FileAccess;
  readonly large_answers: LargeAnswers;
  readonly repositories: Pick<Repositories, 'audit'>;
}

export function createHistories({ access, large_answers, repositories }: Deps): Histories {
  const { audit } = repositories;
  async function entriesAbout(server_id: number, path: string, by: AuditFilter): Promise<AuditRow[]> {
    const searches = [`(#${server_id}): `, path.slice(-SEARCH_LENGTH)];
    const rows = await audit.page(
      { ...by, actions: [...CHANGES], searches },
      { limit: LOOKED_AT, offset: 0 },
    );
    return rows.filter((row) => isAbout(row, server_id, path));
  }

  return {
    history: (caller, { server_id, path }) =>
      access.act(
        { caller, server_id, operation: 'read', action: 'see_file_history', paths: { path } },
        async (granted) => {
          const { server, real, shown, signal } = granted;
          const everybody = may(caller, 'read_administration');
          const rows = await entriesAbout(
            server.id,
            real.path,
            everybody ? {} : { username: caller.username },
          );
          const seen = everybody ? rows : rows.filter(({ user_id }) => user_id === caller.user_id);
          const copies = await large_answers({ user_id: caller.user_id, signal }, (grow) =>
            oldCopiesOf(granted, grow),
          );
          return {
            path: shown.path,
            audit_path: real.path,
            scope: everybody ? 'everybody' : 'own',
            entries: seen.slice(0, MOST).map(toEntry),
            copies,
          };
        },
      ),
  };
}

function toEntry(row: AuditRow): FileHistoryEntry {
  const { id, action, username, created_at, detail } = row;
  return { id, action, username, created_at, size: sizeOf(row) ?? null, detail, phrase: phraseOf(row) };
}
