import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TextFile } from '#core/model/directory-entry.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';

const ROUNDS = 5;

let host: FileHost;
beforeAll(async () => {
  host = await startFileHost();
});
afterAll(() => host?.stop());

it('lets one of two saves with one etag win, even when two records name the same host', async () => {
  const ids = [host.server.id, (await host.add('by name', { hostname: 'localhost' })).id];
  const path = await host.put('notes.txt', 'first');
  for (const id of ids) await host.ask({ verb: 'ls', query: { path: host.at() } }, { id }); // Both are connected.
  for (let round = 0; round < ROUNDS; round += 1) {
    const { body } = await host.ask<TextFile>({ verb: 'read', query: { path } });
    const saves = ids.map((id) => {
      const content = `round ${round} by ${id}`;
      const change = { verb: 'write', body: { path, content } } as const;
      return host.ask(change, { id, headers: { 'if-match': body.etag } });
    });
    const answers = await Promise.all(saves);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const won = ids[answers.findIndex(({ status }) => status === 200)];
    expect(await readFile(path, 'utf8')).toBe(`round ${round} by ${won}`);
  }
});
