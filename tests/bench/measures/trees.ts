import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare } from '../compare.ts';
import { type Row, row } from '../measure.ts';
import { curlGet, sftp } from '../programs.ts';
import type { Scene } from '../scene.ts';
import { whileRunning } from './load.ts';

const SMALL_FILES = 5000;
const SMALL_BYTES = 4096;
const LISTED_FILES = 10_000;
const CROWDED_FILES = 200_000;

/** Many small files as an archive, and a long listing. */
export async function measureTrees(scene: Scene): Promise<Row[]> {
  const { gateway, server_id, access, sshd } = scene;
  const small = await makeFiles(join(sshd.folder, 'small'), SMALL_FILES, Buffer.alloc(SMALL_BYTES, 'x'));
  const listed = await makeFiles(join(sshd.folder, 'listed'), LISTED_FILES, Buffer.alloc(0));
  const ask = (operation: string, path: string) => () =>
    curlGet(gateway.fileUrl(server_id, operation, path), gateway.token);
  const target = await mkdtemp(join(tmpdir(), 'sallyport-bench-'));
  const zip = await compare(
    async () => (await sftp(access, `get -r ${small} ${target}`)).seconds,
    ask('download-zip', small),
  );
  const ls = await compare(async () => (await sftp(access, `ls -l ${listed}`)).seconds, ask('ls', listed));
  await rm(target, { recursive: true });
  return [
    row('ZIP of 5,000 files of 4 KiB, against sftp get -r', 's', { ...zip, want: '<= 0.4' }),
    row('listing of 10,000, against sftp ls -l', 's', { ...ls, want: '<= 1.0' }),
    ...(await measureCrowdedDirectory(scene)),
  ];
}

/** How long everybody else waits while one user lists a very large directory. */
async function measureCrowdedDirectory({ gateway, server_id, sshd, access }: Scene): Promise<Row[]> {
  const crowded = await makeFiles(join(sshd.folder, 'crowded'), CROWDED_FILES, Buffer.alloc(0));
  const list = () => curlGet(gateway.fileUrl(server_id, 'ls', crowded), gateway.token);
  const waits = await whileRunning(list(), () => curlGet(`${gateway.url}/api/health`, gateway.token));
  const times = await compare(async () => (await sftp(access, `ls -l ${crowded}`)).seconds, list);
  return [
    row('listing of 200,000, against sftp ls -l', 's', { ...times, want: '<= 1.0' }),
    row('/api/health beside it, slowest', 'ms', { ours: Math.max(...waits) * 1000, want: '<= 250' }),
  ];
}

async function makeFiles(folder: string, count: number, content: Uint8Array): Promise<string> {
  await mkdir(folder);
  for (let index = 0; index < count; index += 1) await writeFile(join(folder, `file-${index}`), content);
  return folder;
}
