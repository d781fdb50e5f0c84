import { readdir, readFile } from 'node:fs/promises';

/** Whether a process of this machine has these arguments, also one that has outlived its connection. */
export async function runs(argv: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.some((line) => line.split('\0').join(' ').trim() === argv);
}
