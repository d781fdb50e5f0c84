import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '#server/lib/clock.ts';
import { createDnsCheck } from '#worker/names/dns-check.ts';
import { createResolverFiles } from '#worker/names/resolver-files.ts';
import { manualClock } from '../setup.ts';
import { type Dns, type Kind, startDns } from '../ssh/dns-double.ts';

let directory: string;
let dns: Dns;
let known: (name: string, kind: Kind) => 'found' | 'none' | 'silent';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-names-'));
  known = () => 'none';
  dns = await startDns((name, kind) => known(name, kind));
});
afterEach(async () => {
  await dns.stop();
  await rm(directory, { recursive: true });
});

const write = (name: 'hosts' | 'resolv.conf', text: string) => writeFile(join(directory, name), text);

function outlook(clock = systemClock, dns_servers = [dns.server]) {
  const files = createResolverFiles(join(directory, 'hosts'), join(directory, 'resolv.conf'));
  return createDnsCheck({ clock, files, dns_servers });
}

describe('the DNS check of a name', () => {
  it.each(['found', 'none'] as const)('is %s when DNS says so', async (answer) => {
    known = () => answer;
    expect(await outlook()('web.example')).toBe(answer);
  });

  it('is silence when no server answers within 2 s', async () => {
    known = () => 'silent';
    const clock = manualClock();
    const asking = outlook(clock)('dead.example');
    await dns.hears('dead.example');
    clock.advance(2000);
    expect(await asking).toBe('silent');
  });

  it('is silence when one address family is never answered', async () => {
    known = (_name, kind) => (kind === 'AAAA' ? 'silent' : 'found');
    expect(await outlook()('web.example')).toBe('silent');
  });

  it('uses the second name server when the first is dead', async () => {
    const dead = await startDns(() => 'silent');
    known = () => 'found';
    expect(await outlook(systemClock, [dead.server, dns.server])('web.example')).toBe('found');
    await dead.stop();
  });

  it('is none, at once, when no name server listens', async () => {
    await dns.stop();
    expect(await outlook(manualClock())('web.example')).toBe('none');
    dns = await startDns(() => 'none');
  });
});

describe('the hosts file', () => {
  it('is read first, ignoring case, and again when it has changed', async () => {
    const outlookOf = outlook();
    await write('hosts', '127.0.0.1 localhost # loopback\n192.0.2.7 Web-1 web-1.example\n');
    expect(await outlookOf('WEB-1.example')).toBe('found');
    await write('hosts', '192.0.2.7 moved\n');
    expect(await outlookOf('moved')).toBe('found');
    expect(dns.asked()).toEqual([]);
    expect(await outlookOf('loopback')).toBe('none');
  });
});

describe('search domains', () => {
  it.each([
    ['web', 'search a.example b.example', ['web.a.example', 'web.b.example', 'web']],
    ['web.lab', 'search a.example', ['web.lab', 'web.lab.a.example']],
    ['web.lab', 'search a.example\noptions timeout:1 ndots:5', ['web.lab.a.example', 'web.lab']],
    ['web', 'domain a.example', ['web.a.example', 'web']],
    ['web', 'search .', ['web']],
    ['web.', 'search a.example', ['web']],
  ])('complete %s as the system does with “%s”', async (hostname, text, names) => {
    await write('resolv.conf', `${text}\n`);
    expect(await outlook()(hostname)).toBe('none');
    expect(dns.asked()).toEqual(names);
  });

  it('end at the first name that exists', async () => {
    known = (name) => (name === 'web.a.example' ? 'found' : 'silent');
    await write('resolv.conf', 'search a.example b.example\n');
    expect(await outlook()('web')).toBe('found');
    expect(dns.asked()).toEqual(['web.a.example']);
  });
});
