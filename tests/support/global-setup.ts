import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './databases/postgres.ts';

/** One real PostgreSQL for the whole run; each test takes a database of its own in it. */
export default async function setup(_project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  process.env['SALLYPORT_TEST_POSTGRES_URL'] = postgres.url;
  const profiles = mkdtempSync(join(tmpdir(), 'sallyport-browsers-'));
  process.env['SALLYPORT_TEST_BROWSERS'] = profiles;
  return async () => {
    await postgres.stop();
    await rm(profiles, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }); // browsers may still be exiting
  };
}
