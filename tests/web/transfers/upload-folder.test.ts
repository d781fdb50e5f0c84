import { describe, expect, it } from 'vitest';
import { createClient } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';
import { createBatch, createConflicts } from '../../../apps/web/transfers/conflicts.ts';
import type { Job } from '../../../apps/web/transfers/job.ts';
import { type TransferRow, toRow } from '../../../apps/web/transfers/row.ts';
import { createSlots } from '../../../apps/web/transfers/slots.ts';
import {
  bundleOf,
  type DirectoryNode,
  fileNode,
  filesToNodes,
  measureTree,
  type SourceNode,
} from '../../../apps/web/transfers/uploads/drop-tree.ts';
import { createFolderJob } from '../../../apps/web/transfers/uploads/folder-job.ts';
import { openLedger } from '../../../apps/web/transfers/uploads/ledger.ts';
import type { SendFile } from '../../../apps/web/transfers/uploads/upload.ts';
import { eventually } from '../../support/eventually.ts';

const never = new AbortController().signal;
const text = (name: string, content = name) => new File([content], name, { lastModified: 1 });

function directory(name: string, ...children: SourceNode[]): DirectoryNode {
  return { ...bundleOf(children), name };
}

const TREE = directory(
  'site',
  fileNode(text('index.html')),
  directory('empty'),
  directory('img', fileNode(text('a.png')), fileNode(text('b.png'))),
);

interface World {
  readonly send?: SendFile;
  readonly compare?: boolean;
  /** Answers by directory path. */
  readonly refuse?: (path: string) => ClientError | undefined;
  readonly there?: Readonly<Record<string, { name: string; size: number; is_dir: boolean }[]>>;
}

/** A folder being uploaded to `/srv` of server 3. */
function setUp(root: DirectoryNode, world: World = {}) {
  const made: string[] = [];
  const sent: string[] = [];
  const client = createClient({
    base_url: 'https://gate.example',
    credentials: 'sesame',
    retries: 0,
    fetch: async (request) => {
      const { searchParams } = new URL(request.url);
      if (request.method === 'GET')
        return Response.json({ path: '', entries: world.there?.[searchParams.get('path') ?? ''] ?? [] });
      const { path } = JSON.parse(await request.text());
      const refusal = world.refuse?.(path);
      if (refusal) return Response.json(refusal, { status: refusal.status });
      made.push(path);
      return Response.json({ path, status: 'created' });
    },
  });
  const send: SendFile = async (file, plan, watch) => {
    await world.send?.(file, plan, watch);
    sent.push(`${plan.directory}/${plan.filename}`);
  };
  const ledger = openLedger('test', 1);
  const tools = { client, user_id: 1, ledger, slots: createSlots(3), conflicts: createConflicts(), send };
  const place = { server_id: 3, directory: '/srv' };
  let row: TransferRow = toRow({ id: 'job', kind: 'folder', name: root.name, ...place });
  const input = { id: 'job', root, place, batch: createBatch(), compare: world.compare ?? false };
  const job: Job = createFolderJob(tools, { ...input, onPlaced: () => undefined }, (news) => {
    row = { ...row, ...news };
  });
  const until = (state: TransferRow['state']) => eventually(() => expect(row.state).toBe(state));
  return { job, made, sent, until, row: () => row };
}

