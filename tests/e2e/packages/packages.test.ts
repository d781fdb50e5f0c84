import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile, chown, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway/gateway-process.ts';
import { type Installed, installPackages, link } from '../../support/gateway/installed.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const run = promisify(execFile);
const MIB = 1024 * 1024;

let installed: Installed;
let gateway: GatewayProcess;
let sshd: Sshd;
let server: string;
let env: Record<string, string>;

beforeAll(async () => {
  [installed, sshd] = await Promise.all([installPackages(), startSshd()]);
  const { folder } = installed;
  const program = join(folder, 'node_modules/.bin/sallyport');
  const monitor = { SERVICE_DISABLE_MONITOR: 'false', SERVICE_MONITOR_INTERVAL: '1' };
  gateway = await startGatewayProcess(monitor, { program, folder });
  const { hostname, port, username, private_key } = sshd;
  const login = { hostname, port, username, auth_method: 'key', private_key };
  const { id } = await gateway.post<{ id: number }>('/api/servers', { name: 'box', ...login });
  const { key } = await gateway.post<{ key: string }>('/api/auth/api-keys', { name: 'examples' });
  const { PATH = '' } = process.env;
  server = String(id);
  env = { PATH, SALLYPORT_URL: gateway.url, SALLYPORT_KEY: key };
  cpSync(join(folder, 'node_modules/@sallyport/client/examples'), join(folder, 'examples'), {
    recursive: true,
  });
}, 180_000); // compiling, packing and installing
afterAll(async () => {
  await gateway?.stop();
  await sshd?.stop();
  installed?.remove();
});

it('The installed gateway serves its page, whatever its folder is called', async () => {
  const response = await fetch(gateway.url);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('<!doctype html>')]);
});

it('The installed gateway serves its manual', async () => {
  const response = await fetch(`${gateway.url}/help/servers.html`);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('jump hosts')]);
});

interface Example {
  readonly child: ChildProcess;
  /** Resolves with the whole output once it contains this. */
  says(text: string | RegExp): Promise<string>;
  readonly exit: Promise<number | null>;
}

/** Runs an example of the client. */
function example(name: string, args: readonly string[] = [], more: Record<string, string> = {}): Example {
  const program = join(installed.folder, 'examples', `${name}.mjs`);
  const child = spawn(process.execPath, [program, ...args], {
    cwd: installed.folder,
    env: { ...env, ...more },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exit = once(child, 'close').then(([code]) => code);
  onTestFinished(() => void child.kill('SIGKILL'));
  async function says(text: string | RegExp): Promise<string> {
    while (!(typeof text === 'string' ? output.includes(text) : text.test(output))) {
      const more = await Promise.race([once(child.stdout, 'data'), exit]);
      if (!Array.isArray(more)) break;
    }
    expect(output).toMatch(text);
    return output;
  }
  return { child, says, exit };
}

describe('The packages', () => {
  it.each(['gateway', 'client'] as const)('are well formed: %s', async (which) => {
    const { messages } = await publint({ pkgDir: installed.packed[which], strict: true, pack: false });
    expect(messages).toEqual([]);
  });

  it('contain no sources of the gateway, source maps or scripts', () => {
    const files = readdirSync(join(installed.folder, 'node_modules/sallyport'), {
      recursive: true,
      encoding: 'utf8',
    });
    expect(files.filter((name) => /\.map$|(?<!\.d)\.tsx?$/.test(name))).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(installed.packed.gateway, 'package.json'), 'utf8'));
    expect([manifest.scripts, manifest.devDependencies, manifest.private]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('keep the data of the gateway in the folder where it was started', async () => {
    expect(await readdir(join(installed.folder, 'data'))).toContain('sallyport.db');
    const page = await fetch(gateway.url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="app"')]);
  });

  it('have a client whose types fit every example', async () => {
    for (const name of ['@types/node', '@types/ws', 'undici-types']) link(installed.folder, name);
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2023', lib: ['es2023'], types: ['node'] },
      ...{ allowJs: true, checkJs: true, noEmit: true, strict: false, skipLibCheck: true },
    };
    writeFileSync(
      join(installed.folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['examples'] }),
    );
    const tsc = new URL('../../../node_modules/@typescript/native/bin/tsc', import.meta.url).pathname;
    const failed = await run(process.execPath, [tsc, '-p', installed.folder]).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ stdout: '', stderr: '' });
  });

  it('have a client for pages without a bundler: one module that imports nothing', async () => {
    const code = await readFile(join(installed.packed.client, 'browser.js'), 'utf8');
    expect(code).toContain('TerminalLink');
    expect(code).not.toMatch(/^import\b|\bimport\(|\brequire\(|["']node:|__vite-browser-external/m);
  });
});

describe('The examples of the client', () => {
  it('list the servers', async () => {
    expect(await example('list-servers').says('box')).toMatch(
      new RegExp(`^${server} box 127.0.0.1 \\w+\\n$`),
    );
  });

  it('sign in with a password, and again after the session has ended', async () => {
    const account = { SALLYPORT_USER: 'admin', SALLYPORT_PASSWORD: 'second-password-2' };
    const { says, exit } = example('sign-in', [], account);
    await says('Signed in as admin');
    expect(await exit).toBe(0);
  });

  it('open an interactive shell', async () => {
    const { child, says, exit } = example('shell', [server]);
    child.stdin?.write('echo sum-$((40 + 2))\n');
    await says('sum-42');
    child.stdin?.write('exit 3\n');
    expect(await exit).toBe(3);
  });

  it('run a command, and collect its output and exit status', async () => {
    const { says, exit } = example('run-command', [server, `printf '%s\\n' one "it's two"; exit 4`]);
    expect(await exit).toBe(4);
    expect(await says('one')).toBe("one\nit's two\n");
  });

  it('upload a folder, and resume after an interruption', async () => {
    const folder = join(installed.folder, 'upload');
    mkdirSync(join(folder, 'nested'), { recursive: true });
    await writeFile(join(folder, 'a.txt'), 'first');
    await writeFile(join(folder, 'big'), '');
    await truncate(join(folder, 'big'), 64 * MIB);
    await writeFile(join(folder, 'nested/c.txt'), 'last');
    const target = join(sshd.folder, 'copy');
    const begun = example('upload-folder', [server, folder, target]);
    await begun.says(/big: [1-9]/);
    begun.child.kill('SIGKILL');
    await begun.exit;
    const resumed = example('upload-folder', [server, folder, target]);
    expect(await resumed.exit).toBe(0);
    const said = await resumed.says('a.txt: already there');
    expect(Number(/big: (\d+) bytes/.exec(said)?.[1])).toBeGreaterThanOrEqual(8 * MIB);
    expect((await stat(join(target, 'big'))).size).toBe(64 * MIB);
    expect(await readFile(join(target, 'nested/c.txt'), 'utf8')).toBe('last');
  });

  it('watch the statuses of servers', async () => {
    const { child, says, exit } = example('watch-statuses');
    await says(`${server} online`);
    child.kill('SIGINT');
    expect(await exit).toBe(0);
  });

  it('tail a file', async () => {
    const path = join(sshd.folder, 'log');
    await writeFile(path, 'first\n');
    await chown(path, sshd.uid, sshd.uid);
    const { says } = example('tail-file', [server, path]);
    await says('first\n');
    await appendFile(path, 'second\n');
    await says('first\nsecond\n');
  });
});
