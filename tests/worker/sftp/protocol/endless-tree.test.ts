import { setImmediate } from 'node:timers/promises';
import type { FileEntry, SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileSession } from '#core/ports/files.ts';
import { failureOf, NEVER, worker } from '../../setup.ts';
import { type HostileHost, startHostileHost } from './hostile-host.ts';

const FILE = { mode: 0o100644, size: 1, uid: 0, gid: 0, atime: 0, mtime: 0 };
const DIRECTORY = { ...FILE, mode: 0o40755 };
const LINK = { ...FILE, mode: 0o120777 };

const END = 1;
const LONG_NAME = 60_000;
const NAMES_AT_ONCE = 50;
const BATCHES = 600; // 90 MB of names

/** Directories with names of 3,000 bytes, far more than a walk may keep. */
function wideBatch(nth: number): FileEntry[] {
  return Array.from({ length: NAMES_AT_ONCE }, (_, index) => ({
    filename: `${'d'.repeat(3000)}${nth * NAMES_AT_ONCE + index}`,
    longname: '',
    attrs: DIRECTORY,
  }));
}

const LONG: FileEntry[] = [
  { filename: 'd'.repeat(LONG_NAME), longname: '', attrs: DIRECTORY },
  { filename: `l${'é'.repeat(3000)}`, longname: '', attrs: LINK },
  { filename: 'plain', longname: 'x'.repeat(100_000), attrs: FILE },
];

/** `/wide` has directories without end, which do not open, `/long` names that are too long, `/far` leads to a path that is too long. */
function hostileTree() {
  const removed: string[] = [];
  return {
    removed,
    sftp(sftp: SFTPWrapper) {
      const handles = new Map<string, { path: string; nth: number }>();
      const attributesOf = (path: string) => (path.endsWith('plain') ? FILE : DIRECTORY);
      sftp.on('REALPATH', (id, path) => {
        const filename = path === '/far' ? `/${'f'.repeat(LONG_NAME)}` : path;
        sftp.name(id, [{ filename, longname: '', attrs: DIRECTORY }]);
      });
      sftp.on('STAT', (id, path) => sftp.attrs(id, attributesOf(path)));
      sftp.on('LSTAT', (id, path) => sftp.attrs(id, attributesOf(path)));
      sftp.on('READLINK', (id) =>
        sftp.name(id, [{ filename: 'l'.repeat(LONG_NAME), longname: '', attrs: LINK }]),
      );
      sftp.on('OPENDIR', (id, path) => {
        if (path.startsWith('/wide/')) return; // never answered
        const handle = `h${handles.size}`;
        handles.set(handle, { path, nth: 0 });
        sftp.handle(id, Buffer.from(handle));
      });
      sftp.on('READDIR', (id, handle) => {
        const open = handles.get(handle.toString());
        const nth = open ? open.nth++ : 0;
        if (open?.path === '/wide' && nth < BATCHES) sftp.name(id, wideBatch(nth));
        else if (open?.path === '/long' && nth === 0) sftp.name(id, LONG);
        else sftp.status(id, END);
      });
      const remove = (id: number, path: string) => {
        removed.push(path);
        sftp.status(id, 0);
      };
      sftp.on('SETSTAT', (id) => sftp.status(id, 0));
      sftp.on('REMOVE', remove);
      sftp.on('RMDIR', remove);
      sftp.on('CLOSE', (id) => sftp.status(id, 0));
    },
  };
}

const tree = hostileTree();
let host: HostileHost;
let remote: FileSession;
beforeAll(async () => {
  host = await startHostileHost(tree);
});
beforeEach(async () => {
  remote = await worker().files.open(host.target);
});
afterAll(() => host.stop());

async function drained(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items) await setImmediate();
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const TOO_MANY = { code: 'sftp_failed', detail: 'The directory has too many subdirectories' };
const calm = { signal: NEVER };

describe('a tree with more names than fit into memory', () => {
  it.each([
    ['recursive chmod', () => remote.changeMode('/wide', 0o755, { recursive: true, ...calm })],
    ['delete', () => remote.remove('/wide', calm)],
    ['walk', () => drained(remote.walk('/wide', calm))],
    ['archive', () => drained(remote.archive([{ name: 'wide', path: '/wide' }], calm))],
  ])('ends a %s', { timeout: 180_000 }, async (_what, work) => {
    expect(await failureOf(work())).toMatchObject(TOO_MANY);
  });

  it('is not removed in part', () => {
    expect(tree.removed).toEqual([]);
  });
});

describe('a name or a path of more than 4,096 bytes', () => {
  const SHOWN = `${'d'.repeat(250)}…`;

  it('is listed by its beginning, and cannot be addressed', async () => {
    const entries = await remote.list('/long');
    expect(entries.map(({ name, addressable }) => [name, addressable])).toEqual([
      [SHOWN, false],
      [`l${'é'.repeat(124)}…`, false],
      ['plain', true],
    ]);
  });

  it('is not entered by a walk', async () => {
    const walked = await collected(remote.walk('/long', calm));
    expect(walked.map(({ relative, problem }) => [relative, problem !== undefined])).toEqual([
      ['', false],
      [SHOWN, true],
      [expect.stringMatching(/^l/), true],
      ['plain', false],
    ]);
  });

  it('keeps a tree from being removed', async () => {
    expect(await failureOf(remote.remove('/long', calm))).toMatchObject({ code: 'unaddressable_name' });
  });

  it('refuses a path that leads there, and a link', async () => {
    expect(await failureOf(remote.realpath('/far'))).toMatchObject({ code: 'unaddressable_name' });
  });
});
