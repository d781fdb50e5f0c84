import { describe, expect, it } from 'vitest';
import type { PostgresPool } from '#db/postgres-pool.ts';
import { connectionsPerRequest } from '#server/edge/request-connections.ts';

/** Pools that note what happens to them. */
function notedPools() {
  const notes: string[] = [];
  let opened = 0;
  function connect(): PostgresPool {
    opened += 1;
    const name = `pool ${opened}`;
    return {
      async use() {
        notes.push(`${name} used`);
        throw new Error('There is no database');
      },
      close: async () => void notes.push(`${name} closed`),
    };
  }
  return { connections: connectionsPerRequest(connect), notes };
}

describe('Connections of a request', () => {
  it('are its own, also while others run, and are closed after its response', async () => {
    const { connections, notes } = notedPools();
    const ended: Promise<unknown>[] = [];
    const request = () =>
      connections.run(
        (work) => ended.push(work),
        async () => {
          await Promise.resolve();
          await connections.pool.use(1000, async () => undefined).catch(() => undefined);
          return new Response();
        },
      );
    await Promise.all([request(), request()]);
    await Promise.all(ended);
    expect(notes.sort()).toEqual(['pool 1 closed', 'pool 1 used', 'pool 2 closed', 'pool 2 used']);
  });

  it('stay open for the work that it has left behind, also after a failure', async () => {
    const { connections, notes } = notedPools();
    const ended: Promise<unknown>[] = [];
    let finish: () => void = () => undefined;
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const failed = connections.run(
      (end) => ended.push(end),
      async () => {
        connections.background(work.then(() => connections.pool.use(1000, async () => undefined)));
        throw new Error('refused');
      },
    );
    await expect(failed).rejects.toThrow('refused');
    expect(notes).toEqual([]);
    finish();
    await Promise.all(ended);
    expect(notes).toEqual(['pool 1 used', 'pool 1 closed']);
  });

  it('do not exist outside of a request', async () => {
    const { connections } = notedPools();
    expect(() => connections.pool.use(1000, async () => undefined)).toThrow('only within a request');
  });
});
