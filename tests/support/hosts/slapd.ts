import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Attribute, Change, Client } from 'ldapts';
import { atExit } from '../at-exit.ts';
import { freePort } from './tcp.ts';

const run = promisify(execFile);

const BASE = 'dc=example,dc=org';
const PEOPLE = `ou=people,${BASE}`;
const GROUPS = `ou=groups,${BASE}`;
const GATEWAY = `cn=gateway,${BASE}`;
const GATEWAY_PASSWORD = 'gateway password';
const ROOT = `cn=root,${BASE}`;
const ROOT_PASSWORD = 'root password';
const NOBODY = `cn=nobody,${BASE}`; // groupOfNames requires a member.

/** Every password is the first `uid` followed by ` password`. */
export const PERSONS = {
  alice: `uid=alice,${PEOPLE}`,
  bob: `uid=bob,${PEOPLE}`,
  /** Also has the uids `carol.smith` and `csmith`. */
  carol: `uid=carol,${PEOPLE}`,
  /** uid `john`, with a name full of characters that DNs and filters escape. */
  john: `cn=Smith\\2C John (ops)*,${PEOPLE}`,
  jürgen: `uid=jürgen,${PEOPLE}`,
  /** Shares the mail address of `twin2`. */
  twin1: `uid=twin1,${PEOPLE}`,
  twin2: `uid=twin2,${PEOPLE}`,
  /** Has no password. */
  locked: `uid=locked,${PEOPLE}`,
} as const;

const GROUP_NAMES = ['admins', 'developers', 'ops, (night)*'] as const;

/** At first alice is in admins; alice, bob and john are in developers; john is in the third. */
export const DIRECTORY_GROUPS: Readonly<Record<GroupName, string>> = {
  admins: `cn=admins,${GROUPS}`,
  developers: `cn=developers,${GROUPS}`,
  'ops, (night)*': `cn=ops\\2C (night)*,${GROUPS}`,
};

type Username = keyof typeof PERSONS;
type GroupName = (typeof GROUP_NAMES)[number];

export interface SlapdOptions {
  /** Lines of slapd.conf for the database, before its access rules. */
  readonly config?: readonly string[];
  /** Lines of slapd.conf after its schemas. */
  readonly schema?: readonly string[];
}

