import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isPrivateKey } from '#core/agent/masking/keys.ts';
import { masked, maskedArguments } from '#core/agent/masking/mask.ts';

const SECRET = 'hUnter2-Zq9xW4';
// Assembled, so that no scanner takes them for real ones.
const made = (...parts: string[]) => parts.join('');

const CONFIGURED = [
  `password = ${SECRET}`,
  `password=${SECRET} with words`,
  `DB_PASSWORD=${SECRET}`,
  `export API_TOKEN="${SECRET}"`,
  `  "password": "${SECRET}",`,
  `{"user":"a","password":"${SECRET}","x":1}`,
  `{"a":"{\\"password\\":\\"${SECRET}\\"}"}`,
  `secret: ${SECRET}`,
  `  client_secret: '${SECRET}'`,
  `password: |\n  ${SECRET}\n  more ${SECRET}\nnext: 1`,
  `password: >-\n    ${SECRET}`,
  `<password>${SECRET}</password>`,
  `<add key="ApiKey" value="x" apikey="${SECRET}"/>`,
  `define('DB_PASSWORD', '${SECRET}');`,
  `'password' => '${SECRET}',`,
  `$config["password"] = "${SECRET}";`,
  `requirepass ${SECRET}`,
  `aws_secret_access_key = ${SECRET}`,
  `//registry.npmjs.org/:_authToken=${SECRET}`,
  `_auth=${SECRET}`,
  `"auth": "${SECRET}"`,
  `PrivateKey = ${SECRET}=`,
  `PresharedKey=${SECRET}`,
  `psk=${SECRET}`,
  `client-key-data: ${SECRET}`,
  `SMTP_PASS=${SECRET}`,
  `https://example.com/?token=${SECRET}&a=1`,
  `postgres://app:${SECRET}@db:5432/app`,
  `redis://:${SECRET}/x@cache/0`,
  `https://a/?to=https://me:${SECRET}@b/`,
  `amqp://u:${SECRET}@a,amqp://u:${SECRET}@b`,
  `https://${SECRET}abcdef@example.com/`,
  `Authorization: Basic ${SECRET}`,
  `curl -H "Authorization: Bearer ${SECRET}" https://x`,
  `Cookie: session=${SECRET}`,
  `x-api-key: ${SECRET}`,
  `machine example.com login me password ${SECRET}`,
  `machine example.com\n  login me\n  password ${SECRET}`,
  `db.example.com:5432:app:me:${SECRET}`,
  `*:*:*:me:${SECRET}`,
  `mysqldump -u root -p${SECRET} app`,
  `sshpass -p ${SECRET} ssh box`,
  `curl -u me:${SECRET} https://x`,
  `tool --password ${SECRET} --verbose`,
  `tool --api-key=${SECRET} --verbose`,
  `root:$6$salt$${SECRET}abcdefgh:19000:0:99999:7:::`,
  `old:${SECRET}:19000:0:99999:7:::`,
  `userPassword: {SSHA}${SECRET}`,
  `me:$apr1$salt$${SECRET}`,
  `<property name="password" value="${SECRET}"/>`,
  `<property value="${SECRET}" name="password"/>`,
  `<property name="db.password">${SECRET}</property>`,
  `<add key="DbPassword" value="${SECRET}" />`,
  `<add key='Smtp.Password'\n     value='${SECRET}' />`,
  `<entry key="api_key">${SECRET}</entry>`,
  `<key>Wi-Fi Password</key>\n  <string>${SECRET}</string>`,
  `ENV DB_PASSWORD ${SECRET}`,
  `ARG NPM_TOKEN ${SECRET}`,
  `    SetEnv DB_PASSWORD ${SECRET}`,
  `fastcgi_param DB_PASSWORD ${SECRET};`,
  `{"password":\n  "${SECRET}"}`,
  `"secret" :\r\n\t"${SECRET}"`,
  `ldap_pw = ${SECRET}`,
  `bindpw=${SECRET}`,
  `pw: ${SECRET}`,
  `{"kty":"RSA","n":"abc","d":"${SECRET}AAAA","p": "${SECRET}BBBB"}`,
  `{"kty":"oct","k":"${SECRET}AAAA"}`,
  `docker login -u me -p ${SECRET} registry.example`,
  `podman login --username=me -p=${SECRET}`,
  `helm registry login -u me -p '${SECRET}' x`,
  `redis-cli -h cache -a ${SECRET} ping`,
  `ldapsearch -x -D cn=a,dc=b -w ${SECRET} -b dc=b`,
  `ldapwhoami -xw ${SECRET}`,
  `ldappasswd -x -D cn=a -W -s ${SECRET} uid=b`,
  `aws configure set aws_secret_access_key ${SECRET}`,
  `aws configure set --profile=x aws_session_token "${SECRET}"`,
  `npm config set //registry.example/:_authToken ${SECRET}`,
  `git config user.password ${SECRET}`,
  `mongosh -u me -p ${SECRET}`,
  `sqlcmd -U sa -P ${SECRET}`,
  `ipmitool -H bmc -U root -P ${SECRET} power status`,
  `keytool -list -storepass ${SECRET}`,
  `htpasswd -cb /etc/x me ${SECRET}`,
  `smbclient //a/b -U me%${SECRET}`,
  `xfreerdp /u:me /p:${SECRET} /v:x`,
  `openssl rsa -passin pass:${SECRET} -in k`,
];

