import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { FileSession, Walked } from '#core/ports/files.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, NEVER, targetTo, worker } from '../../setup.ts';
import { DIR, startSwappingHost } from '../swapping-host.ts';
import { HOSTILE_NAMES, pathOf, plant } from '../trees.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const session = (): Promise<FileSession> => worker().files.open(targetTo(sshd));

async function walked(path: string, signal = NEVER, remote = session()): Promise<Walked[]> {
  const all: Walked[] = [];
  for await (const one of (await remote).walk(path, { signal })) all.push(one);
  return all;
}

const problems = (all: readonly Walked[]) =>
  all.filter(({ problem }) => problem !== undefined).map(({ relative, problem }) => [relative, problem]);

describe('a walk', () => {
  it('yields the root first, and every directory before its contents', async () => {
    const folder = plant(
      sshd,
      'mkdir -p a/b/c d{1..40}/{x,y}/z; touch a/f a/b/g d7/x/z/h; ln -s a link; mkfifo pipe',
    );
    const all = await walked(folder);
    expect(all[0]).toMatchObject({ path: folder, relative: '', stat: { kind: 'directory' } });
    const found = execFileSync('find', ['.', '-mindepth', '1', '-printf', '%P\\n'], { cwd: folder });
    const expected = found.toString().trim().split('\n').sort();
    expect(
      all
        .slice(1)
        .map(({ relative }) => relative)
        .sort(),
    ).toEqual(expected);
    const seen = new Set<string>();
    for (const { relative, path } of all) {
      const parent = relative.split('/').slice(0, -1).join('/');
      expect(parent === '' || seen.has(parent)).toBe(true);
      expect(path).toBe(relative === '' ? folder : join(folder, relative));
      seen.add(relative);
    }
    expect(all.find(({ relative }) => relative === 'link')?.stat?.kind).toBe('symlink');
    expect(all.find(({ relative }) => relative === 'pipe')?.stat?.kind).toBe('other');
  });

  it('of a file yields that file', async () => {
    const folder = plant(sshd, 'echo hello > file');
    expect(await walked(join(folder, 'file'))).toMatchObject([
      { relative: '', stat: { kind: 'file', size: 6 } },
    ]);
  });

  it('of a missing path reports it', async () => {
    expect(problems(await walked(join(plant(sshd), 'missing')))).toEqual([['', 'No such file or directory']]);
  });

  it('never follows a link, so that cycles end', async () => {
    const folder = plant(sshd, 'mkdir a; ln -s .. a/up; ln -s . here; ln -s / root');
    expect((await walked(folder)).map(({ relative }) => relative).sort()).toEqual([
      '',
      'a',
      'a/up',
      'here',
      'root',
    ]);
  });

  it('reports what it may not read and continues', async () => {
    const folder = plant(sshd, 'mkdir closed open; touch open/file');
    execFileSync('sh', ['-c', 'chown root: closed; chmod 700 closed'], { cwd: folder });
    const all = await walked(folder);
    expect(problems(all)).toEqual([['closed', 'Permission denied by the server']]);
    expect(all.map(({ relative }) => relative)).toContain('open/file');
  });

  it('enters directories with names that are not UTF-8', async () => {
    const folder = plant(sshd);
    mkdirSync(pathOf(folder, 'caf\xe9'));
    writeFileSync(pathOf(folder, 'caf\xe9/\xff'), '');
    const all = await walked(folder);
    expect(problems(all)).toEqual([]);
    expect(all.map(({ path }) => path)).toEqual([
      folder,
      `bytes:${folder}/caf%E9`,
      `bytes:${folder}/caf%E9/%FF`,
    ]);
  });

  it('reports names that cannot be addressed', async () => {
    const host = await startSwappingHost({ names: ['a/../../b'] });
    expect(problems(await walked(DIR, NEVER, Promise.resolve(host.session)))).toEqual([
      [
        'a/../../b',
        'This name cannot be used: it is not UTF-8, is empty, is longer than 4,096 bytes, or contains a slash or NUL',
      ],
    ]);
  });

  it('handles hostile names', async () => {
    const folder = plant(sshd);
    for (const name of HOSTILE_NAMES) writeFileSync(join(folder, name), '');
    const found = (await walked(folder)).slice(1).map(({ relative }) => relative);
    expect(found.sort()).toEqual([...HOSTILE_NAMES].sort());
  });

  it('reads ahead only as far as it is consumed', async () => {
    const folder = plant(sshd, 'mkdir d{1..100}; touch d{1..100}/{1..30}');
    const steps = (await session()).walk(folder, { signal: NEVER })[Symbol.asyncIterator]();
    for (let taken = 0; taken < 1000; taken += 1) await steps.next();
    await steps.return?.();
    expect(await steps.next()).toEqual({ done: true, value: undefined });
  });

  it('stops at once when it is aborted, with the reason', async () => {
    const folder = plant(sshd, 'seq 5000 | xargs touch');
    const controller = new AbortController();
    const steps = (await session()).walk(folder, { signal: controller.signal })[Symbol.asyncIterator]();
    await steps.next();
    controller.abort(new Fault('session_not_found'));
    const drain = async () => {
      while (!(await steps.next()).done);
    };
    expect(await failureOf(drain())).toMatchObject({ code: 'session_not_found' });
  });

  it('fails when the host is lost', async () => {
    const own = await startSshd();
    const folder = plant(own, 'mkdir d{1..200}; touch d{1..200}/{1..50}');
    const remote = await worker().files.open(targetTo(own));
    const steps = remote.walk(folder, { signal: NEVER })[Symbol.asyncIterator]();
    await steps.next();
    await own.killSessions();
    const drain = async () => {
      while (!(await steps.next()).done);
    };
    expect(await failureOf(drain())).toMatchObject({ code: 'host_disconnected' });
    await own.stop();
  });
});
