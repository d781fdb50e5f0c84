import { createHash, randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../../bench/gateway-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { tusCaller } from '../../support/features/tus.ts';
import { type Balancer, startBalancer } from '../../support/gateway/balancer.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';
import { openTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/hosts/webhook-receiver.ts';

// More by hand: SALLYPORT_FLEET=200 npm test -- tests/e2e/instances/fleet.test.ts
const { SALLYPORT_FLEET = '24' } = env;
const TERMINALS = Number(SALLYPORT_FLEET);
const UPLOADS = Math.ceil(TERMINALS / 10);
const PIECES = 4;
const PIECE_BYTES = 1024 * 1024;

let sshd: Sshd;
let database: FreshDatabase;
let receiver: WebhookReceiver;
let folder: string;
const instances: GatewayProcess[] = [];
let balancer: Balancer;
let token: string;
let server_id: number;

beforeAll(async () => {
  sshd = await startSshd({ config: ['MaxStartups 500:30:1000'] });
  database = await migratedDatabaseUrl('postgres');
  receiver = await startWebhookReceiver();
  folder = mkdtempSync(join(tmpdir(), 'sallyport-fleet-'));
  const shared = {
    SERVICE_DB_URL: database.url,
    SERVICE_SECRET_KEY: SECRET_KEY,
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    SERVICE_WEBHOOK_ALLOW_PRIVATE: 'true',
    SERVICE_RECORD_SESSIONS: 'true',
    SERVICE_DISABLE_MONITOR: 'true',
    SERVICE_RECORDINGS_DIR: join(folder, 'recordings'),
  };
  for (const untouched of [false, true, true])
    instances.push(await startGatewayProcess({ env: shared, untouched }));
  balancer = await startBalancer(instances.map(({ url }) => Number(new URL(url).port)));
  const [first] = instances;
  if (!first) throw new Error('No instance was started');
  server_id = await first.addServer(sshd);
  token = first.token;
  await send('/api/webhooks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'fleet',
      url: receiver.url('/hook'),
      events: ['ssh_connect', 'sftp_upload'],
    }),
  });
}, 120_000);

afterAll(async () => {
  await balancer?.stop();
  for (const instance of instances) await instance.kill().catch(() => undefined);
  await receiver?.stop();
  await sshd?.stop();
  await database?.cleanup();
  rmSync(folder, { recursive: true, force: true });
});

function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  return fetch(balancer.url + path, { ...init, headers });
}

interface Held {
  readonly terminal: TerminalClient;
  readonly session_id: string;
}

async function openOne(): Promise<Held> {
  const terminal = openTerminal(`${balancer.url}/api/ws/terminal/${server_id}?cols=80&rows=24`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { session_id } = await terminal.frame('session');
  return { terminal, session_id: String(session_id) };
}

async function echoes({ terminal }: Held, word: string): Promise<void> {
  terminal.type(`echo ${word.slice(0, 4)}''${word.slice(4)}\n`);
  await terminal.sees(word);
}

/** An upload in pieces, each of which may reach another instance. */
function startUpload(name: string, path: string) {
  const content = randomBytes(PIECES * PIECE_BYTES);
  const tus = tusCaller({ fetch: send }, server_id);
  let location = '';
  return {
    content,
    name,
    async begin() {
      location = await tus.begin({ path, filename: name, length: content.length });
      await tus.append(location, 0, content.subarray(0, PIECE_BYTES));
    },
    async finish() {
      for (;;) {
        const offset = await tus.offset(location);
        if (typeof offset !== 'number') throw new Error(`The upload answered ${offset}`);
        const piece = content.subarray(offset, offset + PIECE_BYTES);
        const { headers } = await tus.append(location, offset, piece);
        if (Number(headers.get('upload-offset')) === content.length) return;
      }
    },
  };
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('Three instances behind nginx, one of which is killed', () => {
  it('leave the terminals of the others alone, continue uploads, lose no event, and keep the audit log whole', async () => {
    const path = mkdtempSync(join(sshd.folder, 'fleet-'));
    chownSync(path, sshd.uid, sshd.uid);
    const held: Held[] = [];
    for (let at = 0; at < TERMINALS; at += 12)
      held.push(...(await Promise.all(Array.from({ length: Math.min(12, TERMINALS - at) }, openOne))));
    const uploads = Array.from({ length: UPLOADS }, (_, at) => startUpload(`${at}.bin`, path));
    await Promise.all(uploads.map((upload) => upload.begin()));

    const victim = instances[1];
    if (!victim) throw new Error('No instance to kill');
    const running: Record<string, number> = {};
    await victim.kill();
    await Promise.all(uploads.map((upload) => upload.finish()));

    const survivors = held.filter(({ terminal }) => terminal.raw.readyState === terminal.raw.OPEN);
    expect(survivors.length).toBeGreaterThanOrEqual(Math.floor(TERMINALS / 2));
    expect(survivors.length).toBeLessThan(TERMINALS);
    await Promise.all(survivors.map((one, at) => echoes(one, `still-here-${at}`)));
    const again = await openOne();
    await echoes(again, 'one-more');
    for (const { content, name } of uploads)
      expect(digestOf(readFileSync(join(path, name)))).toBe(digestOf(content));

    const received = await receiver.hears('/hook', TERMINALS + 1 + UPLOADS);
    for (const { body } of received) {
      const { event } = JSON.parse(body);
      running[event] = (running[event] ?? 0) + 1;
    }
    expect(running).toEqual({ ssh_connect: TERMINALS + 1, sftp_upload: UPLOADS });
    const ids = new Set(received.map(({ headers }) => headers['x-service-delivery']));
    expect(ids.size).toBe(received.length);
    expect(await (await send('/api/auth/audit/verify')).json()).toMatchObject({ ok: true });
    for (const { terminal } of [...survivors, again]) terminal.close(1000);
  }, 240_000);
});
