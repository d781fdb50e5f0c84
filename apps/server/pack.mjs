// `npm run pack`: the packages to publish, in dist/packages or another folder. `sallyport` is the built gateway,
// `@sallyport/client` the client.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [output = join(root, 'dist/packages')] = process.argv.slice(2);
const packages = resolve(output);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { version, license, type, engines } = manifest;

/** Dependencies of the client; in the checkout, they are bundled into the page. */
const CLIENT_PACKAGES = ['eventsource-parser', 'openapi-fetch', 'tus-js-client'];

/** Only some packages of the gateway have an install script. */
const NATIVE_PACKAGES = ['better-sqlite3', 'cpu-features', 'ssh2'];

async function run(program, ...args) {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 2, 2] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${[program, ...args].join(' ')} failed`);
}

/** Writes a package and its tarball. */
async function pack(folder, files, fields) {
  const target = join(packages, folder);
  for (const [from, to] of Object.entries(files))
    cpSync(join(root, from), join(target, to), { recursive: true });
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(fields, null, 2)}\n`);
  await run('npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', packages, target);
}

function picked(from, names) {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

async function packGateway() {
  const { name, description, bin, dependencies, peerDependencies, peerDependenciesMeta, allowScripts } =
    manifest;
  const files = {
    'dist/server': 'dist/server',
    'dist/web': 'dist/web',
    'apps/server/start.mjs': bin.sallyport,
    'apps/server/package/README.md': 'README.md',
    LICENSE: 'LICENSE',
  };
  await pack('sallyport', files, {
    ...{ name, version, description, license, type, engines, bin },
    files: ['apps', 'dist', '!**/*.map'],
    ...{ dependencies, peerDependencies, peerDependenciesMeta },
    allowScripts: picked(allowScripts, NATIVE_PACKAGES),
  });
}

/** The compiler renames imports in code, but not in declarations. */
function nameEmittedFiles(lib) {
  const declarations = readdirSync(lib, { recursive: true }).filter((name) => name.endsWith('.d.ts'));
  for (const path of declarations.map((name) => join(lib, name)))
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}

/** The client with its dependencies as one module, for pages without a bundler. */
async function bundleClient(outDir) {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      ...{ outDir, emptyOutDir: false, target: 'es2022', license: { fileName: 'browser.license.md' } },
      lib: {
        entry: join(root, 'apps/client/package/entry.ts'),
        formats: ['es'],
        fileName: () => 'browser.js',
      },
    },
  });
}

async function packClient() {
  mkdirSync(join(packages, 'client'), { recursive: true });
  const lib = join(packages, 'client/lib');
  const compiler = 'node_modules/@typescript/native/bin/tsc';
  await run(process.execPath, compiler, '-p', 'apps/client/package/tsconfig.json', '--outDir', lib);
  nameEmittedFiles(lib);
  await bundleClient(join(packages, 'client'));
  const files = {
    'apps/client/package/README.md': 'README.md',
    'apps/client/package/examples': 'examples',
    LICENSE: 'LICENSE',
  };
  await pack('client', files, {
    name: '@sallyport/client',
    description: 'Typed client of the Sallyport gateway, for browsers and Node.js',
    ...{ version, license, type, engines },
    sideEffects: false,
    exports: {
      '.': { types: './lib/package/entry.d.ts', default: './lib/package/entry.js' },
      './browser.js': { types: './lib/package/entry.d.ts', default: './browser.js' },
      './package.json': './package.json',
    },
    files: ['lib', 'examples', 'browser.js', 'browser.license.md'],
    publishConfig: { access: 'public' },
    dependencies: picked(manifest.devDependencies, CLIENT_PACKAGES),
  });
}

await run(process.execPath, 'apps/server/start.mjs', '--build-only');
rmSync(packages, { recursive: true, force: true });
await Promise.all([packGateway(), packClient()]);
