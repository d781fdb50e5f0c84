import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRecord } from '#core/model/audit/audit.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { auditRows } from '../../support/features/audit.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { tusCaller } from '../../support/features/tus.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';

const DETAIL_LENGTH = 10_000;

let host: FileHost;
let root: string;
let count = 0;

beforeAll(async () => {
  host = await startFileHost();
});
afterAll(() => host?.stop());
beforeEach(async () => {
  count += 1;
  root = await host.make(`case-${count}`);
});

const at = (...names: string[]) => join(root, ...names);
const put = (name: string, content: string) => host.put(`case-${count}/${name}`, content);

/** The file entries of this test, latest last. */
async function recorded(action: AuditRecord['action']): Promise<string[]> {
  const rows = await auditRows(host.gateway.store);
  return rows.filter((row) => row.action === action && row.detail.includes(root)).map(({ detail }) => detail);
}

async function countDownloads(): Promise<number> {
  const text = await (await host.gateway.admin.fetch('/metrics')).text();
  return Number(/^sallyport_sftp_transfers_total\{kind="download"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** The paths of entries, without the server name. */
function pathsOf(details: readonly string[], { name, id }: Server = host.server): string[] {
  const label = `${name} (#${id}): `;
  expect(details.filter((detail) => !detail.startsWith(label) || detail.length > DETAIL_LENGTH)).toEqual([]);
  return details.flatMap((detail) => detail.slice(label.length).split(', '));
}

function post(verb: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return host.gateway.admin.fetch(`/api/files/${host.server.id}/${verb}`, { method: 'POST', headers, body });
}

async function zip(paths: readonly string[]): Promise<number> {
  const response = await post('download-zip', JSON.stringify({ paths }), {
    'content-type': 'application/json',
  });
  await response.arrayBuffer();
  return response.status;
}

function upload(names: readonly string[]): Promise<Response> {
  const form = new FormData();
  for (const name of names) form.append('files', new File(['x'], name));
  return post(`upload?${new URLSearchParams({ path: root })}`, form);
}

describe('The audit log', () => {
  it('names every file of a ZIP by its real path, however long the requested path was', async () => {
    await put('plain', 'x');
    await put('secret.key', 'x');
    await host.link(`case-${count}/alias`, 'secret.key');
    expect(await zip([`${root}${'/.'.repeat(1200)}/plain`, at('alias')])).toBe(200);
    expect(pathsOf(await recorded('sftp_zip'))).toEqual([at('plain'), at('secret.key')]);
  });

  it('names every file of an upload, in as many entries as it takes', async () => {
    const names = [
      ...Array.from({ length: 60 }, (_, index) => `${index}${'a'.repeat(200)}`),
      'authorized_keys',
    ];
    expect((await upload(names)).status).toBe(200);
    const details = await recorded('sftp_upload');
    expect(details.length).toBeGreaterThan(1);
    expect(pathsOf(details)).toEqual(names.map((name) => at(name)));
  });

  it('names the files of an upload that were placed before one that failed', async () => {
    expect((await upload(['first', 'x'.repeat(256)])).status).toBe(400);
    expect(pathsOf(await recorded('sftp_upload'))).toEqual([at('first')]);
  });

  it('names the parent directories that were created before one that failed', async () => {
    const path = at('p', 'q', 'x'.repeat(256));
    expect((await host.ask({ verb: 'mkdir', body: { path, parents: true } })).status).toBe(400);
    expect(pathsOf(await recorded('sftp_mkdir'))).toEqual([at('p'), at('p', 'q')]);
  });

  it('has no entry for the deletion of a missing path', async () => {
    expect((await host.ask({ verb: 'delete', query: { path: at('none') } })).status).toBe(404);
    expect(await recorded('sftp_delete')).toEqual([]);
  });

  // Each instance remembers which downloads it has recorded.
  it.skipIf(IS_BALANCED)(
    'names a download again when the content has changed, and its ranges only once',
    async () => {
      const path = await put('file', 'one');
      const download = async (headers = {}) => {
        const query = new URLSearchParams({ path });
        const response = await host.gateway.admin.fetch(`/api/files/${host.server.id}/download?${query}`, {
          headers,
        });
        return response.text();
      };
      expect([await download(), await download({ range: 'bytes=1-' })]).toEqual(['one', 'ne']);
      await put('file', 'another');
      expect(await download()).toBe('another');
      await put('file', 'another that grows');
      expect(await download({ range: 'bytes=7-' })).toBe(' that grows');
      expect(await recorded('sftp_download')).toHaveLength(2);
    },
  );

  // Each instance counts its own.
  it.skipIf(IS_BALANCED).each([
    ['a file', 'download', 'sftp_download'],
    ['an archive', 'download-zip', 'sftp_zip'],
  ] as const)('names a download of %s, but not a HEAD request before it', async (_what, verb, action) => {
    const path = await put('file', 'content');
    const ask = async (method: string) => {
      const url = `/api/files/${host.server.id}/${verb}?${new URLSearchParams({ path })}`;
      const response = await host.gateway.admin.fetch(url, { method });
      await response.arrayBuffer();
      return response.status;
    };
    const downloads = await countDownloads();
    expect(await ask('HEAD')).toBe(200);
    expect([await recorded(action), await countDownloads()]).toEqual([[], downloads]);
    expect(await ask('GET')).toBe(200);
    expect(pathsOf(await recorded(action))).toEqual([path]);
    expect(await countDownloads()).toBe(downloads + 1);
  });
});

// The trigger is one of SQLite.
describe.skipIf(IS_BALANCED)('While nothing can be recorded', () => {
  async function refusing(work: () => Promise<void>): Promise<void> {
    const { batch } = host.gateway.store;
    await batch(() => [
      sql`create trigger refusing before insert on audit_entries begin select raise(abort, 'no'); end`,
    ]);
    try {
      await work();
    } finally {
      await batch(() => [sql`drop trigger refusing`]);
    }
  }

  it('a download is refused, even when it is requested again', async () => {
    const query = new URLSearchParams({ path: await put('file', 'content') });
    const download = () => host.gateway.admin.fetch(`/api/files/${host.server.id}/download?${query}`);
    await refusing(async () => {
      for (let asked = 0; asked < 2; asked += 1) {
        const response = await download();
        expect([response.status, (await response.text()).includes('content')]).toEqual([500, false]);
      }
    });
    expect(await (await download()).text()).toBe('content');
    expect(pathsOf(await recorded('sftp_download'))).toEqual([at('file')]);
  });

  it('a resumable upload is not reported as finished', async () => {
    const tus = tusCaller(host.gateway.admin, host.server.id);
    const sent = await tus.begin({ path: root, filename: 'new', length: 4 });
    await refusing(async () => {
      expect((await tus.append(sent, 0, Buffer.from('four'))).status).toBe(500);
      expect(await tus.offset(sent)).not.toBe(4);
    });
  });
});
