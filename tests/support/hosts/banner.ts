import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sshd, startSshd } from './sshd.ts';

/** A real sshd with a banner (RFC 4252 §5.4). */
export async function startSshdWithBanner(text: string): Promise<Sshd> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-banner-'));
  const file = join(folder, 'banner');
  await writeFile(file, text);
  const sshd = await startSshd({ config: [`Banner ${file}`] });
  return {
    ...sshd,
    async stop() {
      await sshd.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
