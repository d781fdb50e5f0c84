import { join } from 'node:path';
import { migratedDatabaseUrl } from '../databases/stores.ts';
import { startBalancer } from './balancer.ts';

/** Where an instance keeps its files and rows. */
export interface Place {
  readonly data_dir: string;
  readonly recordings_dir: string;
  readonly database_url?: string | undefined;
}

interface Started {
  readonly url: string;
  readonly port: number;
}

/** Steps that undo what was started, in the order of the start. */
export type Undo = (() => Promise<void>)[];

/** Starts three instances on one PostgreSQL database; each request to the returned address reaches the next one. */
export async function startBalanced<Instance extends Started>(
  start: (place: Place) => Promise<Instance>,
  { data_dir, recordings_dir, database_url }: Place,
  undo: Undo,
): Promise<Instance> {
  const url = database_url ?? (await migratedDatabase(undo));
  const startIn = (name: string) =>
    start({ data_dir: join(data_dir, name), recordings_dir, database_url: url });
  const first = await startIn('one');
  const others = [await startIn('two'), await startIn('three')];
  const balancer = await startBalancer([first, ...others].map(({ port }) => port));
  undo.push(balancer.stop);
  return { ...first, url: balancer.url + new URL(first.url).pathname.replace(/\/$/, '') };
}

async function migratedDatabase(undo: Undo): Promise<string> {
  const { url, cleanup } = await migratedDatabaseUrl('postgres');
  undo.push(cleanup);
  return url;
}
