import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { FileSession } from '#core/ports/files.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, NEVER, targetTo, worker } from '../../setup.ts';
import { pathOf, plant } from '../trees.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const session = (): Promise<FileSession> => worker().files.open(targetTo(sshd));

interface Wanted {
  readonly text: string;
  readonly limit?: number;
  readonly longest_ms?: number;
  readonly signal?: AbortSignal;
}

async function search(path: string, { text, limit = 100, longest_ms = 20_000, signal = NEVER }: Wanted) {
  const { entries, truncated } = await (await session()).search(path, { text, limit, longest_ms, signal });
  return { truncated, entries, paths: entries.map((entry) => entry.path.slice(path.length + 1)) };
}

describe('a search by name', () => {
  it('finds parts of names ignoring case, directories first, with real paths', async () => {
    const folder = plant(sshd, 'mkdir -p a/Report b/c; touch a/old-REPORT.txt b/c/report b/other report-1');
    const { truncated, paths } = await search(folder, { text: 'rePort' });
    expect(truncated).toBe(false);
    expect(paths).toEqual(['a/Report', 'a/old-REPORT.txt', 'b/c/report', 'report-1']);
  });

  it('describes what it finds as a listing does', async () => {
    const folder = plant(sshd, 'mkdir sub target; echo hello > sub/hit-file; ln -s ../target sub/hit-link');
    const { entries } = await search(folder, { text: 'hit' });
    const listed = await (await session()).list(join(folder, 'sub'));
    expect(entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      listed.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
  });

  it('finds links, but follows none', async () => {
    const folder = plant(sshd, 'mkdir real; touch real/needle; ln -s real needle-link; ln -s .. real/up');
    expect((await search(folder, { text: 'needle' })).paths).toEqual(['needle-link', 'real/needle']);
  });

  it('treats Unicode compositions of a name as equal', async () => {
    const folder = plant(sshd);
    writeFileSync(join(folder, 'cafe\u0301'), '');
    writeFileSync(join(folder, 'CAF\u00c9'), '');
    expect((await search(folder, { text: 'caf\u00e9' })).paths).toHaveLength(2);
  });

  it('finds names that are not UTF-8', async () => {
    const folder = plant(sshd);
    mkdirSync(pathOf(folder, '\xe9'));
    writeFileSync(pathOf(folder, '\xe9/hit\xe9'), '');
    expect((await search(folder, { text: 'HIT' })).entries).toMatchObject([
      { path: `bytes:${folder}/%E9/hit%E9`, addressable: true },
    ]);
  });

  it('skips directories that it may not read', async () => {
    const folder = plant(sshd, 'mkdir closed open; touch open/needle');
    execFileSync('sh', ['-c', 'chown root: closed; chmod 700 closed'], { cwd: folder });
    expect(await search(folder, { text: 'needle' })).toMatchObject({
      truncated: false,
      paths: ['open/needle'],
    });
  });

  it('is truncated at the limit, and says so only when there is more', async () => {
    const folder = plant(sshd, 'touch hit-{1..20}');
    expect(await search(folder, { text: 'hit', limit: 20 })).toMatchObject({ truncated: false });
    const { truncated, paths } = await search(folder, { text: 'hit', limit: 19 });
    expect([truncated, paths.length]).toEqual([true, 19]);
  });

  it('searches near the root first', async () => {
    const folder = plant(sshd);
    mkdirSync(join(folder, 'a/b/c/d/e'), { recursive: true });
    for (let nth = 0; nth < 50; nth += 1) writeFileSync(join(folder, 'a/b/c/d/e', `hit-${nth}`), '');
    writeFileSync(join(folder, 'zz-hit'), '');
    execFileSync('chown', ['-R', `${sshd.username}:`, folder]);
    expect((await search(folder, { text: 'hit', limit: 1 })).paths).toEqual(['zz-hit']);
  });

  it('ends when its time is up, with the results so far', async () => {
    const remote = await session();
    const options = { text: 'no such name anywhere', limit: 10, longest_ms: 1, signal: NEVER };
    expect(await remote.search('/usr', options)).toEqual({ entries: [], truncated: true });
  });

  it('stops at once when it is aborted, with the reason', async () => {
    const remote = await session();
    const controller = new AbortController();
    const options = { text: 'no such name', limit: 10, longest_ms: 60_000, signal: controller.signal };
    const work = failureOf(remote.search('/usr', options));
    controller.abort(new Fault('session_not_found'));
    expect(await work).toMatchObject({ code: 'session_not_found' });
  });
});
