// `npm test` and `npm run bench`: sets the checkout up, installs the system servers that are missing, then runs.
//
//   npm test                              everything
//   npm test -- webhooks                  one feature in every area: tests/{core,db,e2e}/webhooks, tests/web/admin/webhooks
//   npm test -- hosts monitor             several features
//   npm test -- tests/db/webhooks         any other argument is one of vitest's: part of a path, or an option
//   npm test -- --project e2e webhooks    a feature in one project: unit, db, worker or e2e
//   npm test -- --balanced                the tests of the API, with three instances behind nginx in place of each gateway
//   npm test -- --balanced webhooks       those of one feature
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackNewerOpenssh } from './hosts/unpack-newer-openssh.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Debian package → files that it provides. */
const FILES = {
  'openssh-server': ['/usr/sbin/sshd'],
  'openssh-client': ['/usr/bin/ssh', '/usr/bin/sftp', '/usr/bin/ssh-keygen'],
  iproute2: ['/sbin/ip'],
  slapd: ['/usr/sbin/slapd'],
  openssl: ['/usr/bin/openssl'],
  systemd: ['/usr/bin/systemd-analyze'],
  'nginx-light': ['/usr/sbin/nginx'],
  haproxy: ['/usr/sbin/haproxy'],
  curl: ['/usr/bin/curl'],
  postgresql: postgresPrograms(),
  chromium: ['/usr/bin/chromium'],
  'chromium-headless-shell': ['/usr/bin/chromium-headless-shell'],
  'proftpd-mod-crypto': ['/usr/sbin/proftpd', '/usr/lib/proftpd/mod_sftp.so'],
  python3: ['/usr/bin/python3'],
  'python3-twisted': ['/usr/bin/twistd3'],
  prometheus: ['/usr/bin/promtool'],
  unzip: ['/usr/bin/unzip'],
  acl: ['/usr/bin/setfacl', '/usr/bin/getfacl'],
  attr: ['/usr/bin/setfattr', '/usr/bin/getfattr'],
};

function postgresPrograms() {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base) : [];
  const [version = 'none'] = versions.filter((name) => existsSync(join(base, name, 'bin/postgres')));
  return [join(base, version, 'bin/postgres'), join(base, version, 'bin/initdb')];
}

function missingPackages() {
  return Object.keys(FILES).filter((name) => !FILES[name].every((file) => existsSync(file)));
}

/** Resolves with the exit status. */
function run(command, args, env = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (status) => resolve(status ?? 1));
  });
}

async function installPackages(names) {
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!mayInstall) return false;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  console.error(`Installing for the tests: ${names.join(' ')}`);
  return (
    (await run('apt-get', ['-qq', 'update'], env)) === 0 &&
    (await run('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', ...names], env)) === 0
  );
}

/** Folders whose name differs from the feature's; paths below an area are allowed. */
const FOLDERS = {
  accounts: ['accounts', 'account', 'users'],
  files: ['files', 'sftp', 'editor', 'transfers'],
  hosts: ['hosts', 'servers'],
  recordings: ['recordings', 'recording', 'player'],
  servers: ['hosts', 'servers'],
  settings: ['settings', 'branding'],
  terminals: ['terminals', 'terminal', 'open-terminals', 'live-terminals', 'screen', 'worker/shell'],
};

const AREAS = ['core', 'api', 'db', 'worker', 'server', 'web', 'e2e'];

function* foldersBelow(path) {
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    yield `${path}/${entry.name}/`;
    yield* foldersBelow(`${path}/${entry.name}`);
  }
}

/** All folders of a feature; other arguments are passed on unchanged. */
function pathsOf(argument) {
  const names = FOLDERS[argument] ?? [argument];
  const folders = AREAS.flatMap((area) => [...foldersBelow(`tests/${area}`)]);
  const found = folders.filter((folder) => names.some((name) => folder.endsWith(`/${name}/`)));
  return found.length > 0 ? found : [argument];
}

/** An argument after an option may be its value, as in `--project e2e`. */
function vitestArguments(all) {
  const isOption = (text = '') => text.startsWith('-') && !text.includes('=');
  return all.flatMap((argument, at) =>
    argument.startsWith('-') || isOption(all[at - 1]) ? [argument] : pathsOf(argument),
  );
}

async function hasPackages() {
  const missing = missingPackages();
  if (missing.length === 0 || (await installPackages(missing))) {
    await unpackNewerOpenssh();
    return true;
  }
  console.error(
    `The tests need these Debian packages, and this user may not install them: ${missing.join(' ')}`,
  );
  console.error(`Install them with: apt-get install ${missing.join(' ')}`);
  return false;
}

// One waits for the network and the disk, the other for the processor.
const build = () => run(process.execPath, ['apps/server/start.mjs', '--build-only']);
const [is_equipped, built] = await Promise.all([hasPackages(), build()]);
if (!is_equipped || built !== 0) process.exit(built || 1);

// `npm run bench` measures against ssh and sftp; `terminals`, `files`, `servers` or `revocation` after it measures a part,
// `audit` a million audit entries, `keeper` what a keeper costs, `monitor` a thousand servers, `page` a browser, `scale` several
// instances. `--quick` takes less than a minute: one round each, of less.
const BENCHES = [
  'audit',
  'files',
  'keeper',
  'monitor',
  'page',
  'revocation',
  'rows',
  'scale',
  'servers',
  'terminals',
];
const [mode, ...rest] = process.argv.slice(2);

function runTests() {
  const given = process.argv.slice(2).filter((argument) => argument !== '--balanced');
  const is_balanced = process.argv.includes('--balanced');
  const project = is_balanced ? ['--project', 'e2e'] : [];
  const env = is_balanced ? { SALLYPORT_BALANCED: '1' } : {};
  return run('node_modules/.bin/vitest', ['run', ...project, ...vitestArguments(given)], env);
}

const status =
  mode === '--bench'
    ? await run('node_modules/.bin/tsx', [
        `tests/bench/${rest.find((name) => BENCHES.includes(name)) ?? 'bench'}.ts`,
        ...rest,
      ])
    : await runTests();
process.exit(status);