/** A real OpenLDAP server on 127.0.0.1, in a temporary folder; only its service account may search. */
export interface Slapd {
  readonly url: string;
  /** The certificate names `localhost` and 127.0.0.1. */
  readonly tls_url: string;
  readonly ca_file: string;
  readonly base: string;
  readonly people: string;
  readonly groups: string;
  readonly bind_dn: string;
  readonly bind_password: string;
  /** The log of slapd: connections, operations and results. */
  log(): string;
  /** For a gateway: groups are looked up, `admins` are administrators, `developers` reach `lab`, the third group reaches `ops`. */
  env(): Record<string, string>;
  add(dn: string, attributes: Record<string, string | string[]>): Promise<void>;
  replace(dn: string, attribute: string, values: string[] | Buffer[]): Promise<void>;
  remove(dn: string): Promise<void>;
  setPassword(username: Username, password: string): Promise<void>;
  /** In these groups, and in no others. */
  setGroups(username: Username, names: readonly GroupName[]): Promise<void>;
  /** Resolves when it is stopped: the kernel accepts connections, and nothing answers. */
  pause(): Promise<void>;
  resume(): void;
  /** Ends it and frees the port. */
  halt(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSlapd(options: SlapdOptions = {}): Promise<Slapd> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-slapd-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    await prepare(folder, options);
    const { port, tls_port, daemon } = await launch(folder);
    const url = `ldap://127.0.0.1:${port}`;
    return {
      url,
      tls_url: `ldaps://127.0.0.1:${tls_port}`,
      ca_file: join(folder, 'ca.pem'),
      base: BASE,
      people: PEOPLE,
      groups: GROUPS,
      bind_dn: GATEWAY,
      bind_password: GATEWAY_PASSWORD,
      log: () => daemon.lines.join('\n'),
      env: () => environment(url),
      ...createChanges(url),
      pause: () => freeze(daemon.child),
      resume: () => void daemon.child.kill('SIGCONT'),
      halt: daemon.stop,
      async stop() {
        await daemon.stop();
        await removeFolder();
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

function environment(url: string): Record<string, string> {
  return {
    SERVICE_LDAP_ENABLED: 'true',
    SERVICE_LDAP_URL: url,
    SERVICE_LDAP_BIND_DN: GATEWAY,
    SERVICE_LDAP_BIND_PASSWORD: GATEWAY_PASSWORD,
    SERVICE_LDAP_USER_BASE: PEOPLE,
    SERVICE_LDAP_GROUP_BASE: GROUPS,
    SERVICE_LDAP_GROUP_MAP: JSON.stringify({ developers: 'lab', 'ops, (night)*': ['ops'] }),
    SERVICE_LDAP_ADMIN_GROUPS: JSON.stringify(['admins']),
  };
}

function createChanges(url: string) {
  async function asRoot(work: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ url, timeout: 10_000, connectTimeout: 10_000 });
    try {
      await client.bind(ROOT, ROOT_PASSWORD);
      await work(client);
    } finally {
      await client.unbind();
    }
  }
  const replace = (dn: string, type: string, values: string[] | Buffer[]) =>
    asRoot((client) => {
      const modification = new Attribute({ type, values });
      return client.modify(dn, new Change({ operation: 'replace', modification }));
    });
  const membersOf = async (client: Client, group: string): Promise<string[]> => {
    const { searchEntries } = await client.search(group, { scope: 'base', attributes: ['member'] });
    return [searchEntries[0]?.['member'] ?? []].flat().map(String);
  };
  return {
    add: (dn: string, attributes: Record<string, string | string[]>) =>
      asRoot((client) => client.add(dn, attributes)),
    replace,
    remove: (dn: string) => asRoot((client) => client.del(dn)),
    setPassword: (username: Username, password: string) =>
      replace(PERSONS[username], 'userPassword', [password]),
    setGroups: (username: Username, names: readonly GroupName[]) =>
      asRoot(async (client) => {
        const person = PERSONS[username];
        for (const name of GROUP_NAMES) {
          const others = (await membersOf(client, DIRECTORY_GROUPS[name])).filter((dn) => dn !== person);
          const values = names.includes(name) ? [...others, person] : others;
          const modification = new Attribute({ type: 'member', values });
          await client.modify(DIRECTORY_GROUPS[name], new Change({ operation: 'replace', modification }));
        }
      }),
  };
}

async function prepare(folder: string, options: SlapdOptions): Promise<void> {
  // A copy, because Debian's AppArmor profile keeps the installed one out of temporary folders.
  await Promise.all([
    copyFile('/usr/sbin/slapd', join(folder, 'slapd')),
    mkdir(join(folder, 'data')),
    writeFile(join(folder, 'slapd.conf'), configFor(folder, options)),
    writeFile(join(folder, 'seed.ldif'), SEED),
    createCertificates(folder),
  ]);
  const seed = ['-T', 'add', '-q', '-f', join(folder, 'slapd.conf'), '-l', join(folder, 'seed.ldif')];
  await run(join(folder, 'slapd'), seed);
}

async function createCertificates(folder: string): Promise<void> {
  const self_made = (name: string, subject: string, ...more: string[]) =>
    run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
      ...['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`), '-subj', subject],
      ...more,
    ]);
  await self_made('ca', '/CN=Sallyport test authority');
  await self_made(
    'server',
    '/CN=localhost',
    ...['-CA', join(folder, 'ca.pem'), '-CAkey', join(folder, 'ca.key')],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
  );
}

function configFor(folder: string, { config = [], schema = [] }: SlapdOptions): string {
  return [
    ...['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    ...schema,
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    `pidfile ${folder}/slapd.pid`,
    `TLSCACertificateFile ${folder}/ca.pem`,
    `TLSCertificateFile ${folder}/server.pem`,
    `TLSCertificateKeyFile ${folder}/server.key`,
    'threads 4',
    'database mdb',
    `suffix "${BASE}"`,
    `rootdn "${ROOT}"`,
    `rootpw "${ROOT_PASSWORD}"`,
    `directory ${folder}/data`,
    'maxsize 67108864',
    'dbnosync',
    'sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited', // page by page there is more
    'index objectClass,uid,mail,member eq',
    ...config,
    'access to attrs=userPassword by anonymous auth by * none',
    `access to * by dn.exact="${GATEWAY}" read by anonymous auth by * none`,
    '',
  ].join('\n');
}

interface Person {
  readonly dn: string;
  readonly uid: readonly string[];
  readonly mail?: string;
  readonly password?: string;
}

function person({ dn, uid, mail, password }: Person): string {
  return entry(dn, {
    objectClass: ['inetOrgPerson'],
    cn: [dn.startsWith('cn=') ? 'Smith, John (ops)*' : (uid[0] ?? '')],
    sn: ['Test'],
    uid,
    ...(mail === undefined ? {} : { mail: [mail] }),
    ...(password === undefined ? {} : { userPassword: [password] }),
  });
}

function simplePerson(uid: Username, mail = `${uid}@example.org`): string {
  return person({ dn: PERSONS[uid], uid: [uid], mail, password: `${uid} password` });
}

function group(name: GroupName, members: readonly Username[]): string {
  const member = [NOBODY, ...members.map((username) => PERSONS[username])];
  return entry(DIRECTORY_GROUPS[name], { objectClass: ['groupOfNames'], cn: [name], member });
}

/** LDIF with every value in base64, so that none needs escaping. */
function entry(dn: string, attributes: Readonly<Record<string, readonly string[]>>): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const lines = Object.entries(attributes).flatMap(([name, values]) =>
    values.map((value) => `${name}:: ${base64(value)}`),
  );
  return [`dn:: ${base64(dn)}`, ...lines, ''].join('\n');
}

const SEED = [
  entry(BASE, { objectClass: ['dcObject', 'organization'], dc: ['example'], o: ['Example'] }),
  entry(PEOPLE, { objectClass: ['organizationalUnit'], ou: ['people'] }),
  entry(GROUPS, { objectClass: ['organizationalUnit'], ou: ['groups'] }),
  entry(GATEWAY, {
    objectClass: ['organizationalRole', 'simpleSecurityObject'],
    cn: ['gateway'],
    userPassword: [GATEWAY_PASSWORD],
  }),
  simplePerson('alice'),
  simplePerson('bob'),
  person({
    dn: PERSONS.carol,
    uid: ['carol', 'Carol.Smith', 'csmith'],
    mail: 'carol@example.org',
    password: 'carol password',
  }),
  person({ dn: PERSONS.john, uid: ['john'], mail: 'john@example.org', password: 'john password' }),
  person({ dn: PERSONS.jürgen, uid: ['jürgen'], password: 'jürgen password' }),
  simplePerson('twin1', 'twins@example.org'),
  simplePerson('twin2', 'twins@example.org'),
  person({ dn: PERSONS.locked, uid: ['locked'] }),
  group('admins', ['alice']),
  group('developers', ['alice', 'bob', 'john']),
  group('ops, (night)*', ['john']),
].join('\n');

interface Daemon {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Rejects when slapd ends by itself. */
  readonly ended: Promise<never>;
  stop(): Promise<void>;
}

const PORT_ATTEMPTS = 5;

/** Another process may take a free port before slapd does. */
async function launch(folder: string): Promise<{ port: number; tls_port: number; daemon: Daemon }> {
  for (let attempt = 1; ; attempt += 1) {
    const [port, tls_port] = await Promise.all([freePort(), freePort()]);
    const daemon = startDaemon(folder, `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tls_port}/`);
    try {
      await Promise.race([daemon.ended, Promise.all([port, tls_port].map((it) => accepting(daemon, it)))]);
      return { port, tls_port, daemon };
    } catch (error) {
      await daemon.stop();
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function startDaemon(folder: string, urls: string): Daemon {
  const child = spawn(join(folder, 'slapd'), ['-d', 'stats', '-h', urls, '-f', join(folder, 'slapd.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  const exited = once(child, 'exit');
  const callOff = atExit(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const ended = exited.then(() => {
    throw new Error(`slapd ended:\n${lines.join('\n')}`);
  });
  ended.catch(() => undefined); // Only callers that wait for the start need it.
  return {
    child,
    lines,
    ended,
    async stop() {
      callOff();
      child.kill('SIGKILL'); // Works for a stopped process too; nothing here is kept.
      await exited;
    },
  };
}

/** `kill` returns before the signal is delivered, and each thread stops separately. */
async function freeze(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP');
  const tasks = `/proc/${child.pid}/task`;
  const stands = async (task: string) => / T /.test(await readFile(join(tasks, task, 'stat'), 'utf8'));
  while ((await Promise.all((await readdir(tasks)).map(stands))).includes(false)) await setTimeout(5);
}

/** It logs `starting` before it listens; the connection that it logs is one to itself. */
async function accepting({ child, lines }: Daemon, port: number): Promise<void> {
  const said = `(IP=127.0.0.1:${port})`;
  while (child.exitCode === null && !lines.some((line) => line.includes(said))) {
    const probe = connect(port, '127.0.0.1');
    probe.on('error', () => probe.destroy());
    probe.once('connect', () => probe.destroy());
    await setTimeout(10);
  }
}
