import { recordOutcome } from '../../audit/outcome.ts';
import { type AuditTrail, serverLabel } from '../../audit/trail.ts';
import { Fault } from '../../errors.ts';
import { chunksOf } from '../../lib/bytes/chunks-of.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { Restored, RestoreInput } from '../../model/files/old-copy.ts';
import { assertMay } from '../../policy/account.ts';
import type { FileSession } from '../../ports/files.ts';
import type { FileAccess, Granted } from '../access.ts';
import { holdingFile } from '../file-holds.ts';
import type { Holds } from '../holds.ts';
import type { LargeAnswers } from '../large-answers.ts';
import type { Replacements } from '../replacements.ts';
import { oldCopiesOf } from './find.ts';

/** Puts back what an interrupted save has left of a file. */
export interface Restores {
  /** Saves the old copy as the file, then removes the copy. */
  restore(caller: Caller, input: RestoreInput & { readonly server_id: number }): Promise<Restored>;
}

interface Deps {
  readonly access: FileAccess;
  readonly replacements: Replacements;
  readonly holds: Holds;
  readonly large_answers: LargeAnswers;
  readonly trail: AuditTrail;
}

export function createRestores({ access, replacements, holds, large_answers, trail }: Deps): Restores {
  async function assertOwnCopy(caller: Caller, granted: Granted<'write'>, copy_path: string): Promise<void> {
    const turn = { user_id: caller.user_id, signal: granted.signal };
    const copies = await large_answers(turn, (grow) => oldCopiesOf(granted, grow));
    if (!copies.some(({ path }) => path === copy_path)) throw new Fault('file_not_found');
  }

  return {
    async restore(caller, { server_id, path, copy_path }) {
      assertMay(caller, 'write_files');
      return access.act({ caller, server_id, operation: 'write', paths: { path } }, async (granted) => {
        const { server, session, real, shown, signal } = granted;
        // With the hold, so that the copy is not that of a save that is still running.
        return holdingFile(holds, { server, path: real.path }, async (lost) => {
          await assertOwnCopy(caller, granted, copy_path);
          const put = replacements.put(session, server, {
            user_id: caller.user_id,
            target_path: real.path,
            source: contentOf(session, copy_path),
            overwrite: true,
            signal: AbortSignal.any([signal, lost]),
          });
          await recordOutcome(put, (ending) =>
            trail.record(
              caller,
              'sftp_write',
              `${serverLabel(server)}: ${real.path}${ending || `: restored from ${copy_path}`}`,
            ),
          );
          const { size } = await put;
          await session.remove(copy_path, { signal }).catch(() => undefined); // the file itself is restored
          return { path: shown.path, status: 'restored' as const, size };
        });
      });
    },
  };
}

async function* contentOf(session: FileSession, path: string): AsyncGenerator<Uint8Array> {
  const file = await session.openRead(path);
  const { size } = file.stat;
  if (size > 0) yield* chunksOf(file.stream({ start: 0, end: size - 1 }));
  else await file.close();
}
