import { AsyncLocalStorage } from 'node:async_hooks';

const requests = new AsyncLocalStorage<string>();

/** What `work` leads to, however late, belongs to this request. */
export function inRequest<T>(request_id: string, work: () => T): T {
  return requests.run(request_id, work);
}

/** The request that leads to this; undefined for what the gateway does by itself. */
export function currentRequest(): string | undefined {
  return requests.getStore();
}

/** Runs what a socket calls later in the request that opened it. */
export function keepRequest<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void {
  return AsyncLocalStorage.bind(run);
}
