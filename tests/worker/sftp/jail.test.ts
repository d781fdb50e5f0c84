import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { Operation } from '#core/policy/sftp-rules.ts';
import { makesFiles, OPERATIONS } from '#core/policy/sftp-rules.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { worker } from '../setup.ts';
import { type Act, accessTo } from './file-access.ts';
import { growFarm, isAllowedByOracle, type Random, randomFrom, randomPath } from './link-farm.ts';

const SEED = Number(process.env['JAIL_SEED'] ?? Date.now() % 1_000_000_007);
const FARMS = 10;
const LOOKS = 70;
const CHANGES = 36;

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

/** Everything outside, with mode and content. */
function snapshot(path: string): unknown {
  const stat = lstatSync(path);
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isSymbolicLink()) return ['link', readlinkSync(path)];
  if (!stat.isDirectory()) return ['file', mode, readFileSync(path, 'utf8')];
  return [
    'directory',
    mode,
    readdirSync(path)
      .sort()
      .map((name) => [name, snapshot(join(path, name))]),
  ];
}

interface Case {
  readonly operation: Operation;
  readonly paths: Readonly<Record<string, string>>;
}

interface Farm {
  readonly base: string;
  /** What was planted. */
  readonly grown: readonly string[];
}

const operations = Object.entries(OPERATIONS) as [Operation, (typeof OPERATIONS)[Operation]][];

function randomCase(random: Random, farm: Farm, writes: boolean): Case {
  const [operation, { paths }] = random.of(operations.filter(([, rule]) => rule.writes === writes));
  const chosen = Object.keys(paths).map((key) => [key, randomPath(random, farm.base, farm.grown)]);
  return { operation, paths: Object.fromEntries(chosen) };
}

/** Every fourth path is spelled in bytes, where `..` has escapes, too. */
function spelled(path: string): string {
  const inHex = (name: string) => Buffer.from(name).toString('hex').replaceAll(/../g, '%$&');
  return path.length % 4 > 0 ? path : `bytes:${path.split('/').map(inHex).join('/')}`;
}

/** The content it read, or the code of the refusal. */
async function outcomeOf(act: Act, { operation, paths }: Case): Promise<{ text: string; code?: string }> {
  try {
    const asked = Object.entries(paths).map(([key, path]) => [key, spelled(path)]);
    return { text: await act(operation, Object.fromEntries(asked)) };
  } catch (error) {
    if (error instanceof Fault) return { text: '', code: error.code };
    throw error;
  }
}

/** A file is created at the end of such a link: the snapshots prove that it is not outside. */
function leadsNowhere(named: string): boolean {
  const path = normalize(named).replace(/(?<=.)\/$/, '');
  if (existsSync(path)) return false;
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // nothing is there
  }
}

async function assertJailed(act: Act, base: string, one: Case): Promise<void> {
  const rules: Readonly<Record<string, string>> = OPERATIONS[one.operation].paths;
  const allowed = Object.entries(one.paths).every(([key, path]) =>
    isAllowedByOracle(base, rules[key] ?? '', path),
  );
  const follows = makesFiles(one.operation) && Object.values(one.paths).some(leadsNowhere);
  const { text, code } = await outcomeOf(act, one);
  const what = `seed ${SEED}: ${JSON.stringify(one)} answered ${code ?? 'ok'}`;
  expect(text.includes('OUTSIDE'), what).toBe(false);
  if (follows) return;
  if (allowed) expect(code, what).not.toBe('path_outside_allowed');
  else if (Object.keys(one.paths).length === 1) expect(code, what).toBe('path_outside_allowed');
  else expect(code, what).toBeDefined(); // The other path may be refused first, for its own reason.
}

describe('the allowed directories', () => {
  it('contain every operation whatever links exist, and refuse nothing inside', {
    timeout: 180_000,
  }, async () => {
    const random = randomFrom(SEED);
    const base = join(sshd.folder, 'farm');
    const act = accessTo(sshd, worker().files, [join(base, 'in'), join(base, 'second')]);
    for (let nth = 0; nth < FARMS; nth += 1) {
      const farm = { base, grown: growFarm(random, base, sshd.username) };
      const looks = Array.from({ length: LOOKS }, () => randomCase(random, farm, false));
      const lanes = Array.from({ length: 7 }, async (_, lane) => {
        for (const one of looks.filter((_case, index) => index % 7 === lane))
          await assertJailed(act, base, one);
      });
      await Promise.all(lanes);
      for (let change = 0; change < CHANGES; change += 1) {
        const one = randomCase(random, farm, true);
        const before = snapshot(join(base, 'out'));
        await assertJailed(act, base, one);
        expect(snapshot(join(base, 'out')), `seed ${SEED}: ${JSON.stringify(one)}`).toEqual(before);
      }
      expect(readdirSync(base).sort()).toEqual(['in', 'out', 'second', 'two']);
      rmSync(base, { recursive: true });
    }
  });
});
