import { randomBytes } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compare } from '../compare.ts';
import { type Row, row } from '../measure.ts';
import { curlPost, sftp } from '../programs.ts';
import type { Scene } from '../scene.ts';

const FILES = 500;
const FILE_BYTES = 4096;

/** A form of many small files, against `sftp put -r`. */
export async function measureSmallFiles(
  { gateway, server_id, access, sshd }: Pick<Scene, 'gateway' | 'server_id' | 'access' | 'sshd'>,
  where: string,
): Promise<Row> {
  const paths = await makeFiles(join(sshd.folder, 'form'));
  const folder = join(sshd.folder, 'form-uploaded');
  await mkdir(folder, { recursive: true });
  await chown(folder, sshd.uid, sshd.uid);
  const url = gateway.fileUrl(server_id, 'upload', folder);
  const put = () => curlPost(url, gateway.token, ...paths);
  await put(); // From here on the connection is pooled, as in normal use.
  const times = await compare(
    async () => (await sftp(access, `put -r ${join(sshd.folder, 'form')} ${folder}/theirs`)).seconds,
    put,
  );
  return row(`upload ${FILES} × 4 KiB${where}`, 's', { ...times, want: '<= 1.2' });
}

async function makeFiles(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths = Array.from({ length: FILES }, (_, nth) => join(folder, `file-${nth}`));
  for (const path of paths) await writeFile(path, randomBytes(FILE_BYTES));
  return paths;
}
