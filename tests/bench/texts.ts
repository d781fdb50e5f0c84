import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IS_QUICK } from './quick.ts';
import type { Text } from './terminal-shells.ts';

const MIB = 1024 * 1024;
const LINE = `${'The quick brown fox jumps over the lazy dog'.padEnd(63, '.')}\n`;

export interface Texts {
  readonly long: Text;
  readonly short: Text;
}

export async function writeTexts(folder: string): Promise<Texts> {
  const long_mib = IS_QUICK ? 64 : 256;
  return { long: await write(join(folder, 'long'), long_mib), short: await write(join(folder, 'short'), 32) };
}

async function write(path: string, mib: number): Promise<Text> {
  const piece = LINE.repeat(MIB / LINE.length);
  await writeFile(
    path,
    Array.from({ length: mib }, () => piece),
  );
  return { path, bytes: mib * MIB };
}
