import { memory, quantileOf, type Row, row } from '../measure.ts';
import { curlGet } from '../programs.ts';
import type { Scene } from '../scene.ts';

const LOOKS = 40;

/** The cost of downloads: memory, and the time of a listing next to them. */
export async function measureLoad(scene: Scene, blob: string): Promise<Row[]> {
  const { gateway, server_id } = scene;
  const get = () => curlGet(gateway.fileUrl(server_id, 'download', blob), gateway.token);
  await timeListing(scene); // Connected, with nothing downloaded yet.
  const before = memory.reset(gateway.pid);
  const growthOf = async (count: number) => {
    await Promise.all(Array.from({ length: count }, get));
    return memory.peak(gateway.pid) - before;
  };
  const one = await growthOf(1);
  const eight = await growthOf(8);
  const listings = await whileRunning(Promise.all(Array.from({ length: 4 }, get)), () => timeListing(scene));
  return [
    row('memory growth, one download', 'MiB', { ours: one, want: '<= 64' }),
    row('memory growth, eight downloads', 'MiB', { ours: eight, want: '<= 192' }),
    row('listing during four downloads, median', 'ms', { ours: quantileOf(listings, 0.5), want: '<= 200' }),
    row('listing during four downloads, slowest', 'ms', { ours: Math.max(...listings), want: '<= 200' }),
  ];
}

/** Looks again and again until it is over. */
export async function whileRunning(
  running: Promise<unknown>,
  look: () => Promise<number>,
): Promise<number[]> {
  let is_running = true;
  const over = running.finally(() => {
    is_running = false;
  });
  const times: number[] = [];
  while (is_running && times.length < LOOKS) times.push(await look());
  await over;
  return times;
}

async function timeListing({ gateway, server_id, sshd }: Scene): Promise<number> {
  const started = performance.now();
  const answer = await fetch(gateway.fileUrl(server_id, 'ls', sshd.folder), {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`A listing was answered with ${answer.status}`);
  return performance.now() - started;
}
