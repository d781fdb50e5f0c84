import type { Repositories } from '../../ports/repositories.ts';
import type { Log } from '../../ports/runtime.ts';
import type { OnUnfindable } from './verify-chain.ts';

interface Deps {
  readonly repositories: Pick<Repositories, 'audit'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Makes entries findable again; verification continues when this fails. */
export function createFindable({ repositories, log }: Deps): OnUnfindable {
  return async (rows) => {
    const fields = { entries: rows.length, first_id: rows[0]?.id };
    try {
      await repositories.audit.makeFindable(rows);
      log.warn(fields, 'Search keys of audit entries did not match the entries and were written again');
    } catch (err) {
      log.error({ ...fields, err }, 'Search keys of audit entries do not match the entries');
    }
  };
}
