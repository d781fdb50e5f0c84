import type { TestProject } from 'vitest/node';
import { startPostgres } from './databases/postgres.ts';

/** One real PostgreSQL for the whole run; each test takes a database of its own in it. */
export default async function setup(_project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres();
  process.env['SALLYPORT_TEST_POSTGRES_URL'] = postgres.url;
  return () => postgres.stop();
}
