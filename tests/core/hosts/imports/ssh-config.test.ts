import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { SshConfigHost } from '#core/hosts/imports/ssh-config/host.ts';
import type { Jump } from '#core/hosts/imports/ssh-config/jumps.ts';
import { openSshConfig } from '#core/hosts/imports/ssh-config/parse.ts';
import { planFromSshConfig } from '#core/hosts/imports/ssh-config/servers.ts';
import { createWarnings } from '#core/hosts/imports/warning-list.ts';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-ssh-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OF_PLAN = /: no User is given|IdentityFile|was added/;
const NOBODY = 'nobody-in-particular'; // `ssh -G` prints the local user where the text names none.

/** OpenSSH's own result for an alias, or why it refuses the text. */
function askSsh(text: string, alias: string): string {
  const file = join(folder, 'config');
  writeFileSync(file, `${text}\nMatch all\n  User ${NOBODY}\n`);
  try {
    const output = execFileSync('ssh', ['-G', '-F', file, '--', alias], { encoding: 'utf8', stdio: 'pipe' });
    const lines = output.split('\n').map((line) => /^(\S+) (.*)$/.exec(line) ?? []);
    const settingOf = (keyword: string) => lines.find(([, name]) => name === keyword)?.[2];
    const keys = lines.filter(([, name, value]) => name === 'identityfile' && isNamed(value));
    const { hostname, port, user, proxyjump } = Object.fromEntries(
      ['hostname', 'port', 'user', 'proxyjump'].map((name) => [name, settingOf(name)]),
    );
    const jumps = proxyjump?.replaceAll('ssh://', ''); // All but the last are printed as written.
    return JSON.stringify([hostname?.toLowerCase(), port, user, jumps, keys.length > 0]);
  } catch {
    return 'refused';
  }
}

/** Names no key, or one of ssh's default keys. */
function isNamed(value = ''): boolean {
  return value !== 'none' && !value.startsWith('~/.ssh/id_');
}

/** Our result in the same form. */
function asSsh({ hostname, port, user = NOBODY, jumps, has_identity_file }: SshConfigHost): string {
  const jump = jumps.length === 0 ? undefined : jumps.map(toText).join(',');
  return JSON.stringify([hostname, String(port), user, jump, has_identity_file]);
}

