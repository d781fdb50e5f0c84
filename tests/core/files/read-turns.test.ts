import { describe, expect, it } from 'vitest';
import type { FileAccess } from '#core/files/access.ts';
import { createLargeAnswers } from '#core/files/large-answers.ts';
import { createFiles } from '#core/files/listing.ts';
import type { Caller } from '#core/model/accounts/caller.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A host on which no read ends; lists the reads that have started. */
function neverReading() {
  const begun: string[] = [];
  const access = {
    act: (request: { server_id: number; caller: Caller }, work: (granted: unknown) => Promise<unknown>) => {
      const openRead = () => {
        begun.push(`${request.caller.user_id} on ${request.server_id}`);
        return new Promise(() => {});
      };
      const { signal } = new AbortController();
      return work({ session: { openRead }, signal, real: { path: '/a' }, shown: { path: '/a' } });
    },
  } as unknown as FileAccess; // A read needs nothing else of it.
  const files = createFiles({ access, large_answers: createLargeAnswers(() => () => {}) });
  const read = (user_id: number, server_id: number) =>
    void files.read({ user_id } as Caller, { server_id, path: '/a' });
  return { begun, read };
}

describe('Text reads', () => {
  it('are limited to four per user and server and do not delay other users', async () => {
    const { begun, read } = neverReading();
    for (let count = 0; count < 6; count += 1) read(1, 1);
    read(2, 1);
    read(1, 2);
    await settled();
    expect(begun).toEqual(['1 on 1', '1 on 1', '1 on 1', '1 on 1', '2 on 1', '1 on 2']);
  });
});
