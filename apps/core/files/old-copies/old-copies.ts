import type { FilePlace } from '../../accounts/tickets.ts';
import type { Caller } from '../../model/accounts/caller.ts';
import type { OldCopies } from '../../model/files/old-copy.ts';
import { assertMay } from '../../policy/account.ts';
import type { FileAccess } from '../access.ts';
import type { LargeAnswers } from '../large-answers.ts';
import { oldCopiesOf } from './find.ts';

/** Finds what interrupted saves have left of a file. */
export interface OldCopyFinder {
  find(caller: Caller, place: FilePlace): Promise<OldCopies>;
}

interface Deps {
  readonly access: FileAccess;
  readonly large_answers: LargeAnswers;
}

export function createOldCopyFinder({ access, large_answers }: Deps): OldCopyFinder {
  return {
    async find(caller, { server_id, path }) {
      assertMay(caller, 'read_files');
      return access.act({ caller, server_id, operation: 'read', paths: { path } }, async (granted) => {
        const { real, shown, signal } = granted;
        const turn = { user_id: caller.user_id, signal };
        const copies = await large_answers(turn, (grow) => oldCopiesOf(granted, grow));
        return { path: shown.path, real_path: real.path, copies };
      });
    },
  };
}
