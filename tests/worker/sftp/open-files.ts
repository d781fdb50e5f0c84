import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sshd } from '../../support/hosts/sshd.ts';

/** The files that sshd's session processes have open. */
export async function openFilesOf(sshd: Sshd): Promise<string[]> {
  const open: string[] = [];
  for (const pid of await sshd.sessionProcesses()) {
    const folder = `/proc/${pid}/fd`;
    const names = await readdir(folder).catch(() => []);
    for (const name of names) open.push(await readlink(join(folder, name)).catch(() => ''));
  }
  return open;
}