function toText({ user, host, port }: Jump): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${user === undefined ? '' : `${user}@`}${name}${port === undefined ? '' : `:${port}`}`;
}

async function read(text: string): Promise<{ hosts: SshConfigHost[]; warnings: string[] }> {
  const warnings = createWarnings();
  const config = await openSshConfig(text, warnings);
  const readings = [];
  for (const { alias } of config.chosen) readings.push(await config.read(alias));
  await planFromSshConfig(config, { group: '', username: NOBODY, registry: [] }, warnings);
  const hosts = readings.flatMap((reading) => (reading.kind === 'host' ? [reading.host] : []));
  return { hosts, warnings: warnings.list().filter((warning) => !OF_PLAN.test(warning)) };
}

async function hostOf(text: string, alias = 'a'): Promise<SshConfigHost | undefined> {
  return (await read(text)).hosts.find((host) => host.alias === alias);
}

describe('An ssh_config', () => {
  it.each([
    ['keywords in any case', 'hOST a\n  HOSTNAME A.Example\n  pOrT 2022\n  uSeR ann'],
    ['equals signs', 'Host=a\nHostName = h\n  Port= 23\nUser =x=y'],
    ['two equals signs', 'Host a\nUser==x'],
    ['quotes', 'Host "a"\n HostName "h.example"\n User "ann b"\n IdentityFile "~/my keys/x"'],
    ['quotes within words', `Host a\n User ann" b"'c d'e`],
    [
      'escapes',
      String.raw`Host a
 User "a\"b\\c"\ \d`,
    ],
    ['a quoted keyword', '"Host" a\n"User" ann'],
    ['comments', '# Host a\nHost a # b\n  # User x\n User ann # User y\n  Port 23 #4'],
    ['a number sign within a word', 'Host a a#b\n User a#b'],
    ['CRLF, tabs and form feeds', 'Host a\r\n\tHostName h \t\r\n\r\n\tPort\t23\f\r\n'],
    ['what comes before the first Host', 'User first\nHost a\n User second\n Port 23'],
    ['the first of several values', 'Host a\n Port 1\n Port 2\nHost *\n Port 3\n User x'],
    ['patterns', 'Host a\nHost b*\n User b\nHost ?\n User one\n'],
    ['negation', 'Host a\nHost * !a\n User others\nHost * !b\n Port 23'],
    ['an alias that its own line negates', 'Host a !a\n User x'],
    ['patterns in another case', 'Host a\nHost A\n User x'],
    ['the token %h', 'Host a\n HostName %h.example.com'],
    ['a percent sign', 'Host a\n HostName %h%%'],
    ['IPv6', 'Host a\n HostName 2001:DB8::1'],
    ['one hop', 'Host a\n ProxyJump ann@j:23'],
    ['several hops', 'Host a\n ProxyJump x@j:23,k,l@m@n'],
    ['a hop in brackets', 'Host a\n ProxyJump ann@[2001:db8::1]:23'],
    ['a hop as a URI', 'Host a\n ProxyJump ssh://ann@j:23/'],
    ['a hop before a comment', 'Host a\n ProxyJump = j # k'],
    ['no hop', 'Host a\n ProxyJump NONE\nHost *\n ProxyJump j'],
    ['a hop with an empty port', 'Host a\n ProxyJump j:'],
    ['no command before a hop', 'Host a\n ProxyCommand none\nHost *\n ProxyJump j'],
    ['a hop before a command', 'Host a\n ProxyJump j\n ProxyCommand nc %h %p'],
    ['Match all', 'Host a\n Port 23\nMatch ALL # of them\n User x\n Port 24\nHost b\n User y'],
    ['no key and a key', 'Host a\n IdentityFile none\nHost *\n IdentityFile /etc/k'],
    ['no key', 'Host a\n IdentityFile none'],
    ['a port with a plus sign or zeros', 'Host a\n Port +0023'],
    ['other keywords', 'Host a\n CanonicalizeHostname no\n Compression yes\n User x'],
  ])('means the same to us as to ssh: %s', async (_name, text) => {
    const host = await hostOf(text);
    expect(host && asSsh(host)).toBe(askSsh(text, 'a'));
    expect(askSsh(text, 'a')).not.toBe('refused');
  });

  it.each([
    ['a port of 0', 'Host a\n Port 0'],
    ['a port of 65536', 'Host a\n Port 65536'],
    ['a port that is no number', 'Host a\n Port 22x'],
    ['two users', 'Host a\n User x y'],
    ['an empty name', 'Host a\n HostName ""'],
    ['no value', 'Host a\n Port'],
    ['a quote that is never closed', 'Host a\n User "x'],
    ['an unknown token', 'Host a\n HostName x.%n'],
    ['a single percent sign at the end', 'Host a\n HostName x%'],
    ['a list of hops with a space', 'Host a\n ProxyJump j, k'],
    ['a hop without user', 'Host a\n ProxyJump @j'],
    ['a hop without host', 'Host a\n ProxyJump j,'],
    ['a hop with a bad port', 'Host a\n ProxyJump j:0'],
    ['IPv6 without brackets', 'Host a\n ProxyJump 2001:db8::1'],
    ['a URI with a path', 'Host a\n ProxyJump ssh://j/path'],
  ])('loses a host that ssh refuses, with a warning that names the line: %s', async (_name, text) => {
    expect(askSsh(text, 'a')).toBe('refused');
    const { hosts, warnings } = await read(`${text}\nHost b`);
    expect(hosts.map(({ alias }) => alias)).toEqual(['b']);
    expect(warnings).toEqual([expect.stringMatching(/^Host "a" is left out: .*\(line 2\)\.$/)]);
  });

  it('keeps a host whose bad value follows a good one', async () => {
    const { hosts, warnings } = await read('Host a\n Port 23\nHost *\n Port x\n');
    expect(hosts).toMatchObject([{ alias: 'a', port: 23 }]);
    expect(warnings).toEqual([]);
  });

  it('has tokens in ProxyJump refused, since only ssh can expand them', async () => {
    const { hosts, warnings } = await read('Host a\n ProxyJump %r@j');
    expect(hosts).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('without tokens or')]);
  });

  it('lists each host once, in order of appearance, and no patterns', async () => {
    const { hosts } = await read('Host c a\nHost * b? !d\nHost a b\nHost B');
    expect(hosts.map(({ alias }) => alias)).toEqual(['c', 'a', 'b', 'B']);
  });

  it('yields every field of a host', async () => {
    expect(await hostOf('Host a\n ProxyJump ssh://u;x=y@j:1,[::1],k')).toEqual({
      alias: 'a',
      hostname: 'a',
      port: 22,
      user: undefined,
      jumps: [{ user: 'u', host: 'j', port: 1 }, { host: '::1' }, { host: 'k' }],
      jumps_line: 2,
      has_identity_file: false,
    });
  });

  it('is read without Match blocks, with one warning for each', async () => {
    const text =
      'Host a\nMatch exec "touch /tmp/x"\n User x\n Port 1\nMatch host a\n User y\nHost *\n User z';
    const { hosts, warnings } = await read(text);
    expect(hosts).toMatchObject([{ alias: 'a', user: 'z', port: 22 }]);
    expect(warnings).toEqual([
      expect.stringMatching(/^Line 2: .*Match/),
      expect.stringMatching(/^Line 5: .*Match/),
    ]);
  });

  it('is read without Include and ProxyCommand, with a warning', async () => {
    const { hosts, warnings } = await read('Include x/*\nHost a\n ProxyCommand nc %h %p\n');
    expect(hosts).toEqual([]);
    expect(warnings).toEqual([
      'Line 1: Include is not followed, what it names is left out.',
      'Host "a" is left out: its ProxyCommand is not run (line 3).',
    ]);
  });

  it.each([
    ['ssh -W %h:%p gate', ['gate']],
    ['ssh -q -W %h:%p b@gate -p 2222', ['b@gate:2222']],
    ['ssh gate -W %h:%p', ['gate']],
    ['ssh gate nc %h %p', ['gate']],
    ['ssh gate nc -q0 -w 30 %h %p 2> /dev/null', ['gate']],
    ['exec ssh gate exec /bin/nc %h %p 2>/dev/null', ['gate']],
    ["ssh -ax gate 'nc %h %p'", ['gate']],
    ['ssh gate -- netcat %h %p', ['gate']],
    ['ssh -W [%h]:%p gate', ['gate']],
    ['ssh -W "[%h]:%p" "gate"', ['gate']],
    ['"ssh -W %h:%p gate"', ['gate']],
    ['/usr/bin/ssh -qaxW%h:%p -l b gate', ['b@gate']],
    ['ssh -i ~/.ssh/id -o StrictHostKeyChecking=no -oUser=b -o "Port 2222" -W %h:%p gate', ['b@gate:2222']],
    ['ssh -W %n:%p %r@gate', ['u@gate']],
    ['ssh -W a:22 -- gate', ['gate']],
    ['ssh -W %h:%p ssh://b@gate:2222', ['b@gate:2222']],
    ['ssh -J first,b@second -W %h:%p gate', ['first', 'b@second', 'gate']],
    ['ssh -o ProxyJump=first -W %h:%p gate', ['first', 'gate']],
    ['ssh -l b -W %h:%p b@gate', ['b@gate']],
  ])('takes a ProxyCommand that is a jump host as one: %s', async (command, jumps) => {
    const host = await hostOf(`Host a\n User u\n ProxyCommand ${command}`);
    expect(host?.jumps.map(toText)).toEqual(jumps);
    expect(host).toMatchObject({ hostname: 'a', port: 22 });
  });

  it('reaches the address that such a ProxyCommand spells out', async () => {
    const host = await hostOf('Host a\n HostName ignored\n ProxyCommand ssh gate -W 10.0.0.5:2022');
    expect(host).toMatchObject({ hostname: '10.0.0.5', port: 2022, jumps: [{ host: 'gate' }] });
  });

  it.each([
    'nc -X connect -x proxy:3128 %h %p',
    'connect-proxy -S socks:1080 %h %p',
    'ssh gate',
    'ssh -W %h:%p',
    'ssh -W %h:%p gate nc %h %p',
    'ssh -W %h gate',
    'ssh -W /run/x.sock gate',
    'ssh gate nc -x proxy:1 %h %p',
    'ssh gate nc -U /run/x.sock',
    'ssh gate socat - TCP:%h:%p',
    'ssh -F other -W %h:%p gate',
    'ssh -D 1080 -W %h:%p gate',
    'ssh -o HostName=other -W %h:%p gate',
    'ssh -o "ProxyCommand nc %h %p" -W %h:%p gate',
    'ssh -l b -W %h:%p c@gate',
    'ssh -p 2222 -p 22 -W %h:%p gate',
    'ssh -p 0 -W %h:%p gate',
    'ssh -W %h:%p gate; touch /tmp/x',
    'ssh -W %h:%p $(gate)',
    'ssh -W %h:%p gate1,gate2',
    'ssh -W %h:%p gate-%C',
    'sh -c "ssh -W %h:%p gate"',
    '~/bin/ssh -W %h:%p gate',
    "ssh -W %h:%p 'gate",
  ])('loses a host that another ProxyCommand reaches: %s', async (command) => {
    const { hosts, warnings } = await read(`Host a\n User u\n ProxyCommand ${command}`);
    expect(hosts).toEqual([]);
    expect(warnings).toEqual(['Host "a" is left out: its ProxyCommand is not run (line 3).']);
  });

  it('stores an internationalized host name in its ASCII form', async () => {
    expect(await hostOf('Host a\n HostName MÜNCHEN.example')).toMatchObject({
      hostname: 'xn--mnchen-3ya.example',
    });
  });

  it.each([
    ['HostName [2001:db8::7]', 'HostName must be a host name or an IP address', 2],
    ['HostName "two words"', 'HostName must be a host name or an IP address', 2],
    ['HostName １２７.0.0.1', 'HostName must be a host name or an IP address', 2],
    [`User ${'u'.repeat(151)}`, 'User must have 1 to 150 characters that can be seen', 2],
  ])('loses a host that cannot become a server: %s', async (line, problem, at) => {
    const { hosts, warnings } = await read(`Host a\n ${line}\nHost b`);
    expect(hosts.map(({ alias }) => alias)).toEqual(['b']);
    expect(warnings).toEqual([`Host "a" is left out: ${problem} (line ${at}).`]);
  });

  it('loses the section of a Host line that cannot be read', async () => {
    const { hosts, warnings } = await read('Host a\nHost "b\n User x\nHost\n User y\nHost c ""\n User z');
    expect(hosts).toMatchObject([{ alias: 'a', user: undefined }]);
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual(['Line 2', 'Line 4', 'Line 6']);
  });

  it('may begin with a byte order mark', async () => {
    expect(await hostOf('\uFEFFHost a\n User x')).toMatchObject({ user: 'x' });
  });
});

/** A small linear congruential generator: the same texts in every run. */
function createRandom(seed: number) {
  let state = seed;
  return function pick<T>(choices: readonly [T, ...T[]]): T {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return choices[Math.floor((state / 2 ** 32) * choices.length)] ?? choices[0];
  };
}

function randomConfig(pick: ReturnType<typeof createRandom>): string {
  const word = () => pick(['a', 'ab', 'b', 'a.b', 'x', 'A', 'a-b', 'abab', '"b"', "'ab'"]);
  const pattern = () =>
    pick([word, word, () => pick(['*', '?', 'a*', '*b', '?b', 'a*b', '*.*', '!a', '!*b', '!x'])])();
  const many = (make: () => string, separator: string) =>
    Array.from({ length: pick([1, 1, 2, 3]) }, make).join(separator);
  const host = () =>
    pick(['j', 'k.example', '[::1]', 'a', 'u@j', 'u@k:23', '[2001:db8::2]:24', 'ssh://v@j:25', 'j:26']);
  const is = () => pick([' ', '=', ' = ', '\t', '  ', ' =']);
  const line = () =>
    pick([
      () => `Host${is()}${many(pattern, ' ')}`,
      () => `Host${is()}${many(pattern, '  ')} # ${word()}`,
      () => `  HostName${is()}${pick(['%h', 'h', '%h.example', 'x-%h-%%', '"H.Example"'])}`,
      () => `  port${is()}${pick(['22', '2022', '65535', '"1"'])}`,
      () => `\tUser${is()}${pick(['ann', '"b c"', 'd#e', String.raw`f\"g`, 'h # i', "'j'k"])}`,
      () => `  ProxyJump${is()}${pick([() => 'none', host, host, () => many(host, ',')])()}`,
      () => ` ProxyCommand${is()}${pick(['none', 'nc %h %p'])}`,
      () => ` IdentityFile${is()}${pick(['none', '/k', '"/my key"'])}`,
      () => pick(['', '# Host y', '   ', 'Match all', 'Compression yes', '\r']),
    ])();
  return Array.from({ length: 14 }, line).join(pick(['\n', '\n', '\r\n']));
}

