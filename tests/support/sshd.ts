import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from './tcp.ts';

const run = promisify(execFile);

const USERNAME = 'sallyport-test';
const ACCOUNT_FOLDER = '/tmp/sallyport-test';
const PASSPHRASE = 'correct horse';

export interface SshdOptions {
  /** Added to the end of sshd_config. */
  readonly config?: readonly string[];
  /** `internal-sftp` unless told otherwise; null for a host without SFTP. */
  readonly sftp?: string | null;
  /** Public keys that may sign in besides the two of this sshd. */
  readonly authorized_keys?: readonly string[];
}

/** A real OpenSSH server on 127.0.0.1 with host keys and a folder of its own. */
export interface Sshd {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly private_key: string;
  readonly encrypted_private_key: string;
  readonly passphrase: string;
  /** Home of the account, shared by every sshd of the test run. */
  readonly home: string;
  /** Fresh folder of this sshd alone, owned by the account. */
  readonly folder: string;
  readonly uid: number;
  /** `SHA256:…` of the ed25519 key, which is the one negotiated by default. */
  hostFingerprint(): Promise<string>;
  /** All that sshd has logged, at level DEBUG1. */
  log(): string;
  /** New host keys on the same port; sessions stay. */
  rotateHostKey(): Promise<void>;
  /** Kills every session process at once, as when the host dies. */
  killSessions(): Promise<void>;
  /** Ids of the session processes and what runs in them. */
  sessionProcesses(): Promise<number[]>;
  stop(): Promise<void>;
}

export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  const account = await ensureAccount();
  const base = await mkdtemp(join(tmpdir(), 'sallyport-sshd-'));
  await run('chmod', ['755', base]);
  const folder = join(base, 'files');
  await mkdir(folder);
  await chown(folder, account.uid, account.uid);
  await Promise.all([createHostKeys(base), createUserKeys(base, options.authorized_keys)]);
  const { port, daemon } = await launch(base, options);
  const text = (name: string) => readFile(join(base, name), 'utf8');
  const pid = daemon.child.pid ?? 0;
  const sessionProcesses = () => descendantsOf(pid);
  const killSessions = async () => (await sessionProcesses()).forEach(kill);
  return {
    ...account,
    port,
    folder,
    username: USERNAME,
    private_key: await text('user_key'),
    encrypted_private_key: await text('encrypted_key'),
    passphrase: PASSPHRASE,
    hostFingerprint: () => fingerprintOf(join(base, 'host_ed25519.pub')),
    log: () => daemon.lines.join('\n'),
    async rotateHostKey() {
      await createHostKeys(base);
      const listening = daemon.nextListening();
      daemon.child.kill('SIGHUP');
      await listening;
    },
    sessionProcesses,
    killSessions,
    async stop() {
      await killSessions();
      await daemon.stop();
      await rm(base, { recursive: true, force: true });
    },
  };
}

// One account for all test files, however many start at once: the lock makes the second wait for the first.
const ACCOUNT_SCRIPT = `
set -e
umask 022
mkdir -p ${ACCOUNT_FOLDER} /run/sshd
id -u ${USERNAME} >/dev/null 2>&1 || useradd --user-group --no-create-home --home-dir ${ACCOUNT_FOLDER}/home --shell /bin/bash ${USERNAME}
mkdir -p ${ACCOUNT_FOLDER}/home
chown ${USERNAME}: ${ACCOUNT_FOLDER}/home
if [ ! -s ${ACCOUNT_FOLDER}/password ]; then
  (umask 077; head -c 18 /dev/urandom | base64 > ${ACCOUNT_FOLDER}/new-password)
  echo "${USERNAME}:$(cat ${ACCOUNT_FOLDER}/new-password)" | chpasswd
  mv ${ACCOUNT_FOLDER}/new-password ${ACCOUNT_FOLDER}/password
fi
id -u ${USERNAME}
cat ${ACCOUNT_FOLDER}/password`;

async function ensureAccount() {
  const { stdout } = await run('flock', ['/tmp/sallyport-test.lock', 'sh', '-c', ACCOUNT_SCRIPT]);
  const [uid = '', password = ''] = stdout.trim().split('\n');
  return { uid: Number(uid), password, home: `${ACCOUNT_FOLDER}/home` };
}

async function createHostKeys(base: string): Promise<void> {
  const names = ['host_ed25519', 'host_rsa'].map((name) => join(base, name));
  await Promise.all(names.flatMap((name) => [name, `${name}.pub`]).map((name) => rm(name, { force: true })));
  await Promise.all([
    run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(base, 'host_ed25519')]),
    run('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', join(base, 'host_rsa')]),
  ]);
}

async function createUserKeys(base: string, more: readonly string[] = []): Promise<void> {
  const key = (name: string, passphrase: string) =>
    run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', join(base, name)]);
  await Promise.all([key('user_key', ''), key('encrypted_key', PASSPHRASE)]);
  const lines = await Promise.all(
    ['user_key.pub', 'encrypted_key.pub'].map((name) => readFile(join(base, name), 'utf8')),
  );
  await writeFile(join(base, 'authorized_keys'), [...lines, ...more].join(''));
}

async function fingerprintOf(public_key: string): Promise<string> {
  const { stdout } = await run('ssh-keygen', ['-l', '-E', 'sha256', '-f', public_key]);
  return stdout.split(' ')[1] ?? '';
}

function configFor(base: string, port: number, { config = [], sftp = 'internal-sftp' }: SshdOptions): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${base}/host_ed25519`,
    `HostKey ${base}/host_rsa`,
    `AuthorizedKeysFile ${base}/authorized_keys`,
    'StrictModes no',
    'UsePAM no',
    'PidFile none',
    'PrintMotd no',
    'PrintLastLog no',
    'MaxStartups 200',
    'LogLevel DEBUG1',
    ...(sftp === null ? [] : [`Subsystem sftp ${sftp}`]),
    ...config,
    '',
  ].join('\n');
}

interface Daemon {
  readonly child: ChildProcess;
  readonly lines: string[];
  nextListening(): Promise<void>;
  stop(): Promise<void>;
}

const PORT_ATTEMPTS = 5;

/** Another process may take the free port before sshd does. */
async function launch(base: string, options: SshdOptions): Promise<{ port: number; daemon: Daemon }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    await writeFile(join(base, 'sshd_config'), configFor(base, port, options));
    const daemon = startDaemon(join(base, 'sshd_config'));
    try {
      await daemon.nextListening();
      return { port, daemon };
    } catch (error) {
      await daemon.stop();
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function startDaemon(config_path: string): Daemon {
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config_path], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (!line.startsWith('Server listening on')) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  });
  const exited = once(child, 'exit');
  const killOnExit = () => child.kill('SIGKILL');
  process.once('exit', killOnExit);
  return {
    child,
    lines,
    nextListening: () =>
      new Promise((resolve, reject) => {
        waiting.add(resolve);
        const fail = () => reject(new Error(`sshd ended:\n${lines.join('\n')}`));
        if (child.exitCode !== null) fail();
        else child.once('exit', fail);
      }),
    async stop() {
      process.off('exit', killOnExit);
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function descendantsOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (pid: number | undefined): boolean => {
    const parent = pid === undefined ? undefined : parents.get(pid);
    return parent === root || (parent !== undefined && parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter((pid) => isBelow(pid));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return; // gone meanwhile, with its parent
  }
}
