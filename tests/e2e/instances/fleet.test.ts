import { createHash, randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../../bench/gateway-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { tusCaller } from '../../support/features/tus.ts';
import { type Balancer, startBalancer } from '../../support/gateway/balancer.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';
import { openTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/hosts/webhook-receiver.ts';

// More by hand: SALLYPORT_FLEET=200 npm test -- tests/e2e/instances/fleet.test.ts
const { SALLYPORT_FLEET = '24' } = env;
const TERMINALS = Number(SALLYPORT_FLEET);
const UPLOADS = Math.ceil(TERMINALS / 20);
const DOWNLOADS = UPLOADS;
const PIECES = 4;
const PIECE_BYTES = 1024 * 1024;
const DOWNLOAD_BYTES = 24 * PIECE_BYTES; // more than sockets and proxies hold

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

async function openAll(): Promise<Held[]> {
  const held: Held[] = [];
  for (let at = 0; at < TERMINALS; at += 12)
    held.push(...(await Promise.all(Array.from({ length: Math.min(12, TERMINALS - at) }, openOne))));
  return held;
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

  /** As a tus client does after an error: asks where the upload stands, and continues there. */
  async function appendNext(): Promise<number> {
    const offset = await tus.offset(location);
    if (typeof offset !== 'number') throw new Error(`The upload answered ${offset}`);
    const piece = content.subarray(offset, offset + PIECE_BYTES);
    return Number((await tus.append(location, offset, piece)).headers.get('upload-offset'));
  }

  return {
    content,
    name,
    async begin() {
      location = await tus.begin({ path, filename: name, length: content.length });
      await tus.append(location, 0, content.subarray(0, PIECE_BYTES));
    },
    async finish() {
      while ((await eventually(appendNext)) < content.length);
    },
  };
}

/** A download that pauses after its first bytes. */
function startDownload(path: string) {
  const hash = createHash('sha256');
  let received = 0;
  let reader: Awaited<ReturnType<typeof openAt>>;

  async function openAt(offset: number) {
    const headers = offset === 0 ? undefined : { range: `bytes=${offset}-` };
    const query = new URLSearchParams({ path });
    const response = await send(`/api/files/${server_id}/download?${query}`, headers ? { headers } : {});
    if (response.status !== (offset === 0 ? 200 : 206) || !response.body)
      throw new Error(`The download answered ${response.status}`);
    return response.body.getReader();
  }

  async function readNext(): Promise<boolean> {
    const { done, value } = await reader.read();
    hash.update(value ?? '');
    received += value?.length ?? 0;
    return !done;
  }

  return {
    async begin() {
      reader = await openAt(0);
      await readNext();
    },
    /** Continues at another instance, where its own is gone. Returns how often that was. */
    async finish() {
      let breaks = 0;
      while (received < DOWNLOAD_BYTES) {
        try {
          while (await readNext());
        } catch {
          breaks += 1;
          reader = await eventually(() => openAt(received));
        }
      }
      return { breaks, digest: hash.digest('hex') };
    },
  };
}

/** How many of each event came; one that is sent again has the same delivery id. */
function deliveredEvents(): Record<string, number> {
  const events = new Map(
    receiver
      .received('/hook')
      .map(({ headers, body }) => [headers['x-service-delivery'], JSON.parse(body).event]),
  );
  const counts: Record<string, number> = {};
  for (const event of events.values()) counts[event] = (counts[event] ?? 0) + 1;
  return counts;
}

/** When it is run by hand. */
function report(figures: object): void {
  if (env['SALLYPORT_FLEET']) process.stdout.write(`${JSON.stringify(figures)}\n`);
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('Three instances behind nginx, one of which is killed', () => {
  it('leave the terminals of the others alone, continue uploads, lose no event, and keep the audit log whole', async () => {
    const path = mkdtempSync(join(sshd.folder, 'fleet-'));
    chownSync(path, sshd.uid, sshd.uid);
    const held = await openAll();
    const uploads = Array.from({ length: UPLOADS }, (_, at) => startUpload(`${at}.bin`, path));
    const large = randomBytes(DOWNLOAD_BYTES);
    writeFileSync(join(path, 'large.bin'), large);
    const downloads = Array.from({ length: DOWNLOADS }, () => startDownload(join(path, 'large.bin')));
    await Promise.all([...uploads, ...downloads].map((transfer) => transfer.begin()));

    const victim = instances[1];
    if (!victim) throw new Error('No instance to kill');
    const killed_ms = performance.now();
    const since = () => performance.now() - killed_ms;
    const closings: { readonly code: number; readonly after_ms: number }[] = [];
    for (const { terminal } of held)
      terminal.raw.once('close', (code) => closings.push({ code, after_ms: since() }));
    const finished = Promise.all(uploads.map((upload) => upload.finish()));
    await victim.kill();
    const [downloaded] = await Promise.all([Promise.all(downloads.map((one) => one.finish())), finished]);
    const transferred_ms = since();
    expect(new Set(downloaded.map(({ digest }) => digest))).toEqual(new Set([digestOf(large)]));
    expect(downloaded.filter(({ breaks }) => breaks === 0).length).toBeGreaterThanOrEqual(DOWNLOADS / 2);

    const survivors = held.filter(({ terminal }) => terminal.raw.readyState === terminal.raw.OPEN);
    expect(survivors.length).toBeGreaterThanOrEqual(Math.floor(TERMINALS / 2));
    expect(survivors.length).toBeLessThan(TERMINALS);
    await Promise.all(survivors.map((one, at) => echoes(one, `still-here-${at}`)));
    const again = await openOne();
    await echoes(again, 'one-more');
    for (const { content, name } of uploads)
      expect(digestOf(readFileSync(join(path, name)))).toBe(digestOf(content));

    // What the killed instance had taken is sent again after the lease of 30 s.
    const expected = { ssh_connect: TERMINALS + 1, sftp_upload: UPLOADS };
    await vi.waitFor(() => expect(deliveredEvents()).toEqual(expected), { timeout: 60_000 });
    report({
      closed: closings.length,
      codes: [...new Set(closings.map(({ code }) => code))],
      last_closed_ms: Math.max(...closings.map(({ after_ms }) => after_ms)),
      downloads_continued: downloaded.filter(({ breaks }) => breaks > 0).length,
      transferred_ms,
      sent_twice: receiver.received('/hook').length - (TERMINALS + 1 + UPLOADS),
      all_events_ms: since(),
    });
    expect(await (await send('/api/auth/audit/verify')).json()).toMatchObject({ ok: true });
    for (const { terminal } of [...survivors, again]) terminal.close(1000);
  }, 240_000);
});
