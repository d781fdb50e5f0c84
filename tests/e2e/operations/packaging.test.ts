import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig, unknownVariables } from '#server/config/config.ts';
import { PAGES } from '../../../apps/web/help/manual/contents.ts';
import { assignments, isIgnored, readDockerfile } from '../../support/gateway/dockerfile.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { freePort } from '../../support/hosts/tcp.ts';

const run = promisify(execFile);
const ROOT = new URL('../../../', import.meta.url).pathname;
const SECRET = 'a secret of the packaging tests';

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const manifest = JSON.parse(text('package.json'));
const lock = JSON.parse(text('package-lock.json'));
const [build = [], image = []] = readDockerfile();
const variables = assignments(image, 'ENV');

const restOf = (name: string) => image.find((instruction) => instruction.name === name)?.rest ?? '';
const copies = [...build, ...image].filter(({ name }) => name === 'COPY');
const sourcesOf = (rest: string) => rest.split(/\s+/).slice(0, -1);

describe('The Dockerfile', () => {
  const copied = copies.filter(({ flags }) => !flags['from']).flatMap(({ rest }) => sourcesOf(rest));

  it.each(copied)('copies %s, which exists and is not ignored', (path) => {
    expect([existsSync(join(ROOT, path)), isIgnored(path)]).toEqual([true, false]);
  });

  it.each([
    ...['.env', 'apps/.env', 'deploy/.env', '.git/config', 'data/secret.key', 'data/sallyport.db'],
    ...['node_modules/zod/package.json', 'recordings/1.cast', 'tests/e2e/http/http.test.ts'],
  ])('never sees %s', (path) => {
    expect(isIgnored(path)).toBe(true);
  });

  it('copies everything that the build reads', () => {
    const read = ['apps/server/vite.config.ts', 'apps/web/main.tsx', 'db/schema/released.json'];
    for (const path of [...read, ...PAGES.map(({ source }) => source), 'tests/pictures/servers-dark.png']) {
      expect([path, isIgnored(path)]).toEqual([path, false]);
    }
  });

  it('copies from the build stage only what exists there', () => {
    const taken = copies.filter(({ flags }) => flags['from']).flatMap(({ rest }) => sourcesOf(rest));
    for (const path of taken)
      expect([path, existsSync(join(ROOT, path.replace(/^\/app\//, '')))]).toEqual([path, true]);
  });

  it('is built on one exact version, and installs exactly what is locked', () => {
    const [from, slim] = [build, image].map(([first]) => first?.rest ?? '');
    expect(from).toMatch(/^node:\d+\.\d+\.\d+-bookworm(@sha256:[0-9a-f]{64})? AS build$/);
    expect(slim?.replace(/@.*/, '')).toBe(from?.replace(/(@\S+)? AS build/, '-slim'));
    const commands = build.filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
    expect(commands[0]).toBe('npm ci --include=dev');
    expect(commands.join('\n')).not.toMatch(/apt-get|npm install|curl/);
  });

  it('runs the command of the package as an unprivileged user', () => {
    expect(JSON.parse(restOf('ENTRYPOINT'))).toEqual(['node', manifest.bin.sallyport]);
    expect([restOf('USER'), restOf('STOPSIGNAL')]).toEqual(['node', 'SIGTERM']);
  });

  it('keeps data and recordings in its volume, and exposes its port', () => {
    expect(variables['SERVICE_DATA_DIR']).toBe(restOf('VOLUME'));
    expect(variables['SERVICE_RECORDINGS_DIR']).toMatch(new RegExp(`^${restOf('VOLUME')}/`));
    expect(variables['SERVICE_PORT']).toBe(restOf('EXPOSE'));
  });

  it('has no secret in a layer, and sets only known variables', () => {
    expect([...build, ...image].filter(({ name }) => name === 'ARG')).toEqual([]);
    const { NODE_ENV: _, ...service } = variables;
    expect(unknownVariables(service)).toEqual([]);
    expect(Object.keys(service).filter((name) => /SECRET|PASSWORD|PASSPHRASE|TOKEN/.test(name))).toEqual([]);
    expect(parseConfig({ ...service, SERVICE_SECRET_KEY: SECRET }).host).toBe('0.0.0.0');
  });

  it('has the labels of the package', () => {
    expect(assignments(image, 'LABEL')).toMatchObject({
      'org.opencontainers.image.description': manifest.description,
      'org.opencontainers.image.licenses': manifest.license,
    });
  });

  it.each(['x64', 'arm64'])('can be built for %s: prebuilt packages are in the lock file', (cpu) => {
    const names = [
      `@img/sharp-linux-${cpu}`,
      `@img/sharp-libvips-linux-${cpu}`,
      `@node-rs/argon2-linux-${cpu}-gnu`,
    ];
    const tools = [`@rolldown/binding-linux-${cpu}-gnu`, `lightningcss-linux-${cpu}-gnu`];
    for (const name of [...names, ...tools]) expect(lock.packages).toHaveProperty([`node_modules/${name}`]);
  });
});

describe('The built server', () => {
  it('needs only packages that the image keeps', () => {
    const folder = join(ROOT, 'dist/server');
    const code = readdirSync(folder).filter((name) => /\.m?js$/.test(name));
    const asked = code.flatMap((name) =>
      [
        ...readFileSync(join(folder, name), 'utf8').matchAll(
          /^(?:import|export)\b[^'"]*["']([^./][^'"]*)["']/gm,
        ),
      ].map(([, found = '']) => found),
    );
    const packages = asked.map((found) => found.split('/', found.startsWith('@') ? 2 : 1).join('/'));
    const foreign = packages.filter((found) => !found.startsWith('node:') && !builtinModules.includes(found));
    expect(foreign.length).toBeGreaterThan(5);
    expect([...new Set(foreign)].filter((found) => !(found in manifest.dependencies))).toEqual([]);
  });
});

describe('The health check of the image', () => {
  const [, command = ''] = /CMD (\[.*\])$/.exec(restOf('HEALTHCHECK')) ?? [];
  let gateways: Record<string, TestGateway>;

  beforeAll(async () => {
    gateways = {
      '': await startGateway({ untouched: true }),
      '/ssh/': await startGateway({ untouched: true, env: { SERVICE_ROOT_PATH: '/ssh/' } }),
    };
  });
  afterAll(async () => {
    for (const gateway of Object.values(gateways)) await gateway.close();
  });

  async function check(env: Record<string, string>): Promise<number> {
    const [, ...args] = JSON.parse(command);
    const child = spawn(process.execPath, args, { env, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    return code;
  }
  const portOf = (prefix: string) => new URL(gateways[prefix]?.url ?? '').port;

  it.each([
    ['everywhere', '0.0.0.0', ''],
    ['at one address', '127.0.0.1', ''],
    ['under a prefix', '0.0.0.0', '/ssh/'],
  ])('reaches a gateway that listens %s', async (_what, host, prefix) => {
    const env = { SERVICE_HOST: host, SERVICE_PORT: portOf(prefix), SERVICE_ROOT_PATH: prefix };
    expect(await check(env)).toBe(0);
  });

  it.each([
    ['nobody listens', async () => ({ SERVICE_PORT: String(await freePort()) })],
    ['the prefix is another', async () => ({ SERVICE_PORT: portOf('/ssh/'), SERVICE_ROOT_PATH: '/sh' })],
  ])('fails when %s', async (_what, env) => {
    expect(await check({ SERVICE_HOST: '0.0.0.0', ...(await env()) })).toBe(1);
  });
});

// The image's /app is at /mnt here, and its volume at /srv: both exist on every Debian.
const AS_IN_THE_IMAGE = `
set -e
mount --make-rprivate /
mount --bind "$1" /srv
mount -t tmpfs tmpfs /mnt
cp "$2/package.json" /mnt
mkdir -p /mnt/node_modules /mnt/dist /mnt/apps/server
cp "$2/apps/server/start.mjs" /mnt/apps/server
mount --rbind "$2/node_modules" /mnt/node_modules
mount --rbind "$2/dist" /mnt/dist
cd /mnt
mount -o remount,ro,bind /mnt/node_modules
mount -o remount,ro,bind /mnt/dist
mount -o remount,ro /mnt
mount -o remount,ro,bind /
mount -o remount,ro,bind /dev/shm 2>/dev/null || true
mount -t tmpfs tmpfs /tmp
shift 2
exec setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"`;

describe('On a read-only file system, without privileges,', () => {
  let volume: string;
  beforeAll(async () => {
    volume = await mkdtemp(join(tmpdir(), 'sallyport-volume-'));
    await chown(volume, 1000, 1000);
  });
  afterAll(() => rm(volume, { recursive: true, force: true }));

  /** As the image runs it, but on a port of this machine. */
  function start(args: string[], env: Record<string, string>) {
    const [, ...entry] = JSON.parse(restOf('ENTRYPOINT'));
    const command = ['sh', '-c', AS_IN_THE_IMAGE, 'sh', volume, ROOT, process.execPath, ...entry, ...args];
    const { PATH = '' } = process.env;
    const places = { SERVICE_DATA_DIR: '/srv', SERVICE_RECORDINGS_DIR: '/srv/recordings' };
    return spawn('/usr/bin/unshare', ['--mount', ...command], {
      env: { PATH, ...variables, ...places, SERVICE_HOST: '127.0.0.1', SERVICE_SECRET_KEY: SECRET, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  it('the gateway runs, writes only to its volume, and stops on the signal of the image', async () => {
    const port = await freePort();
    const gateway = start([], { SERVICE_PORT: String(port) });
    let said = '';
    for await (const chunk of gateway.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      said += chunk;
      if (said.includes('is listening on')) break;
    }
    gateway.stdout.resume();
    const [, password = ''] = /password: (\S+)/.exec(said) ?? [];
    const signed_in = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password }),
    });
    const page = await fetch(`http://127.0.0.1:${port}/`);
    expect([signed_in.status, page.status]).toEqual([200, 200]);
    expect(await readdir(volume)).toContain('sallyport.db');
    gateway.kill('SIGTERM');
    expect(await once(gateway, 'exit')).toEqual([0, null]);
  });

  it('the commands work on the same volume', async () => {
    const verify = start(['audit', 'verify'], {});
    let said = '';
    for await (const chunk of verify.stdout.setEncoding('utf8')) said += chunk;
    expect(said).toMatch(/^The audit log is intact/);
  });
});

describe('The folder deploy/', () => {
  const files = readdirSync(join(ROOT, 'deploy'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  const ha = text('deploy/compose.ha.yaml');

  it.each(files)('%s sets only known variables', (name) => {
    const names = text(`deploy/${name}`).match(/SERVICE_[A-Z_]+/g) ?? [];
    expect(unknownVariables(Object.fromEntries(names.map((found) => [found, ''])))).toEqual([]);
  });

  it.each(['compose.yaml', 'compose.ha.yaml'])('%s contains no key and reveals no secret', (name) => {
    const compose = text(`deploy/${name}`);
    expect(compose).toMatch(/SERVICE_SECRET_KEY: \$\{SERVICE_SECRET_KEY:\?/);
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: ["no-new-privileges:true"]']) {
      expect(compose).toContain(line);
    }
  });

  it('compose.ha.yaml trusts the address of its nginx, and nginx-ha.conf names its gateways', () => {
    const [, address = 'none'] =
      /nginx:\n[\s\S]*?ipv4_address: (\S+)/.exec(ha.slice(ha.indexOf('services:'))) ?? [];
    expect(ha).toMatch(new RegExp(`SERVICE_TRUSTED_PROXIES: ${address.replaceAll('.', '\\.')}\\b`));
    const upstreams = [...text('deploy/nginx-ha.conf').matchAll(/^ {2}server (\S+) /gm)].map(
      ([, found]) => found,
    );
    const told = [...ha.matchAll(/SERVICE_INSTANCE_URL: http:\/\/(\S+)/g)].map(([, found]) => found);
    expect(upstreams).toEqual(told);
    for (const upstream of upstreams) expect(ha).toContain(`\n  ${upstream?.replace(/:.*/, '')}:\n`);
  });

  it('the systemd service starts the right command, and is hardened', async () => {
    const shipped = text('deploy/sallyport.service');
    const [, entry = ''] = /^ExecStart=\/usr\/bin\/node \/opt\/sallyport\/(\S+)$/m.exec(shipped) ?? [];
    expect(entry).toBe(manifest.bin.sallyport);
    const analyze = '/usr/bin/systemd-analyze';
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-unit-'));
    const unit = join(folder, 'sallyport.service');
    await writeFile(unit, shipped.replace('/usr/bin/node', process.execPath));
    expect((await run(analyze, ['verify', unit])).stderr).toBe('');
    await run(analyze, ['security', '--offline=yes', '--threshold=15', unit]); // At most 100; otherwise it exits with 1.
    await rm(folder, { recursive: true });
  });
});
