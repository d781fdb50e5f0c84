import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FileSession } from '#core/ports/files.ts';
import { startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, NEVER, targetTo, worker } from '../../setup.ts';
import { DIR, startSwappingHost } from '../swapping-host.ts';

const over = { overwrite: true };

async function* content() {
  yield Buffer.from('NEW');
}

/** An sshd that refuses these requests, with a file on it. */
async function hostWithout(requests: string) {
  const sshd = await startSshd({ sftp: `internal-sftp -P ${requests}` });
  onTestFinished(() => sshd.stop());
  const folder = join(sshd.folder, 'turns');
  const [target, part] = [join(folder, 'target'), join(folder, 'part')];
  mkdirSync(folder);
  writeFileSync(target, 'OLD');
  for (const path of [folder, target]) chownSync(path, sshd.uid, sshd.uid);
  const session = await worker().files.open(targetTo(sshd));
  await session.createPart(part, { is_private: true });
  await session.appendPart(part, 0, content(), { signal: NEVER });
  return { folder, target, part, session };
}

describe('A host that cannot rename over an existing file', () => {
  it('gets the new content in place of the old one, with nothing left beside it', async () => {
    const { folder, target, part, session } = await hostWithout('posix-rename');
    await session.placePart(part, target, over);
    expect([readdirSync(folder), readFileSync(target, 'utf8')]).toEqual([['target'], 'NEW']);
  });

  it('has the file itself written when it cannot rename at all', async () => {
    const { folder, target, part, session } = await hostWithout('posix-rename,rename');
    await session.placePart(part, target, over);
    expect([readdirSync(folder), readFileSync(target, 'utf8')]).toEqual([['target'], 'NEW']);
  });

  it.each<[string, (session: FileSession) => Promise<void>]>([
    ['a file is placed', (session) => session.placePart(`${DIR}/part`, `${DIR}/old`, over)],
    ['a file is renamed', (session) => session.rename(`${DIR}/part`, `${DIR}/old`, over)],
  ])('says where the old content is when it cannot be put back: %s', async (_what, work) => {
    const { session, changes } = await startSwappingHost({ refuses: (_change, nth) => nth >= 1 });
    const failure = await failureOf(work(session));
    const aside = /^RENAME \S+ (\S+)$/.exec(changes[0] ?? '')?.[1];
    expect(failure.code).toBe('sftp_failed');
    expect(failure.detail).toContain(`The old content could not be put back: it is in ${aside}`);
  });

  it.each<[string, (session: FileSession) => Promise<void>]>([
    ['the new content', (session) => session.placePart(`${DIR}/part`, `${DIR}/old`, over)],
    ['what is renamed', (session) => session.rename(`${DIR}/part`, `${DIR}/old`, over)],
  ])('gets the old content back when %s cannot replace it', async (_what, work) => {
    const { session, changes } = await startSwappingHost({ refuses: (_change, nth) => nth === 1 });
    expect(await failureOf(work(session))).toMatchObject({ code: 'sftp_failed' });
    const aside = /^RENAME \S+ (\S+)$/.exec(changes[0] ?? '')?.[1];
    expect(changes).toEqual([
      `RENAME ${DIR}/old ${aside}`,
      `RENAME ${DIR}/part ${DIR}/old`,
      `RENAME ${aside} ${DIR}/old`,
    ]);
  });
});
