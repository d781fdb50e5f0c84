#!/usr/bin/env node
// `npm start` and the `sallyport` command: installs and builds when needed, then runs in this process.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const INSTALL_STAMP = join(root, 'node_modules/.cache/sallyport/install');
const UNCOMPILED = join(root, 'node_modules/.cache/sallyport/uncompiled');
const BUILD_STAMP = join(root, 'dist/stamp');
const LOCK = join(root, '.setup.lock');
const LOCK_POLL_MS = 200;

/** A built image has no sources, only `dist` and packages. */
const isCheckout = () => existsSync(join(root, 'apps/server/main.ts'));

function* filesBelow(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function hashOf(paths) {
  const hash = createHash('sha256').update(process.versions.modules);
  for (const path of paths) hash.update(`\0${path.slice(root.length)}\0`).update(readFileSync(path));
  return hash.digest('hex');
}

const manifests = () => [join(root, 'package.json'), join(root, 'package-lock.json')];
const MANUAL = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  'docs',
  'tests/pictures',
];

/** The gateway serves the manual at `/help`. */
const manual = () =>
  MANUAL.map((name) => join(root, name))
    .flatMap((path) => (statSync(path).isDirectory() ? [...filesBelow(path)] : [path]))
    .sort();
const sources = () => [
  ...manifests(),
  ...manual(),
  ...[...filesBelow(join(root, 'apps')), ...filesBelow(join(root, 'db'))]
    .filter((path) => !path.endsWith('.md'))
    .sort(),
];

function isFresh(stamp, paths) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(paths);
}

function record(stamp, paths) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(`${stamp}.new`, hashOf(paths));
  renameSync(`${stamp}.new`, stamp); // another checkout may have the old one by a hard link
}

const tools = new Set();

async function runTool(what, command, args) {
  console.error(`sallyport: ${what}`);
  const env = { JOBS: 'max', ...process.env }; // node-gyp compiles on one processor unless told otherwise
  const tool = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], env });
  tools.add(tool);
  const failure = await new Promise((resolve) => {
    tool.once('error', (error) => resolve(error.message));
    tool.once('exit', (code) => resolve(code === 0 ? undefined : `exit ${code}`));
  });
  tools.delete(tool);
  if (failure !== undefined) throw new Error(`${what} failed: ${failure}`);
}

const isInstalled = () => isFresh(INSTALL_STAMP, manifests());
const isBuilt = () => isFresh(BUILD_STAMP, sources());

const INSTALL = ['install', '--no-save', '--include=dev']; // never rewrites the lock file

/** All that type checks and linters need. The next `install` compiles the native modules. */
async function unpack() {
  mkdirSync(dirname(UNCOMPILED), { recursive: true });
  writeFileSync(UNCOMPILED, '');
  await runTool('unpacking packages', 'npm', [...INSTALL, '--ignore-scripts']);
}

async function install() {
  if (isInstalled()) return;
  await runTool('installing packages (once; compiling native modules takes some minutes)', 'npm', INSTALL);
  if (existsSync(UNCOMPILED)) await runTool('compiling native modules', 'npm', ['rebuild']);
  rmSync(UNCOMPILED, { force: true });
  record(INSTALL_STAMP, manifests());
}

/** The two lists run at the same time, each in order. */
const BUILDS = [
  [
    ['server', 'server'],
    ['keeper', 'server/keeper'], // into the server's folder, which the server's build empties
    ['edge', 'server/edge'],
  ],
  [['pages', 'web']],
];

async function build() {
  if (isBuilt()) return;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const buildAll = async (builds) => {
    for (const [what, folder] of builds) {
      const args = [vite, 'build', '-c', `apps/${folder}/vite.config.ts`];
      await runTool(`building the ${what}`, process.execPath, args);
    }
  };
  try {
    await Promise.all(BUILDS.map(buildAll));
  } finally {
    for (const tool of tools) tool.kill(); // what is built beside the one that failed
  }
  record(BUILD_STAMP, sources());
}

/** One process installs and builds; others that start at the same time wait for it. */
async function prepare(steps) {
  const stop = () => {
    for (const tool of tools) tool.kill();
    rmSync(LOCK, { recursive: true, force: true });
    process.exit(130);
  };
  while (!takeLock()) await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
  try {
    for (const step of steps) await step();
  } catch (error) {
    console.error(`sallyport: ${error.message}`);
    process.exitCode = 1;
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop);
  }
  if (process.exitCode) process.exit();
}

const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS']);

/** A service usually runs as a user without write access to the checkout. */
function exitNotWritable() {
  console.error(
    `sallyport: the build in ${root} is out of date, and this user cannot write there.\n` +
      'After each update, run this as the owner of the folder: node apps/server/start.mjs --build-only',
  );
  process.exit(1);
}

function takeLock() {
  try {
    mkdirSync(LOCK);
    writeFileSync(join(LOCK, 'pid'), String(process.pid));
    return true;
  } catch (error) {
    if (NOT_WRITABLE.has(error.code)) exitNotWritable();
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(LOCK, { recursive: true, force: true });
    return false;
  }
}

function isAbandoned() {
  try {
    process.kill(Number(readFileSync(join(LOCK, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    if (error.code === 'ESRCH') return true;
    return existsSync(LOCK) && Date.now() - statSync(LOCK).mtimeMs > 10_000;
  }
}

const [command, ...rest] = process.argv.slice(2);
if (isCheckout()) {
  if (command === '--unpack-only') {
    const is_new = !existsSync(join(root, 'node_modules'));
    if (!isInstalled()) await prepare([is_new ? unpack : install]);
    process.exit(0);
  }
  if (command === '--install-only') {
    if (!isInstalled()) await prepare([install]);
    process.exit(0);
  }
  if (!isInstalled() || !isBuilt()) await prepare([install, build]);
  if (command === '--build-only') process.exit(0);
}
const { run } = await import(pathToFileURL(join(root, 'dist/server/main.js')).href);
const code = await run(command === undefined ? [] : [command, ...rest]);
process.stdout.write('', () => process.exit(code)); // once standard output is flushed: a pipe takes it in parts
