import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

/** Version 0.6.0 has no tag and must be stopped before an update, so the first version to run beside is a commit. */
const FIRST = '39f86c23ae0b7ddcbfecac8c39761b46595cacb4';

const ROOT = new URL('../../../', import.meta.url).pathname;
const CACHE = join(ROOT, 'node_modules/.cache/releases');
/** The last version that was released, which must run beside this one. */
const RELEASED = lastTag() ?? FIRST;

function lastTag(): string | undefined {
  const args = ['describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^'];
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}

/** Everything that the server's build reads, and what an installation needs. */
const PATHS = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'apps', 'db'];

/** Why the released version cannot be built here; undefined if it can. */
export function whyNoRelease(): string | undefined {
  try {
    execFileSync('git', ['cat-file', '-e', `${RELEASED}^{tree}`], { cwd: ROOT, stdio: 'pipe' });
    return undefined;
  } catch (error) {
    const [reason] = (error instanceof Error && 'stderr' in error ? String(error.stderr) : '').split('\n');
    return `the Git history has no ${RELEASED.slice(0, 9)}: ${reason || 'git cannot be run'}`;
  }
}

/** The path of `start.mjs` of the released version, which is built once per checkout: its server without the pages. */
export async function releasedProgram(): Promise<string> {
  const folder = join(CACHE, RELEASED);
  if (!existsSync(folder)) {
    const built = await build();
    await rename(built, folder).catch(async (error: unknown) => {
      await rm(built, { recursive: true, force: true });
      if (!existsSync(folder)) throw error; // else another run was first
    });
  }
  return join(folder, 'apps/server/start.mjs');
}

/** Outside of node_modules, where a build would take sources for packages. */
async function build(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-release-'));
  try {
    await run('sh', ['-c', `git archive ${RELEASED} ${PATHS.join(' ')} | tar -x -C "$0"`, folder], {
      cwd: ROOT,
    });
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
    await run(process.execPath, [vite, 'build', '-c', 'apps/server/vite.config.ts'], { cwd: folder });
    return await install(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Without sources, as in an image: `start.mjs` then builds nothing. */
async function install(source: string): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'new-'));
  for (const path of ['package.json', 'package-lock.json', '.npmrc', 'dist/server', 'apps/server/start.mjs'])
    await cp(join(source, path), join(folder, path), { recursive: true });
  if (!(await hasPackagesOf(folder))) await installPackages(folder);
  return folder;
}

/** Begins with links to the packages of this checkout: native modules need not be compiled again. */
async function installPackages(folder: string): Promise<void> {
  const target = join(folder, 'node_modules');
  await mkdir(target);
  const present = (await readdir(join(ROOT, 'node_modules'))).filter((name) => !NOT_SHARED.has(name));
  await run('cp', ['-al', ...present.map((name) => join(ROOT, 'node_modules', name)), target]);
  await run('npm', ['install', '--no-save', '--omit=dev'], { cwd: folder });
}

/** npm writes to the second one in place, which would change ours. */
const NOT_SHARED = new Set(['.cache', '.package-lock.json']);

const Lock = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), dev: z.boolean().optional() })),
});

/** Whether this checkout has each package that the released server uses, in the same version. Node finds them there. */
async function hasPackagesOf(folder: string): Promise<boolean> {
  const [theirs, ours] = await Promise.all([packagesOf(folder), packagesOf(ROOT)]);
  return [...theirs].every(([path, version]) => ours.get(path) === version);
}

/** By path; without those for development. */
async function packagesOf(folder: string): Promise<Map<string, string | undefined>> {
  const { packages } = Lock.parse(JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')));
  const used = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
  return new Map(used.map(([path, { version }]) => [path, version]));
}
