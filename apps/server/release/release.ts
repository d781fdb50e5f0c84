// `npm run release -- 0.7.0`, with `--dry-run` to see what it would do.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildArtifacts } from './artifacts.ts';
import { unreleased, withVersion } from './changelog.ts';
import { addedColumns, formatReleases, type Releases } from './schema.ts';
import { createTools, type Tools } from './tools.ts';

const CHANGELOG = 'CHANGELOG.md';
const RELEASED = 'db/schema/released.json';
const API_FILES = ['docs/openapi.json', 'apps/client/schema.gen.ts', 'apps/api/released.json'];
const CHANGED = ['package.json', 'package-lock.json', CHANGELOG, RELEASED, ...API_FILES];

interface Step {
  readonly title: string;
  act(): Promise<void> | void;
}

const numbers = (version: string) => version.split('.').map(Number);

function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [numbers(version), numbers(than)];
  const at = ours.findIndex((number, index) => number !== theirs[index]);
  return at >= 0 && (ours[at] ?? 0) > (theirs[at] ?? 0);
}

/** Why this version cannot be released from this tree. */
async function obstacles({ root, read }: Tools, version: string): Promise<string[]> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`"${version}" is not a version such as 0.7.0`];
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const found: string[] = [];
  if (!isNewer(version, manifest.version)) found.push(`${version} is not newer than ${manifest.version}`);
  if ((await read('git', 'status', '--porcelain')) !== '')
    found.push('The tree has changes that are not committed');
  if ((await read('git', 'branch', '--show-current')) === '')
    found.push('The tree is on no branch, which would keep the commit');
  if ((await read('git', 'tag', '--list', `v${version}`)) !== '') found.push(`The tag v${version} exists`);
  if (unreleased(readFileSync(join(root, CHANGELOG), 'utf8')) === '') {
    found.push(`${CHANGELOG} says nothing under Unreleased`);
  }
  return found;
}

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** A version that changes no table has no entry. */
function withColumns(text: string, version: string): string {
  const releases: Releases = JSON.parse(text);
  const added = addedColumns(releases);
  return Object.keys(added).length === 0 ? text : formatReleases({ ...releases, [version]: added });
}

function stepsOf(tools: Tools, version: string): Step[] {
  const { root, run } = tools;
  return [
    {
      title: `set the version ${version} in package.json and package-lock.json`,
      act: () => run('npm', 'version', version, '--no-git-tag-version'),
    },
    {
      title: `move what is unreleased below ${version} in ${CHANGELOG}`,
      act: () => rewrite(join(root, CHANGELOG), (text) => withVersion(text, version)),
    },
    {
      title: `list the columns that ${version} adds in ${RELEASED}`,
      act: () => rewrite(join(root, RELEASED), (text) => withColumns(text, version)),
    },
    {
      title: `name ${version} in docs/openapi.json, and promise to keep it in apps/api/released.json`,
      async act() {
        await run('npm', 'run', 'client');
        await run('npm', 'run', 'release:api');
      },
    },
    { title: 'npm run check', act: () => run('npm', 'run', 'check') },
    {
      title: 'build packages, bill of materials and SHA256SUMS in dist/release',
      act: () => buildArtifacts(tools, version),
    },
    {
      title: `commit, and tag v${version}`,
      async act() {
        await run('git', 'commit', '--quiet', '--message', `build: release ${version}`, '--', ...CHANGED);
        await run('git', 'tag', '--annotate', `v${version}`, '--message', `Sallyport ${version}`);
      },
    },
  ];
}

async function carryOut({ run }: Tools, steps: readonly Step[], say: (line: string) => void): Promise<void> {
  try {
    for (const { title, act } of steps) {
      say(`- ${title}`);
      await act();
    }
  } catch (error) {
    await run('git', 'checkout', '--quiet', '--', ...CHANGED);
    throw error;
  }
}

/** Releases the version, or with `--dry-run` only says what it would do. Returns the exit code. */
export async function release(
  args: readonly string[],
  root: string,
  say: (line: string) => void,
): Promise<number> {
  const tools = createTools(root);
  const [version = '', ...others] = args.filter((arg) => arg !== '--dry-run');
  const found = await obstacles(tools, version);
  for (const other of others) found.push(`Unknown argument "${other}": there is only --dry-run`);
  for (const obstacle of found) say(`release: ${obstacle}`);
  const steps = stepsOf(tools, version);
  if (args.includes('--dry-run')) for (const { title } of steps) say(`- ${title} (not done)`);
  if (found.length > 0) return 1;
  if (args.includes('--dry-run')) return 0;
  await carryOut(tools, steps, say);
  say(`Released ${version}. Publish it with: git push --follow-tags, and upload dist/release`);
  return 0;
}