describe('A random ssh_config', () => {
  it('means the same to us as to ssh, for every alias', { timeout: 300_000 }, async () => {
    const pick = createRandom(4);
    let compared = 0;
    for (let round = 0; round < 100; round += 1) {
      const text = randomConfig(pick);
      for (const host of (await read(text)).hosts) {
        const expected = askSsh(text, host.alias);
        if (expected === 'refused') continue; // A loop, or an invalid name.
        compared += 1;
        expect(asSsh(host), `${host.alias} in\n${text}`).toBe(expected);
      }
    }
    expect(compared).toBeGreaterThan(200);
  });
});

describe('A hostile ssh_config', () => {
  const refused = (text: string) => expect(read(text)).rejects;

  it('is not read beyond 1 MiB', async () => {
    await refused(`Host a\n${'#'.repeat(1024 * 1024)}`).toMatchObject({ code: 'validation' });
  });

  it('is refused beyond 5,000 hosts', async () => {
    const { hosts } = await read(namedHosts(5000));
    expect(hosts.at(-1)).toMatchObject({ alias: 'h4999' });
    await refused(namedHosts(5001)).toThrow('More than 5000 servers');
  });

  it('warns about a second section that contradicts the first, whose settings count', async () => {
    const text = 'Host newbox\n HostName one\nHost newbox\n HostName two\nHost newbox\n User ann';
    const { hosts, warnings } = await read(text);
    expect(hosts).toMatchObject([{ alias: 'newbox', hostname: 'one', user: 'ann' }]);
    expect(warnings).toEqual(['Line 3: Host "newbox" has a section already (line 1), whose settings count.']);
  });

  it('warns about patterns that match no name in the text, but not about defaults for all', async () => {
    const text = 'Host a.lab\nHost *.example.com !x\n User u\nHost *.lab\n User v\nHost *\n Port 23';
    const { hosts, warnings } = await read(text);
    expect(hosts).toMatchObject([{ alias: 'a.lab', user: 'v', port: 23 }]);
    expect(warnings).toEqual([
      'Line 2: nothing is imported for Host "*.example.com !x", which no name in the text matches.',
    ]);
  });

  it('gives at most 200 warnings and the number of the others', async () => {
    const { warnings } = await read('Include x\n'.repeat(207));
    expect(warnings).toHaveLength(201);
    expect(warnings.at(-1)).toBe('and 7 more');
  });

  it('is read without names and patterns over 255 characters, with a warning', async () => {
    const { hosts, warnings } = await read(
      `Host ${'a'.repeat(256)} b *${'b'.repeat(256)}\n User x\nHost *\n Port 23`,
    );
    expect(hosts).toMatchObject([{ alias: 'b', user: 'x', port: 23 }]);
    expect(warnings).toEqual(['Line 1: names and patterns of more than 255 characters are left out.']);
  });

  it('loses a section whose negated pattern is too long, since it would match more hosts', async () => {
    const { hosts, warnings } = await read(`Host a\nHost * !${'*'.repeat(255)}a\n User x`);
    expect(hosts).toMatchObject([{ alias: 'a', user: undefined }]);
    expect(warnings).toEqual(['Line 2: this Host cannot be read, its section is left out.']);
  });

  it.each([
    ['a pattern and a name of 180 KB', `Host ${'a'.repeat(120_000)}\nHost *${'a'.repeat(60_000)}b`, 0],
    ['many wildcards', `Host ${'a'.repeat(150)}\nHost ${'*a'.repeat(120)}b\n User x`, 1],
    ['one host in many sections', 'Host a\n'.repeat(140_000), 1],
    ['a name that grows', `Host a${'b'.repeat(200)}\n HostName %h%h`, 0],
    ['many spaces', `Host a\n User${' '.repeat(1_000_000)}x`, 1],
    ['many quotes', `Host a\n User ${'"'.repeat(1_000_000)}`, 0],
    ['many hops', `Host a\n ProxyJump ${'j,'.repeat(500_000)}j`, 1],
  ])('is parsed in bounded time: %s', async (_name, text, count) => {
    expect((await read(text)).hosts).toHaveLength(count);
  });

  it('has no ProxyCommand over 1,000 characters read, since that would be done for each host', async () => {
    const viaJump = (options: number) =>
      read(`Host a\nHost *\n ProxyCommand ssh ${'-oCompression=no '.repeat(options)}-W %h:%p jump`);
    expect((await viaJump(57)).hosts).toMatchObject([{ alias: 'a', jumps: [{ host: 'jump' }] }]);
    const { hosts, warnings } = await viaJump(58);
    expect(hosts).toEqual([]);
    expect(warnings).toEqual(['Host "a" is left out: its ProxyCommand is not run (line 3).']);
  });

  it.each([
    ['many sections for many hosts', `${namedHosts(4000)}${'Host *\nUser x\n'.repeat(60_000)}`],
    ['many patterns for many hosts', `${namedHosts(5000)}Host ${'*a*b '.repeat(150_000)}`],
    [
      'long patterns for one long name',
      `Host ${'a'.repeat(255)}\nHost ${`*${'a'.repeat(127)}b `.repeat(7000)}`,
    ],
  ])('is refused when it takes too many steps: %s', { timeout: 180_000 }, async (_name, text) => {
    await refused(text).toThrow('The configuration is too large');
  });

  it('yields to the event loop while it is read', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    });
    await refused(`${namedHosts(5000)}Host ${'*a*b '.repeat(150_000)}`).toThrow('too large');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it.each([
    ['a User', (unseen: string) => `Host a\n User root${unseen}x`],
    ['an alias', (unseen: string) => `Host a${unseen}b`],
    ['a HostName', (unseen: string) => `Host a\n HostName h${unseen}.example`],
    ['a host of ProxyJump', (unseen: string) => `Host a\n ProxyJump j${unseen}k`],
    ['a user of ProxyJump', (unseen: string) => `Host a\n ProxyJump u${unseen}@j`],
  ])('loses a host when %s contains bidirectional control characters', async (_what, textWith) => {
    for (const unseen of '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069') {
      const { hosts, warnings } = await read(`${textWith(unseen)}\nHost fine`);
      expect(hosts.map(({ alias }) => alias)).toEqual(['fine']);
      expect(warnings).toEqual([expect.stringMatching(/^Host "ab?" is left out: .*cannot be seen/)]);
    }
  });
});

function namedHosts(count: number): string {
  return Array.from({ length: count }, (_, index) => `Host h${index}\n`).join('');
}
