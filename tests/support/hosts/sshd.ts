import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type HostKeyFiles, type HostKeyKind, hostKeyFiles } from './host-key-files.ts';
import { createEd25519Key, keptKey, writeKey } from './key-pairs.ts';
import { type Daemon, descendantsOf, kill, startDaemon } from './sshd-daemon.ts';
import { freePort } from './tcp.ts';

const run = promisify(execFile);

export const USERNAME = 'sallyport-test';
const ACCOUNT_FOLDER = '/tmp/sallyport-test';
const PASSPHRASE = 'correct horse';
const PROGRAM = '/usr/sbin/sshd';
const LOOPBACK = '127.0.0.1';

export interface SshdOptions {
  /** Appended to sshd_config. */
  readonly config?: readonly string[];
  /** `internal-sftp` by default; null for a host without SFTP. */
  readonly sftp?: string | null;
  /** Accepted public keys besides the two of this sshd. */
  readonly authorized_keys?: readonly string[];
  /** ed25519 and RSA by default. */
  readonly host_keys?: readonly HostKeyKind[];
  /** 127.0.0.1 by default. */
  readonly address?: string;
  /** Prefix of the start command, such as one that enters another network. */
  readonly through?: readonly string[];
  /** Path of sshd under another name, which selects its PAM service. */
  readonly pam_program?: string;
  /** Path of another sshd. */
  readonly program?: string;
}

/** A real OpenSSH server with its own host keys and folder. */
export interface Sshd {
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly private_key: string;
  readonly encrypted_private_key: string;
  readonly passphrase: string;
  /** Home of the account, shared by every sshd of the test run. */
  readonly home: string;
  /** A fresh folder of this sshd only, owned by the account. */
  readonly folder: string;
  readonly uid: number;
  /** `SHA256:…` of the ed25519 key, which is negotiated by default, or of another. */
  hostFingerprint(kind?: HostKeyKind): Promise<string>;
  /** The log of sshd at level DEBUG1. */
  log(): string;
  /** Generates new host keys on the same port; open connections stay. */
  rotateHostKey(): Promise<void>;
  /** From now on presents only these types of host keys; open connections stay. */
  presentHostKeys(kinds: readonly HostKeyKind[]): Promise<void>;
  /** Kills every connection process at once, as when the host crashes. */
  killSessions(): Promise<void>;
  /** Ids of the connection processes and their children. */
  sessionProcesses(): Promise<number[]>;
  stop(): Promise<void>;
}

export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  const account = await ensureAccount();
  const base = await mkdtemp(join(tmpdir(), 'sallyport-sshd-'));
  await chmod(base, 0o755);
  const folder = join(base, 'files');
  await mkdir(folder);
  await chown(folder, account.uid, account.uid);
  await createUserKeys(base, options.authorized_keys);
  const { host_keys, port, daemon, reload } = await launch(base, options);
  const text = (name: string) => readFile(join(base, name), 'utf8');
  const pid = daemon.child.pid ?? 0;
  const sessionProcesses = () => descendantsOf(pid);
  const killSessions = async () => (await sessionProcesses()).forEach(kill);
  return {
    ...account,
    hostname: options.address ?? LOOPBACK,
    port,
    folder,
    username: USERNAME,
    private_key: await text('user_key'),
    encrypted_private_key: await text('encrypted_key'),
    passphrase: PASSPHRASE,
    hostFingerprint: (kind = 'ed25519') => host_keys.fingerprint(kind),
    log: () => daemon.lines.join('\n'),
    async rotateHostKey() {
      await host_keys.renew();
      await reload();
    },
    presentHostKeys: reload,
    sessionProcesses,
    killSessions,
    async stop() {
      await killSessions();
      await daemon.stop();
      await rm(base, { recursive: true, force: true });
    },
  };
}

