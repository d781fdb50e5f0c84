import { expect, it } from 'vitest';
import { type PreparedMember, prefetched } from '#worker/sftp/zip/prefetch.ts';
import { NEVER } from '../../setup.ts';

const COST_BYTES = 60;

/** How many of ten members start before the first is read. */
async function begunBy(max_bytes: number): Promise<number> {
  let begun = 0;
  async function* plan() {
    yield Array.from({ length: 10 }, (_, index) => `file-${index}`);
  }
  const begin = async (name: string): Promise<PreparedMember> => {
    begun += 1;
    const member = { kind: 'directory', name, mode: 0o755, modified: new Date(0) } as const;
    return { member, close: async () => {} };
  };
  const members = prefetched({
    plan: plan(),
    cost: () => COST_BYTES,
    prepare: begin,
    max_bytes: () => max_bytes,
    signal: NEVER,
  });
  await members.next();
  const ahead = begun;
  await members.return(undefined);
  return ahead;
}

it('keeps no more of an archive in memory than its share of the budget', async () => {
  expect(await begunBy(3 * COST_BYTES)).toBe(3);
});
