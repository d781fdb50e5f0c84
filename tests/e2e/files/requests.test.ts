import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { type SftpLog, startSftpLog } from '../../support/hosts/sftp-log.ts';

let log: SftpLog;
let host: FileHost;

beforeAll(async () => {
  log = startSftpLog();
  host = await startFileHost({ sshd: { sftp: log.subsystem } });
});
afterAll(async () => {
  await host?.stop();
  log?.remove();
});

/** The SFTP requests that this work costs on a connection in use. */
async function requestsOf(work: () => Promise<unknown>): Promise<string[]> {
  log.take();
  await host.ask({ verb: 'ls', query: { path: host.at() } });
  const before: string[] = [];
  await expect.poll(() => before.push(...log.take()) && before.at(-1)).toBe('CLOSE'); // kept a little later than answered
  await work();
  return log.take();
}

async function upload(id: number, path: string, names: readonly string[]): Promise<void> {
  const body = new FormData();
  for (const name of names) body.append('files', new File(['content'], name));
  const url = `/api/files/${id}/upload?${new URLSearchParams({ path })}`;
  const response = await host.gateway.admin.fetch(url, { method: 'POST', body });
  expect([response.status, await response.json()]).toMatchObject([200, { count: names.length }]);
}

describe('The SFTP requests', () => {
  it('for a new file are at most 12, and 8 for each further one', async () => {
    const path = await host.make('new');
    await upload(host.server.id, path, ['first']);
    const one = await requestsOf(() => upload(host.server.id, path, ['one']));
    const ten = await requestsOf(() =>
      upload(
        host.server.id,
        path,
        Array.from({ length: 10 }, (_, nth) => `f${nth}`),
      ),
    );
    expect(one.length).toBeLessThanOrEqual(12);
    expect(ten.length).toBeLessThanOrEqual(12 + 9 * 8);
  });

  it('for a saved text are at most 46', async () => {
    const path = await host.put('saved/text', 'old');
    const { body } = await host.ask<{ etag: string }>({ verb: 'read', query: { path } });
    const save = () =>
      host.ask({ verb: 'write', body: { path, content: 'new' } }, { headers: { 'if-match': body.etag } });
    const saved = await requestsOf(save);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(saved.length).toBeLessThanOrEqual(46); // owner, mode, links and what the host permits are looked up and kept
  });

  it('for a copied file are at most 30', async () => {
    const source_path = await host.put('copied/source', 'text');
    const body = { source_path, target_server_id: host.server.id, target_path: host.at('copied/target') };
    const copied = await requestsOf(() => host.ask({ verb: 'copy-to', body }));
    expect(await readFile(host.at('copied/target'), 'utf8')).toBe('text');
    expect(copied.length).toBeLessThanOrEqual(30);
  });
});
