import { chown, mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTurn } from '../compare.ts';
import { startDelay } from '../delay.ts';
import { median, type Row, row } from '../measure.ts';
import { cpuWhile } from '../processor.ts';
import { curlGet, curlPost, sftp, type Used } from '../programs.ts';
import { IS_QUICK } from '../quick.ts';
import type { Scene } from '../scene.ts';
import { measureLoad } from './load.ts';
import { measureSmallFiles } from './small-files.ts';
import { measureTrees } from './trees.ts';

const FILE_MIB = IS_QUICK ? 128 : 512;
const FILE_BYTES = FILE_MIB * 1024 * 1024;
const DISTANT_ONE_WAY_MS = 10;
const MEGABYTE = 1e6;
const GIGABYTE = 1e9;

/** SFTP against `sftp` itself, locally and over a slow connection. */
export async function measureFiles(scene: Scene): Promise<Row[]> {
  const blob = await makeSparse(join(scene.sshd.folder, 'blob'), FILE_BYTES);
  const delay = await startDelay(scene.sshd.port, DISTANT_ONE_WAY_MS);
  try {
    const distant = { ...scene.access, port: delay.port };
    const distant_id = await scene.gateway.addServer({ ...scene.sshd, port: delay.port }, 'distant');
    const load = IS_QUICK ? [] : await measureLoad(scene, blob); // First, because a process keeps the memory it once had.
    return [
      ...(await measureTransfers({ ...scene, blob }, '', NEAR)),
      ...(await measureTransfers({ ...scene, blob, access: distant, server_id: distant_id }, ', 20 ms', FAR)),
      await measureSmallFiles(scene, ''),
      ...(IS_QUICK
        ? []
        : [await measureSmallFiles({ ...scene, access: distant, server_id: distant_id }, ', 20 ms')]),
      ...load,
      ...(IS_QUICK ? [] : await measureTrees(scene)),
    ];
  } finally {
    delay.stop();
  }
}

interface Wants {
  readonly down: string;
  readonly up: string;
  readonly down_cpu: string;
  readonly up_cpu: string;
}

const NEAR: Wants = { down: '>= 0.95', up: '>= 0.95', down_cpu: '<= 1.25', up_cpu: '<= 1.3' };
const FAR: Wants = { down: '>= 2.0', up: '>= 2.0', down_cpu: '<= 1.5', up_cpu: '<= 1.5' };

type Transfers = Pick<Scene, 'gateway' | 'server_id' | 'access' | 'sshd'> & { readonly blob: string };

async function measureTransfers(
  { gateway, server_id, access, sshd, blob }: Transfers,
  where: string,
  wants: Wants,
): Promise<Row[]> {
  const { token } = gateway;
  const folder = join(blob, '..', 'uploaded');
  await makeFolder(folder, sshd.uid);
  const get = () => curlGet(gateway.fileUrl(server_id, 'download', blob), token);
  const put = () => curlPost(gateway.fileUrl(server_id, 'upload', folder), token, blob);
  await get(); // From here on the connection is pooled, as in normal use.
  const down = await transfers(() => sftp(access, `get ${blob} /dev/null`), gateway.pid, get);
  const up = await transfers(() => sftp(access, `put ${blob} ${folder}/theirs`), gateway.pid, put);
  const size = `${FILE_MIB} MiB`;
  return [
    row(`download ${size}${where}`, 'MB/s', { ...down.rate, want: wants.down }),
    row(`upload ${size}${where}`, 'MB/s', { ...up.rate, want: wants.up }),
    row(`processor time per GB, download${where}`, 's', { ...down.cpu, want: wants.down_cpu }),
    row(`processor time per GB, upload${where}`, 's', { ...up.cpu, want: wants.up_cpu }),
  ];
}

interface Compared {
  readonly theirs: number;
  readonly ours: number;
}

/** Megabytes a second, and seconds of processor time per gigabyte, of `sftp` with its `ssh` and of the gateway. */
async function transfers(
  theirs: () => Promise<Used>,
  pid: number,
  ours: () => Promise<number>,
): Promise<{ rate: Compared; cpu: Compared }> {
  const found = await inTurn<Used>([theirs, () => usedBy(pid, ours)]);
  const medians = (key: keyof Used) => found.map((one) => median(one.map((used) => used[key])));
  const [theirs_s = 0, ours_s = 0] = medians('seconds');
  const [theirs_cpu = 0, ours_cpu = 0] = medians('cpu_s').map((cpu_s) => (cpu_s * GIGABYTE) / FILE_BYTES);
  const rate = (seconds: number) => FILE_BYTES / MEGABYTE / seconds;
  return {
    rate: { theirs: rate(theirs_s), ours: rate(ours_s) },
    cpu: { theirs: theirs_cpu, ours: ours_cpu },
  };
}

async function usedBy(pid: number, work: () => Promise<number>): Promise<Used> {
  let seconds = 0;
  const cpu_s = await cpuWhile(pid, async () => {
    seconds = await work();
  });
  return { seconds, cpu_s };
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
