import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import type { GatewayProcess } from '../../bench/gateway-process.ts';
import { eventually } from '../../support/eventually.ts';
import { call, createKeptPlace, type KeptPlace } from '../../support/features/keepers.ts';
import { answer, asked } from '../../support/features/prompts.ts';
import { type OpenShell, resumed, shellOn, socketTo } from '../../support/features/shells.ts';
import { connectedTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { startSshdWithBanner } from '../../support/hosts/banner.ts';
import type { Sshd } from '../../support/hosts/sshd.ts';
import { type S3Server, startS3 } from '../../support/s3/s3-server.ts';

const BANNER = 'Authorized use only';
const FLOOD_BYTES = 3_000_000; // more than a keeper holds of what is not recorded

let sshd: Sshd;
let s3: S3Server;
let place: KeptPlace;
let gateway: GatewayProcess;
let gate_id: number;

beforeAll(async () => {
  [sshd, s3] = await Promise.all([startSshdWithBanner(`${BANNER}\n`), startS3()]);
  place = createKeptPlace({
    ...s3.env,
    SERVICE_RECORD_SESSIONS: 'true',
    SERVICE_ALLOWED_TARGETS: '127.0.0.0/30',
  });
  gateway = await place.start();
  gate_id = await gateway.addServer(sshd, 'gate');
}, 60_000);
afterAll(async () => {
  await gateway?.stop();
  await place?.close();
  await Promise.all([sshd?.stop(), s3?.stop()]);
});

/** The file in the home of the host that lets a shell go on. */
const flag = (name: string) => join(sshd.folder, name);
const waitFor = (name: string) => `echo waits-$((1+1)); while [ ! -e ${flag(name)} ]; do sleep 0.05; done`;

/** A shell without echo and prompt. */
async function quiet(shell: OpenShell): Promise<OpenShell> {
  shell.client.type('stty -echo; PS1=; echo quiet-$((1+1))\r');
  await shell.client.sees(/quiet-2/);
  return shell;
}

async function lives(client: TerminalClient): Promise<void> {
  client.type('echo still-$((40+2))\r');
  await client.sees(/still-42/);
}

async function back({ session_id }: OpenShell): Promise<TerminalClient> {
  const client = resumed(gateway, { session_id }, gateway);
  await client.frame('session');
  return client;
}

async function typedBehindGate(): Promise<OpenShell> {
  const fields = { auth_method: 'prompt', password: '', jump_via_id: gate_id };
  const server_id = await gateway.addServer(sshd, 'typed', fields);
  const client = socketTo(gateway, `${server_id}?cols=80&rows=24`, gateway);
  await asked(client);
  answer(client, sshd.username, sshd.password);
  const { session_id } = await client.frame('session');
  return { client, session_id: String(session_id) };
}

async function quickConnect(): Promise<OpenShell> {
  const headers = { authorization: `Bearer ${gateway.token}` };
  const client = await connectedTerminal(`${gateway.url}/api/ws/terminal/quick`, { headers });
  const { hostname: host, port, username, password } = sshd;
  client.send({ type: 'open', cols: 80, rows: 24, host, port, username, password });
  const { session_id } = await client.frame('session');
  return { client, session_id: String(session_id) };
}

async function put(path: string, body: object): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${gateway.token}`,
    connection: 'close',
  };
  const response = await fetch(gateway.url + path, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}

interface Shared {
  readonly token: string;
}

const shareOf = ({ session_id }: OpenShell, terms: object) =>
  call<Shared>(gateway, `/api/terminal/share/${session_id}`, terms);

async function metrics() {
  const response = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  const text = await response.text();
  const read = (name: string) => Number(new RegExp(`^sallyport_${name} (\\d+)`, 'm').exec(text)?.[1]);
  return {
    connected: read('keeper_connected'),
    terminals: read('keeper_terminals'),
    waiting: read('recordings_waiting'),
  };
}

async function closesOf(detail: RegExp): Promise<number> {
  const entries = await call<{ detail: string }[]>(
    gateway,
    '/api/auth/audit?action=terminal_close&limit=500',
  );
  return entries.filter((entry) => detail.test(entry.detail)).length;
}

describe('Through a keeper', () => {
  it('a host asks for credentials behind a jump host, and each hop shows its banner', async () => {
    const { client } = await typedBehindGate();
    const banners = client.frames.filter(({ type }) => type === 'banner');
    expect(banners.map(({ name, text }) => [name, text])).toEqual([
      ['gate', BANNER],
      ['typed', BANNER],
    ]);
    expect(await client.frame('session')).toMatchObject({
      connection: [
        { hop: 'gate', host_key_type: 'ssh-ed25519' },
        { hop: 'typed', host_key_type: 'ssh-ed25519' },
      ],
    });
    client.close(1000);
  });

  it('a gateway learns how each host was connected to', async () => {
    const { client } = await typedBehindGate();
    await eventually(async () => {
      const servers = await call<Server[]>(gateway, '/api/servers');
      const versions = servers.map(({ server_version }) => server_version);
      expect(versions).toEqual(servers.map(() => expect.stringMatching(/^OpenSSH_/)));
    });
    client.close(1000);
  });
});

describe('When the gateway is killed, a keeper', () => {
  let quick: OpenShell;
  let shared: OpenShell;
  let leaving: OpenShell;
  let flooding: OpenShell;
  let token: string;
  let gone: string;
  beforeAll(async () => {
    quick = await quiet(await quickConnect());
    shared = await quiet(await shellOn(gateway, gate_id, gateway));
    leaving = await quiet(await shellOn(gateway, await gateway.addServer(sshd, 'leaving'), gateway));
    flooding = await quiet(await shellOn(gateway, await gateway.addServer(sshd, 'flooding'), gateway));
    ({ token } = await shareOf(shared, { mode: 'ro' }));
    ({ token: gone } = await shareOf(quick, { mode: 'rw', expires_in: 1 }));
    await socketTo(gateway, `join/${token}?mode=rw`, gateway).frame('joined');
    leaving.client.type(`${waitFor('leave')}; echo last-"words"; touch ${flag('left')}; exit 3\r`);
    flooding.client.type(`${waitFor('flood')}; yes | head -c ${FLOOD_BYTES}; echo all-"done"\r`);
    await Promise.all([leaving, flooding].map(({ client }) => client.sees(/waits-2/)));
    await gateway.kill();
    await Promise.all(['leave', 'flood'].map((name) => writeFile(flag(name), '')));
    await eventually(() => expect(existsSync(flag('left'))).toBe(true));
    gateway = await place.start();
  }, 180_000);

  it('keeps a quick connection', async () => {
    await lives(await back(quick));
  });

  it('keeps a share: guests return in its mode, and sharing again gives the same link', async () => {
    const guest = socketTo(gateway, `join/${token}?mode=rw`, gateway);
    expect(await guest.frame('joined')).toMatchObject({ server: 'gate', mode: 'ro' });
    expect(await shareOf(shared, { mode: 'rw' })).toMatchObject({ token });
    expect(await guest.frame('mode')).toMatchObject({ mode: 'rw' });
    await lives(guest);
  });

  it('ends a share that has expired in the meantime', async () => {
    await eventually(async () => {
      const guest = socketTo(gateway, `join/${gone}?mode=rw`, gateway);
      expect((await guest.closed()).code).toBe(4004);
    });
  });

  it('passes on the last output and the exit of a shell that ended without a gateway', async () => {
    const client = await back(leaving);
    expect(await client.frame('exit')).toMatchObject({ code: 3 });
    expect(client.output()).toMatch(/last-words/);
    await eventually(async () => expect(await closesOf(/^leaving .* after \d+ s$/)).toBe(1));
  });

  it('pauses a shell whose recording is not written, and then records every byte, into the store', async () => {
    const client = await back(flooding);
    await client.sees(/all-done/);
    client.type('exit\r');
    await client.frame('exit');
    await eventually(async () => {
      const [recording] = await call<{ id: number; server_name: string; file_path: string }[]>(
        gateway,
        '/api/recordings?q=flooding',
      );
      expect([...s3.objects.keys()].some((key) => key.endsWith(recording?.file_path ?? '?'))).toBe(true);
    });
    const [stored] = [...s3.objects.values()].filter((bytes) => bytes.includes('"flooding'));
    const lines = String(stored).trimEnd().split('\n').slice(1);
    const events = lines.map((line): [number, string, string] => JSON.parse(line));
    const output = events.map(([, kind, data]) => (kind === 'o' ? data : '')).join('');
    expect(output.match(/y\r\n/g)?.length).toBe(FLOOD_BYTES / 2);
    expect(output).toMatch(/all-done/);
  });

  it('ends a shell whose time is up, once', async () => {
    const server_id = await gateway.addServer(sshd, 'expiring');
    await put('/api/settings', { values: { resume_seconds: 1 } });
    const { session_id, client } = await quiet(await shellOn(gateway, server_id, gateway));
    client.type('echo pid-$$-\r');
    const [, pid = ''] = (await client.sees(/pid-\d+-/)).match(/pid-(\d+)-/) ?? [];
    await gateway.kill();
    await eventually(() => expect(existsSync(`/proc/${pid}`)).toBe(false));
    gateway = await place.start();
    // It is gone, or still shows its end when the keeper had to complete its recording; until then, 1013 asks to try again.
    const codeNow = async () => (await resumed(gateway, { session_id }, gateway).closed()).code;
    await eventually(async () => expect([4004, 1000]).toContain(await codeNow()));
    await eventually(async () => expect(await closesOf(/^expiring /)).toBe(1));
  });

  it('counts for the metrics, and so do recordings that wait for the store', async () => {
    const { client } = await shellOn(gateway, gate_id, gateway);
    const { waiting, ...kept } = await metrics();
    expect(kept).toEqual({ connected: 1, terminals: expect.any(Number) });
    expect(kept.terminals).toBeGreaterThan(0);
    expect(waiting).toBeGreaterThan(0);
    client.close(1000);
  });
});

describe('A graceful stop without a keeper', () => {
  it('ends terminals, and stores their recordings', async () => {
    await gateway.stop();
    gateway = await place.start({ SERVICE_KEEPER: 'off' });
    await quiet(await shellOn(gateway, await gateway.addServer(sshd, 'parting'), gateway));
    await gateway.stop();
    expect([...s3.objects.values()].some((bytes) => bytes.includes('"parting'))).toBe(true);
  });
});