// One account for all test files, however many start at once: a lock serializes its creation.
const ACCOUNT_SCRIPT = `
set -e
umask 022
mkdir -p ${ACCOUNT_FOLDER} /run/sshd
id -u ${USERNAME} >/dev/null 2>&1 || useradd --user-group --no-create-home --home-dir ${ACCOUNT_FOLDER}/home --shell /bin/bash ${USERNAME}
mkdir -p ${ACCOUNT_FOLDER}/home
chown ${USERNAME}: ${ACCOUNT_FOLDER}/home
if [ ! -s ${ACCOUNT_FOLDER}/password ]; then
  (umask 077; head -c 18 /dev/urandom | base64 > ${ACCOUNT_FOLDER}/new-password)
  echo "${USERNAME}:$(cat ${ACCOUNT_FOLDER}/new-password)" | chpasswd --crypt-method SHA512 --sha-rounds 1000 # the default hash takes a quarter of each sign-in
  mv ${ACCOUNT_FOLDER}/new-password ${ACCOUNT_FOLDER}/password
fi
id -u ${USERNAME}
cat ${ACCOUNT_FOLDER}/password`;

interface Account {
  readonly uid: number;
  readonly password: string;
  readonly home: string;
}

let ensured: Promise<Account> | undefined;

function ensureAccount(): Promise<Account> {
  ensured ??= createAccount();
  return ensured;
}

async function createAccount(): Promise<Account> {
  const { stdout } = await run('flock', ['/tmp/sallyport-test.lock', 'sh', '-c', ACCOUNT_SCRIPT]);
  const [uid = '', password = ''] = stdout.trim().split('\n');
  return { uid: Number(uid), password, home: `${ACCOUNT_FOLDER}/home` };
}

async function createUserKeys(base: string, more: readonly string[] = []): Promise<void> {
  const own = createEd25519Key();
  const encrypted = await keptKey('encrypted_key', ['-t', 'ed25519', '-a', '1', '-N', PASSPHRASE]);
  await writeKey(join(base, 'user_key'), own);
  await writeKey(join(base, 'encrypted_key'), encrypted);
  const lines = [own.public_key, encrypted.public_key, ...more];
  await writeFile(join(base, 'authorized_keys'), lines.join(''));
}

function configFor(base: string, port: number, options: SshdOptions): string {
  const { config = [], sftp = 'internal-sftp', address = LOOPBACK, pam_program } = options;
  return [
    `Port ${port}`,
    `ListenAddress ${address}`,
    `AuthorizedKeysFile ${base}/authorized_keys`,
    'StrictModes no',
    `UsePAM ${pam_program ? 'yes' : 'no'}`,
    'PidFile none',
    'PrintMotd no',
    'PrintLastLog no',
    ...(config.some((line) => line.startsWith('MaxStartups')) ? [] : ['MaxStartups 200']),
    'LogLevel DEBUG1',
    ...(sftp === null ? [] : [`Subsystem sftp ${sftp}`]),
    ...config,
    '',
  ].join('\n');
}

interface Launched {
  readonly host_keys: HostKeyFiles;
  readonly port: number;
  readonly daemon: Daemon;
  /** Reads its configuration and its host keys again. */
  reload(kinds?: readonly HostKeyKind[]): Promise<void>;
}

const PORT_ATTEMPTS = 5;

/** Another process may take the free port before sshd does. */
async function launch(base: string, options: SshdOptions): Promise<Launched> {
  const { host_keys: first_kinds = ['ed25519', 'rsa'], through = [] } = options;
  const program = options.program ?? options.pam_program ?? PROGRAM;
  const host_keys = hostKeyFiles(base);
  const config_path = join(base, 'sshd_config');
  let presented = first_kinds;
  const configure = async (port: number) =>
    writeFile(
      config_path,
      [...(await host_keys.present(presented)), configFor(base, port, options)].join('\n'),
    );
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    await configure(port);
    // `-r`: a connection is served by a fork, without executing sshd again, which takes a fifth of a sign-in's CPU time.
    const daemon = startDaemon([...through, program, '-D', '-r', '-e', '-f', config_path]);
    async function reload(kinds = presented): Promise<void> {
      presented = kinds;
      await configure(port);
      const listening = daemon.nextListening();
      daemon.child.kill('SIGHUP');
      await listening;
    }
    try {
      await daemon.nextListening();
      return { host_keys, port, daemon, reload };
    } catch (error) {
      await daemon.stop();
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}
