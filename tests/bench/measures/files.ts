import { chown, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compare } from '../compare.ts';
import { startDelay } from '../delay.ts';
import { type Row, row } from '../measure.ts';
import { curlGet, curlPost, sftp } from '../programs.ts';
import type { Scene } from '../scene.ts';
import { measureLoad } from './load.ts';
import { measureSmallFiles } from './small-files.ts';
import { measureTrees } from './trees.ts';

const FILE_BYTES = 512 * 1024 * 1024;
const DISTANT_ONE_WAY_MS = 10;
const MEGABYTE = 1e6;

/** SFTP against `sftp` itself, locally and over a slow connection. */
export async function measureFiles(scene: Scene): Promise<Row[]> {
  const blob = await makeSparse(join(scene.sshd.folder, 'blob'), FILE_BYTES);
  const delay = await startDelay(scene.sshd.port, DISTANT_ONE_WAY_MS);
  try {
    const distant = { ...scene.access, port: delay.port };
    const distant_id = await scene.gateway.addServer({ ...scene.sshd, port: delay.port }, 'distant');
    const load = await measureLoad(scene, blob); // First, because a process keeps the memory it once had.
    return [
      ...(await measureTransfers({ ...scene, blob }, '', ['>= 0.9', '>= 0.9'])),
      ...(await measureTransfers({ ...scene, blob, access: distant, server_id: distant_id }, ', 20 ms', [
        '>= 2.0',
        '>= 2.0',
      ])),
      await measureSmallFiles(scene, ''),
      await measureSmallFiles({ ...scene, access: distant, server_id: distant_id }, ', 20 ms'),
      ...load,
      ...(await measureTrees(scene)),
    ];
  } finally {
    delay.stop();
  }
}

type Transfers = Pick<Scene, 'gateway' | 'server_id' | 'access' | 'sshd'> & { readonly blob: string };

async function measureTransfers(
  { gateway, server_id, access, sshd, blob }: Transfers,
  where: string,
  [want_down, want_up]: readonly [string, string],
): Promise<Row[]> {
  const rate = (seconds: number) => FILE_BYTES / MEGABYTE / seconds;
  const { token } = gateway;
  const folder = join(blob, '..', 'uploaded');
  await makeFolder(folder, sshd.uid);
  const get = async () => rate(await curlGet(gateway.fileUrl(server_id, 'download', blob), token));
  const put = async () => rate(await curlPost(gateway.fileUrl(server_id, 'upload', folder), token, blob));
  await get(); // From here on the connection is pooled, as in normal use.
  const down = await compare(async () => rate(await sftp(access, `get ${blob} /dev/null`)), get);
  const up = await compare(async () => rate(await sftp(access, `put ${blob} ${folder}/theirs`)), put);
  return [
    row(`download 512 MiB${where}`, 'MB/s', { ...down, want: want_down }),
    row(`upload 512 MiB${where}`, 'MB/s', { ...up, want: want_up }),
  ];
}

async function makeFolder(path: string, uid: number): Promise<void> {
  await mkdir(path, { recursive: true });
  await chown(path, uid, uid);
}

async function makeSparse(path: string, bytes: number): Promise<string> {
  await writeFile(path, '');
  await truncate(path, bytes);
  return path;
}