describe('A folder upload', () => {
  it('creates the folder with its contents, empty directories included', async () => {
    const { job, made, sent, until, row } = setUp(TREE);
    job.start();
    await until('done');
    expect(made).toEqual(['/srv/site', '/srv/site/empty', '/srv/site/img']);
    expect(sent.sort()).toEqual(['/srv/site/img/a.png', '/srv/site/img/b.png', '/srv/site/index.html']);
    expect(row()).toMatchObject({ done_files: 3, total_files: 3, total_bytes: 20, failed_files: 0 });
    expect(job.sent()).toBe(20);
  });

  it('never holds thousands of files in memory at once', async () => {
    const leads: number[] = []; // How far each walk was ahead of what is sent: one walk sends, one counts.
    let sent_files = 0;
    async function* children(): AsyncGenerator<SourceNode> {
      const own = leads.push(0) - 1;
      for (let at = 0; at < 500; at += 1) {
        leads[own] = Math.max(leads[own] ?? 0, at - sent_files);
        yield fileNode(text(`${at}`));
      }
    }
    const send: SendFile = async () => {
      await new Promise((resolve) => setTimeout(resolve));
      sent_files += 1;
    };
    const { job, sent, until } = setUp({ kind: 'directory', name: 'many', children }, { send });
    job.start();
    await until('done');
    expect(sent).toHaveLength(500);
    expect(leads).toHaveLength(2);
    expect(Math.min(...leads)).toBeLessThan(10);
  });

  it('reports which files failed, and sends only those again', async () => {
    let is_full = true;
    const send: SendFile = async (_file, { filename }) => {
      if (is_full && filename === 'a.png')
        throw new ClientError({ status: 507, code: 'remote_disk_full', detail: 'full' });
    };
    const { job, sent, until, row } = setUp(TREE, { send });
    job.start();
    await until('failed');
    expect(row()).toMatchObject({ done_files: 2, failed_files: 1, error: undefined });
    expect(row().failures).toMatchObject([
      { path: '/srv/site/img/a.png', error: { code: 'remote_disk_full' } },
    ]);
    is_full = false;
    sent.length = 0;
    job.start();
    await until('done');
    expect(sent).toEqual(['/srv/site/img/a.png']);
    expect(row()).toMatchObject({ done_files: 3, failed_files: 0 });
  });

  it('continues beside a directory that cannot be created', async () => {
    const refuse = (path: string) =>
      path.endsWith('/img')
        ? new ClientError({ status: 409, code: 'not_a_directory', detail: 'x' })
        : undefined;
    const { job, sent, until, row } = setUp(TREE, { refuse });
    job.start();
    await until('failed');
    expect(sent).toEqual(['/srv/site/index.html']);
    expect(row().failures).toMatchObject([{ path: '/srv/site/img', error: { code: 'not_a_directory' } }]);
  });

  it('stops when one file after the other is refused', async () => {
    const nodes = Array.from({ length: 500 }, (_, at) => fileNode(text(`${at}`)));
    let attempts = 0;
    const send: SendFile = () => {
      attempts += 1;
      return Promise.reject(new ClientError({ status: 403, code: 'sftp_read_only', detail: 'x' }));
    };
    const { job, until, row } = setUp(directory('many', ...nodes), { send });
    job.start();
    await until('failed');
    expect(row().error).toMatchObject({ code: 'sftp_read_only' });
    expect(attempts).toBeLessThan(40);
  });

  it('continues with the rest after a pause', async () => {
    const held: SendFile = (_file, { filename }, { signal }) =>
      filename === 'b.png' && !is_released
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : Promise.resolve();
    let is_released = false;
    const { job, sent, until, row } = setUp(TREE, { send: held });
    job.start();
    await eventually(() => expect(row().done_files).toBe(2));
    job.stop();
    is_released = true;
    job.start();
    await until('done');
    expect(sent.sort()).toEqual(['/srv/site/img/a.png', '/srv/site/img/b.png', '/srv/site/index.html']);
  });

  it('skips existing files of the same size after a reload', async () => {
    const there = {
      '/srv/site': [{ name: 'index.html', size: 10, is_dir: false }],
      '/srv/site/img': [
        { name: 'a.png', size: 4, is_dir: false },
        { name: 'b.png', size: 5, is_dir: true },
      ],
    };
    const { job, sent, until, row } = setUp(TREE, { compare: true, there });
    job.start();
    await until('done');
    expect(sent.sort()).toEqual(['/srv/site/img/a.png', '/srv/site/img/b.png']);
    expect(row().done_files).toBe(3);
  });

  it('counts its files without keeping them', async () => {
    const sizes: unknown[] = [];
    await measureTree(TREE, never, (size) => sizes.push(size));
    expect(sizes.at(-1)).toEqual({ files: 3, bytes: 20 });
  });
});

describe('Files from a directory chooser', () => {
  it('are placed in their directories again', async () => {
    const at = (path: string) => {
      const file = text(path.split('/').at(-1) ?? '');
      Object.defineProperty(file, 'webkitRelativePath', { value: path });
      return file;
    };
    const nodes = filesToNodes(['site/index.html', 'site/img/a.png', 'site/img/b.png'].map(at));
    expect(await shapeOf(nodes)).toEqual([['site', ['index.html', ['img', ['a.png', 'b.png']]]]]);
  });
});

type Shape = string | [string, Shape[]];

async function shapeOf(nodes: Iterable<SourceNode> | AsyncIterable<SourceNode>): Promise<Shape[]> {
  const shape: Shape[] = [];
  for await (const node of nodes)
    shape.push(node.kind === 'file' ? node.name : [node.name, await shapeOf(node.children())]);
  return shape;
}
