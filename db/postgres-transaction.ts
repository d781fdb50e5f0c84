import { drizzle, type RemoteCallback } from 'drizzle-orm/pg-proxy';
import { ConnectionLost } from './driver-errors.ts';
import type { Link, Run } from './postgres-pool.ts';
import { publishStatement } from './statements.ts';

export type Transaction = ReturnType<typeof over>;

export interface OpenTransaction {
  readonly tx: Transaction;
  send<Result>(run: Run<Result>): Promise<Result>;
}

/** A database that executes its statements through `use`. */
export function over(use: (run: Run<unknown[]>, text: string) => Promise<unknown[]>) {
  const send: RemoteCallback = async (text, values, method) => {
    const run: Run<unknown[]> = async (client) => {
      publishStatement(text);
      const statement = client.unsafe(text, values);
      return method === 'all' ? await statement.values() : await statement;
    };
    return { rows: await use(run, text) };
  };
  return drizzle(send);
}

/** `work` also gets what the statements of `begin` have returned. */
export async function inTransaction<Result>(
  link: Link,
  begin: string,
  work: (tx: OpenTransaction, begun: unknown) => Promise<Result>,
): Promise<Result> {
  const begun = await link.run(alone(begin));
  const losses = link.losses();
  const assertKept = () => {
    // The driver would reconnect and continue outside the transaction.
    if (link.losses() !== losses) throw new ConnectionLost('The connection was lost during a transaction');
  };
  try {
    const send = async <Answer>(run: Run<Answer>) => {
      assertKept();
      return await link.run(run);
    };
    const result = await work({ tx: over(send), send }, begun);
    assertKept();
    await link.run(alone('commit'));
    return result;
  } catch (error) {
    await link.run(alone('rollback')).catch(() => undefined); // a lost connection has already rolled back
    throw error;
  }
}

function alone(text: string): Run<unknown> {
  return (client) => {
    publishStatement(text);
    return client.unsafe(text);
  };
}