const TOKENS = [
  made('AKIA', 'IOSFODNN7EXAMPLE'),
  made('ghp_', 'abcdefghijklmnopqrstuvwxyz0123456789'),
  made('github_pat_', '11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz'),
  made('glpat-', 'abcdefghij0123456789'),
  made('xoxb-', '123456789012-abcdefghijkl'),
  made('sk_live_', 'abcdefghijklmnop12345678'),
  made('AIza', 'SyA1234567890abcdefghijklmnopqrstuv'),
  made('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxIn0', '.abcDEF123-_'),
  made('sp_', 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ'),
  made('npm_', 'abcdefghijklmnopqrstuvwxyz0123456789'),
  made('sk-ant-', 'api03-abcdefghijklmnopqrstuvwxyz'),
];

describe('masking', () => {
  it.each(CONFIGURED)('masks the secret in %j', (text) => {
    expect(masked(text)).not.toContain(SECRET);
    expect(masked(text)).toContain('[masked]');
  });

  it.each(TOKENS)('masks the token %s, also inside a line', (token) => {
    expect(masked(`before ${token} after`)).toBe('before [masked] after');
    expect(masked(`"${token}"`)).toBe('"[masked]"');
  });

  it('keeps what is around a secret', () => {
    expect(masked('a=1\npassword=x y\nb=2')).toBe('a=1\npassword=[masked]\nb=2');
    expect(masked('password = x')).toBe('password = [masked]');
    expect(masked('{"password":"x","user":"me"}')).toBe('{"password":"[masked]","user":"me"}');
    expect(masked('password: |\n  x\n  y\nnext: 1')).toBe('password: [masked]\nnext: 1');
    expect(masked('tool --token=x --user me')).toBe('tool --token=[masked] --user me');
  });

  it.each([
    'Nov 23 17:20:33 box sshd[12]: Accepted password for alice from 10.0.0.1 port 22 ssh2',
    'Nov 23 17:20:33 box sshd[12]: error: kex_exchange_identification: read: Connection reset',
    '2026-11-23T17:20:33.123456+00:00 box kernel: usb 1-1: new device',
    'PasswordAuthentication no',
    'passwd:         files systemd',
    'cat: /etc/passwd: Permission denied',
    'root:x:0:0:root:/root:/bin/bash',
    '/dev/sda1        41152736 39911212 0 100% /var',
    'tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:*',
    'password_required: true',
    'https://example.com:8443/a?mail=me@example.com',
    'https://me@example.com/a',
    'ssh://git@example.com:22/a.git',
    'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'docker run -p 8080:80 -d nginx',
    'redis-cli -h cache ping',
    'ldapsearch -x -s sub -a never -b dc=example',
    '<property name="user" value="app"/>',
    'ENV PATH /usr/bin:/bin',
    'set -o pipefail',
    'git config user.name Ana',
    'mkdir -p /srv/mongo',
    '/usr/lib/x86_64-linux-gnu/perl/5.36/CORE/Some/Long/PathThatIsNoKey12345',
  ])('leaves %j as it is', (text) => {
    expect(masked(text)).toBe(text);
  });

  it('masks arguments at any depth', () => {
    const args = { path: `/x?token=${SECRET}`, deep: [{ a: `password=${SECRET}` }], lines: 3 };
    expect(JSON.stringify(maskedArguments(args))).not.toContain(SECRET);
    expect(maskedArguments({ path: '/var/log', lines: 3 })).toEqual({ path: '/var/log', lines: 3 });
  });
});

function keyOf(type: string, format: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-mask-'));
  try {
    execFileSync('ssh-keygen', ['-q', '-t', type, '-m', format, '-N', '', '-f', join(folder, 'key')]);
    return readFileSync(join(folder, 'key'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.each([
  ['ed25519', 'RFC4716'],
  ['rsa', 'PEM'],
  ['rsa', 'PKCS8'],
])('a private key (%s, %s)', (type, format) => {
  const key = keyOf(type, format);
  const lines = key.trim().split('\n');
  const content = lines.slice(1, -1).filter((line) => line.length > 20);
  const leaks = (text: string) => content.filter((line) => masked(text).includes(line));

  it('is masked whole, indented, in JSON, and among other lines', () => {
    expect(leaks(`before\n${key}after`)).toEqual([]);
    expect(masked(`before\n${key}after`)).toMatch(/^before\n-.*\n\[masked\]\n-.*\nafter$/s);
    expect(leaks(lines.map((line) => `    ${line}`).join('\n'))).toEqual([]);
    expect(masked(JSON.stringify({ key }))).not.toContain(content[0]);
  });

  it('is masked when its beginning, its end or both were cut off', () => {
    expect(leaks(lines.slice(0, -1).join('\n'))).toEqual([]);
    expect(leaks(lines.slice(1).join('\n'))).toEqual([]);
    const middle = lines.slice(1, -2).join('\n');
    expect(leaks(middle)).toEqual([]);
  });

  it('is recognized by its head', () => {
    expect(isPrivateKey(key.slice(0, 100))).toBe(true);
    expect(isPrivateKey('ssh-ed25519 AAAA me@box')).toBe(false);
  });
});

describe('the time to mask 1 MiB', () => {
  const MIB = 1024 * 1024;
  const repeated = (piece: string) => piece.repeat(Math.ceil(MIB / piece.length)).slice(0, MIB);
  it.each([
    'a',
    ' ',
    '=',
    '-',
    '"',
    '\\"',
    '\n',
    '\n\t',
    'A',
    '0:',
    'password',
    'password ',
    'password=',
    'password="\\',
    'password: |\n ',
    'token=a ',
    'token=a,',
    'pass=>',
    'a://b:',
    'a://a://',
    'a:\\',
    'eyJ',
    'eyJa.',
    'mysql ',
    'login a ',
    'login  password',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----END PRIVATE KEY-----\n',
    'AbC0efgh\n',
    `${'aB1'.repeat(21)}a\n`,
    'cookie:',
    'Basic ',
    ' -password',
    ' -u a',
    '$6$',
    '{SSHA}',
    '<secret>',
    'secret[',
    'LS0tLS1CRUdJTi',
    'Private-Lines: 1\n',
    ' --api-key "',
    '<add key="password" ',
    'value="a" ',
    'name="password" ',
    '<key>',
    'ENV password',
    'ENV a',
    '"d":"',
    'docker login ',
    'redis-cli ',
    'ldapsearch -',
    'config set ',
    'set password',
    'htpasswd -b a ',
    'smbclient -U a',
    'pass:',
    'pw',
  ])(
    'is short for %j',
    (piece) => {
      const text = repeated(piece);
      const began = performance.now();
      masked(text);
      expect(performance.now() - began).toBeLessThan(20_000); // usually 0.3 s; quadratic time would take many minutes
    },
    60_000,
  );
});

it('Thousands of arguments take no time', () => {
  const args = { a: Array(16_000).fill('a'), token: 'sk-live-0123456789abcdefghij' };
  maskedArguments(args);
  const began_us = process.cpuUsage().user;
  const shown = maskedArguments(args);
  expect(process.cpuUsage().user - began_us).toBeLessThan(100_000);
  expect(JSON.stringify(shown).length).toBeLessThan(5000);
  expect(
    JSON.stringify(maskedArguments({ key: `sk-live-0123456789abcdefghij${' x'.repeat(2000)}` })),
  ).not.toContain('0123456789abcdefghij');
});
