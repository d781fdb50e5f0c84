import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FileSession, Placed } from '#core/ports/files.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';
import { failureOf, NEVER, targetTo, worker } from '../../setup.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

let folders = 0;
/** A file of the account, alone in its directory. */
function ownFile(mode: number, content: string | Uint8Array = 'old'): string {
  folders += 1;
  const folder = join(sshd.folder, `rights-${folders}`);
  mkdirSync(folder);
  const path = join(folder, 'target');
  writeFileSync(path, content);
  chmodSync(path, mode);
  for (const one of [folder, path]) chownSync(one, sshd.uid, sshd.uid);
  return path;
}

async function* content() {
  yield Buffer.from('new');
}

function put(session: FileSession, target: string): Promise<Placed> {
  const part = join(target, '..', '.part');
  return session.putPart(part, content(), { target, overwrite: true, is_private: true, signal: NEVER });
}

/** As tus does: each request opens the part again. */
async function putInSteps(session: FileSession, target: string): Promise<void> {
  const part = join(target, '..', '.part');
  await session.createPart(part, { is_private: true });
  await session.appendPart(part, 0, content(), { signal: NEVER });
  await session.placePart(part, target, { overwrite: true });
}

const rules = [
  ['without rules', false],
  ['with allowed directories', true],
] as const;

const WAYS = rules.flatMap(([rule, is_confined]) => [
  [`at once, ${rule}`, put, is_confined] as const,
  [`in steps, ${rule}`, putInSteps, is_confined] as const,
]);

const sessionOf = (is_confined: boolean) => worker().files.open(targetTo(sshd), { is_confined });
const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' });
const aclOf = (path: string) => run('getfacl', '--absolute-names', path);
const attributesOf = (path: string) => run('getfattr', '--absolute-names', '--dump', path);
const modeOf = (path: string) => statSync(path).mode & 0o7777;

describe('A file that is overwritten', () => {
  it.each(WAYS)('keeps its access list and its attributes: %s', async (_what, write, is_confined) => {
    const path = ownFile(0o640);
    run('setfacl', '-m', 'u:nobody:rw', path);
    run('setfattr', '-n', 'user.origin', '-v', 'here', path);
    const before = [aclOf(path), attributesOf(path)];
    expect(before.join()).toMatch(/user:nobody:rw-[\s\S]*user\.origin/);
    await write(await sessionOf(is_confined), path);
    expect([aclOf(path), attributesOf(path)]).toEqual(before);
    expect([readFileSync(path, 'utf8'), readdirSync(join(path, '..'))]).toEqual(['new', ['target']]);
  });

  it.each(WAYS)(
    'takes nothing from the default list of its directory: %s',
    async (_what, write, is_confined) => {
      const path = ownFile(0o660);
      run('setfacl', '-d', '-m', 'u:nobody:rw', join(path, '..'));
      const before = aclOf(path);
      await write(await sessionOf(is_confined), path);
      expect([aclOf(path), readFileSync(path, 'utf8')]).toEqual([before, 'new']);
    },
  );

  it.each(WAYS)('is refused if it is write-protected: %s', async (_what, write, is_confined) => {
    const path = ownFile(0o444);
    const refused = failureOf(write(await sessionOf(is_confined), path).then(() => undefined));
    expect(await refused).toMatchObject({
      code: 'permission_denied',
      detail: expect.stringContaining('write-protected'),
    });
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['old', 0o444]);
  });

  it.each([0o644, 0o600, 0o755, 0o666])(
    'is replaced in one step if its mode hides no access list: %o',
    async (mode) => {
      const path = ownFile(mode);
      const { ino } = statSync(path);
      expect(await put(await sessionOf(false), path)).toEqual({
        size: 3,
        in_place: false,
        is_mode_kept: true,
      });
      expect([modeOf(path), statSync(path).ino === ino]).toEqual([mode, false]);
    },
  );

  it('that has another name outside the allowed directories gives its group nothing', async () => {
    const path = ownFile(0o640);
    run('setfacl', '-m', 'u:nobody:rw', path);
    linkSync(path, `${path}-other`);
    expect(modeOf(path)).toBe(0o660); // the mask of the list
    expect(await put(await sessionOf(true), path)).toMatchObject({ in_place: false, is_mode_kept: false });
    expect([modeOf(path), readFileSync(`${path}-other`, 'utf8')]).toEqual([0o600, 'old']);
  });

  it('keeps its hard links, unless only some directories are allowed', async () => {
    for (const [mode, is_confined, other] of [
      [0o644, false, 'new'],
      [0o644, true, 'old'],
    ] as const) {
      const path = ownFile(mode);
      linkSync(path, `${path}-other`);
      await put(await sessionOf(is_confined), path);
      expect(readFileSync(`${path}-other`, 'utf8')).toBe(other);
    }
  });

  it('may be a program that is running', async () => {
    const path = ownFile(0o755);
    copyFileSync('/bin/sleep', path);
    chmodSync(path, 0o755);
    const running = spawn(path, ['60']);
    onTestFinished(() => void running.kill());
    await once(running, 'spawn');
    expect(await put(await sessionOf(false), path)).toMatchObject({ in_place: false });
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', 0o755]);
  });
});
