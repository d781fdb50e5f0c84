import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileSession } from '#core/ports/files.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { NEVER, targetTo, worker } from '../../setup.ts';

let sshd: Sshd;
let session: FileSession;

beforeAll(async () => {
  sshd = await startSshd();
  await mkdir(join(sshd.folder, 'tree'));
  const names = Array.from({ length: 600 }, (_, index) => join(sshd.folder, 'tree', `file-${index}`));
  await Promise.all(names.map((name) => writeFile(name, 'x'.repeat(3000))));
});
afterAll(() => sshd?.stop());

describe('An abandoned archive', () => {
  it('sends no more requests and blocks nobody, whenever it is abandoned', async () => {
    session = await worker().files.open(targetTo(sshd));
    for (let turns = 0; turns < 40; turns += 1) {
      const roots = [{ path: join(sshd.folder, 'tree'), name: '' }];
      const reader = session.archive(roots, { signal: NEVER }).getReader();
      const pending = reader.read().catch(() => undefined);
      for (let turn = 0; turn < turns; turn += 1) await nextTurn(); // In a loop, the others would never get a turn.
      await reader.cancel();
      await pending;
    }
    expect((await session.list(sshd.folder)).map(({ name }) => name)).toEqual(['tree']);
    session.release();
  });
});
