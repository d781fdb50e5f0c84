import type { Log } from '../ports/runtime.ts';

export interface OutageLog {
  during<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result>;
}

/** Logs the first database failure of an outage, and the recovery. */
export function createOutageLog(log: Log): OutageLog {
  let is_failing = false;
  return {
    async during(work, otherwise) {
      try {
        const result = await work();
        if (is_failing) log.info({}, 'Webhook delivery works again');
        is_failing = false;
        return result;
      } catch (err) {
        if (!is_failing) log.warn({ err }, 'Webhook delivery is paused: a database operation failed');
        is_failing = true;
        return otherwise;
      }
    },
  };
}
