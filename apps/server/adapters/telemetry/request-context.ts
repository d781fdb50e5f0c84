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

/** Binds a callback to the current request. */
export function keepRequest<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void {
  return AsyncLocalStorage.bind(run);
}
