import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Recording, RecordingVerdict } from '#core/model/recording.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { PASSWORD, startGatewayProcess } from '../../bench/gateway-process.ts';
import { quickFolder } from '../../support/databases/quick-folder.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { fileOf, hostOf, record, shellOn } from '../../support/features/recordings.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  SECRET_KEY,
  startGateway,
  type TestGateway,
} from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { type S3Server, startS3 } from '../../support/s3/s3-server.ts';

const SECRET = 'never/in+a/log';

let sshd: Sshd;
let s3: S3Server;
beforeAll(async () => {
  [sshd, s3] = await Promise.all([startSshd(), startS3()]);
});
afterAll(async () => {
  await sshd?.stop();
  await s3?.stop();
});

const keyOf = ({ file_path }: Recording) => `casts/${file_path}`;
const isStored = (recording: Recording) =>
  eventually(async () => {
    if (!s3.objects.has(keyOf(recording))) throw new Error('Not stored yet');
  });

describe.each(DIALECTS)('Recordings in an S3 store (%s)', (dialect) => {
  let database: FreshDatabase;
  let home: TestGateway;
  let other: TestGateway;
  let owner: Actor;
  let admin: Actor; // At the other instance.
  let server_id: number;
  const logged: string[] = [];
  const tell = (fields: object, message: string) => void logged.push(`${message} ${inspect(fields)}`);

  const start = (untouched: boolean) =>
    startGateway({
      database_url: database.url,
      untouched,
      log: { debug: tell, info: tell, warn: tell, error: tell },
      env: {
        ...s3.env,
        SERVICE_RECORD_SESSIONS: 'true',
        SERVICE_RECORDINGS_DIR: quickFolder('sallyport-spool-'),
      },
    });

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    home = await start(false);
    other = await start(true);
    admin = await other.signIn('admin', ADMIN_PASSWORD);
    owner = home.actor(admin.token);
    server_id = (await hostOf(home, sshd)).id;
  });
  afterAll(async () => {
    await home?.close();
    await other?.close();
    await database?.cleanup();
  });

  async function recorded(): Promise<Recording> {
    const client = await shellOn(home, owner, server_id);
    return record(owner, client, { keys: 'echo seen-$((40 + 2))\r', sees: /seen-42/ });
  }

  /** Stored, and no longer in the directory. */
  async function stored(): Promise<Recording> {
    const recording = await recorded();
    await isStored(recording);
    await expect.poll(() => existsSync(fileOf(home, recording))).toBe(false);
    await eventually(async () => {
      const row = await createRepositories(home.store).recordings.byId(recording.id);
      if (!row?.directory_id?.startsWith('s3-')) throw new Error('Its row is not changed yet');
    });
    return recording;
  }

  it('are read, played and verified at any instance, and are no longer in the directory', async () => {
    const recording = await stored();
    const at = `/api/recordings/${recording.id}`;
    const content = s3.objects.get(keyOf(recording));
    for (const actor of [owner, admin]) {
      const whole = await actor.fetch(`${at}/download`);
      expect([whole.status, await whole.text()]).toEqual([200, content?.toString()]);
      const part = await actor.fetch(`${at}/cast`, { headers: { range: 'bytes=2-9' } });
      expect([part.status, await part.text()]).toEqual([206, content?.toString().slice(2, 10)]);
      expect(await (await actor.fetch(`${at}/text`)).text()).toContain('seen-42');
      const { body } = await actor.call<RecordingVerdict>('GET', `${at}/verify`);
      expect(body).toMatchObject({ ok: true, size_bytes: content?.length });
    }
  });

  it('that were changed in the store are found out', async () => {
    const recording = await stored();
    s3.objects.set(keyOf(recording), Buffer.from('{"version":2,"width":80,"height":24}\n'));
    const { body } = await admin.call<RecordingVerdict>('GET', `/api/recordings/${recording.id}/verify`);
    expect(body).toMatchObject({ ok: false, reason: 'changed' });
    s3.objects.delete(keyOf(recording));
    const { body: gone } = await admin.call<RecordingVerdict>(
      'GET',
      `/api/recordings/${recording.id}/verify`,
    );
    expect(gone).toMatchObject({ ok: false, reason: 'file_missing' });
  });

  it('are made, and lost by nobody, while the store is away; what is stored is refused with 502', async () => {
    const before = await stored();
    await s3.stop();
    const recording = await recorded();
    expect(existsSync(fileOf(home, recording))).toBe(true);
    const at = `/api/recordings/${before.id}`;
    for (const [method, path] of [
      ['GET', `${at}/download`],
      ['GET', `${at}/verify`],
      ['DELETE', at],
    ] as const) {
      const { status, body } = await owner.call<{ code: string }>(method, path);
      expect([status, body.code]).toEqual([502, 'recording_store_unreachable']);
    }
    expect((await owner.call('GET', at)).status).toBe(200);
    const here = await owner.fetch(`/api/recordings/${recording.id}/download`);
    expect(await here.text()).toContain('seen-42');
    const told = expect.stringContaining('The recordings store cannot be used');
    await eventually(() => expect(logged).toContainEqual(told)); // the upload does not begin at once
    await s3.start();
    await isStored(recording);
    expect((await owner.call('DELETE', at)).status).toBe(204);
    expect([s3.objects.has(keyOf(before)), (await owner.call('GET', at)).status]).toEqual([false, 404]);
    expect(logged.join()).not.toContain(SECRET);
  });

  it('are uploaded by the next start when the gateway was killed', async () => {
    const folder = quickFolder('sallyport-killed-');
    const fresh = await migratedDatabaseUrl(dialect);
    const env = {
      ...s3.env,
      ...{ SERVICE_DB_URL: fresh.url, SERVICE_SECRET_KEY: SECRET_KEY, SERVICE_RECORD_SESSIONS: 'true' },
      SERVICE_RECORDINGS_DIR: folder,
    };
    const killed = await startGatewayProcess({ env });
    const id = await killed.addServer(sshd);
    const client = openTerminal(`${killed.url}/api/ws/terminal/${id}?cols=80&rows=24`, {
      headers: { authorization: `Bearer ${killed.token}` },
    });
    await client.frame('session');
    client.type('echo seen-$((40 + 2))\r');
    await client.sees(/seen-42/);
    await eventually(async () => {
      const [open] = await (await fetchOf(killed, '/api/recordings')).json();
      const text = await readFile(join(folder, open.file_path), 'utf8');
      if (!text.includes('seen-42')) throw new Error('Not written yet');
    });
    await killed.kill();
    const instance_times = { ttl_ms: 30_000, heartbeat_ms: 100, gone_ms: 300_000 };
    const gateway = await startGateway({ database_url: fresh.url, untouched: true, env, instance_times });
    const again = await gateway.signIn('admin', PASSWORD);
    const [recording] = (await again.call<Recording[]>('GET', '/api/recordings')).body;
    if (!recording) throw new Error('No recording');
    const { db, tables } = gateway.store;
    const expired = { expires_at: new Date(0).toISOString() };
    await db.update(tables.instances).set(expired).where(eq(tables.instances.url, killed.url));
    await isStored(recording);
    const { body } = await again.call<RecordingVerdict>('GET', `/api/recordings/${recording.id}/verify`);
    expect(body).toMatchObject({ ok: true });
    expect(s3.objects.get(keyOf(recording))?.toString()).toContain('seen-42');
    await gateway.close();
    await fresh.cleanup();
  });
});

function fetchOf({ url, token }: { url: string; token: string }, path: string): Promise<Response> {
  return fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
}
