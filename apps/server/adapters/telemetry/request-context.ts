import { AsyncLocalStorage } from 'node:async_hooks';

const requests = new AsyncLocalStorage<string>();

/** Everything that `work` triggers, however late, belongs to this request. */
export function inRequest<T>(request_id: string, work: () => T): T {
  return requests.run(request_id, work);
}

/** The request that triggered the current code; undefined for jobs. */
export function currentRequest(): string | undefined {
  return requests.getStore();
}

/** Enters the current request again, later. `AsyncLocalStorage.bind` would keep some kilobytes for each callback. */
export function keepRequest(): <T>(work: () => T) => T {
  const request_id = requests.getStore();
  return (work) => (request_id === undefined ? requests.exit(work) : requests.run(request_id, work));
}
