import type { Log } from '../ports/runtime.ts';

export interface Trouble {
  during<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result>;
}

/** Logs once that the database is down, and once that it is back. */
export function createTrouble(log: Log): Trouble {
  let is_failing = false;
  return {
    async during(work, otherwise) {
      try {
        const result = await work();
        if (is_failing) log.info({}, 'Webhooks are delivered again');
        is_failing = false;
        return result;
      } catch (err) {
        if (!is_failing) log.warn({ err }, 'Webhooks cannot be delivered just now');
        is_failing = true;
        return otherwise;
      }
    },
  };
}
