import { vi } from 'vitest';

const TIMEOUT_MS = 60_000;

/** Asks again until nothing is thrown: as long as a machine with much else to do may take. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: TIMEOUT_MS });
}
