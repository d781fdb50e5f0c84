import { randomUUID } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import { createIdPool } from '#core/lib/id-pool.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import type { ImportedServerRow, NewServerRow, ServerRepository } from '#core/ports/repositories/hosts.ts';
import { patiently } from '../../patience.ts';
import { inChunks } from '../../query/chunks.ts';
import { orFault } from '../../query/or-fault.ts';
import { reserving } from '../../query/reserve-ids.ts';
import { fieldList, rowSource } from '../../query/row-source.ts';
import type { Store } from '../../store.ts';
import { delivering, type Fired } from '../webhooks/outbox.ts';
import { serverColumns } from './server-columns.ts';

interface Link {
  readonly import_ref: string;
  readonly host_ref: string;
}

export function createServerImports(store: Store): Pick<ServerRepository, 'insertAll'> {
  const { inserting, linking, telling } = createStatements(store);
  const stored = createReader(store);

  return {
    async insertAll(rows, eventOf) {
      const import_id = randomUUID();
      const refs = rows.map((_row, index) => refOf(import_id, index));
      const nextId = createIdPool(reserving(store, 'servers'), rows.length);
      const unlinked: NewRow[] = [];
      for (const [index, row] of rows.entries()) {
        const id = row.id ?? (await nextId());
        unlinked.push({ ...withoutLink(row), id, import_ref: refs[index] });
      }
      const links = rows.flatMap((row, index) => toLink(row, index, refs));
      const events = eventOf ? rows.map((row, index) => ({ ...eventOf(row), ref: refs[index] })) : [];
      const statements = [
        ...(await inTurn(unlinked, (part) => [inserting(part)])),
        ...(await inTurn(links, (part) => [linking(part)])),
        ...(await inTurn(events, telling)),
      ];
      const inserted = store.batch(() => statements);
      await orFault('jump_host_unknown', inserted); // the only foreign key
      return await inTurn(refs, stored);
    },
  };
}

/** Inserts in chunks, which lets other work run in between. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  use: (part: Item[]) => Result[] | Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[][] = [];
  for (const part of inChunks(items)) {
    results.push(await use(part));
    await breathe();
  }
  return results.flat();
}

/** Sorts as text in list order. */
function refOf(import_id: string, index: number): string {
  return `${import_id}:${String(index).padStart(9, '0')}`;
}

function withoutLink({ jump_via_index, ...row }: ImportedServerRow): NewServerRow {
  return jump_via_index === undefined ? row : { ...row, jump_via_id: null };
}

function toLink({ jump_via_index }: ImportedServerRow, index: number, refs: readonly string[]): Link[] {
  if (jump_via_index === undefined) return [];
  const [import_ref, host_ref] = [refs[index], refs[jump_via_index]];
  if (import_ref === undefined || host_ref === undefined) throw new Fault('jump_host_unknown');
  return [{ import_ref, host_ref }];
}

type NewRow = NewServerRow & { readonly id: number; readonly import_ref: string | undefined };

function createStatements(store: Store) {
  const { dialect, tables } = store;
  const { servers } = tables;
  const columns = getTableColumns(servers);
  const refs = { import_ref: servers.import_ref, host_ref: servers.import_ref };

  return {
    inserting: (rows: readonly NewRow[]): SQL =>
      sql`insert into ${servers} (${fieldList(columns)}) ${rowSource(dialect, columns, rows)}`,

    /** Runs after the inserts, because jump host ids are known only then. */
    linking: (links: readonly Link[]): SQL => sql`with link as (${rowSource(dialect, refs, links)})
      update ${servers} set jump_via_id = (
        select host.id from ${servers} as host where host.import_ref = link.host_ref
      ) from link where ${servers.import_ref} = link.import_ref`,

    telling: (events: readonly Fired[]): SQL[] =>
      delivering(store, events, {
        id: sql`${servers.id}`,
        join: sql`join ${servers} on ${servers.import_ref} = fired.ref`,
      }),
  };
}

function createReader({ db, tables: { servers } }: Store) {
  // Retries locks itself, so that the whole method is not retried after it has written.
  return (refs: readonly string[]): Promise<ServerRow[]> =>
    patiently(() =>
      db
        .select(serverColumns(servers))
        .from(servers)
        .where(inArray(servers.import_ref, [...refs]))
        .orderBy(servers.import_ref),
    );
}
