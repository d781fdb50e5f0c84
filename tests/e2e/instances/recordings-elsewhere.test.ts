import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Recording, RecordingVerdict } from '#core/model/recording.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { quickFolder } from '../../support/databases/quick-folder.ts';
import { recordingRow } from '../../support/databases/rows.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { fileOf, hostOf, record, recordingsOf, shellOn } from '../../support/features/recordings.ts';
import { type Actor, ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const CAST = '{"version":2,"width":80,"height":24}\n[1.5,"o","a"]\n';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

describe.each(DIALECTS)('Recordings of instances without a common directory (%s)', (dialect) => {
  const directory = quickFolder('sallyport-recordings-');
  let database: FreshDatabase;
  let home: TestGateway;
  let other: TestGateway;
  let admin: Actor; // At the other instance.
  let server_id: number;

  const startHome = (untouched: boolean) =>
    startGateway({
      database_url: database.url,
      untouched,
      env: { SERVICE_RECORD_SESSIONS: 'true', SERVICE_RECORDINGS_DIR: directory },
    });

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    home = await startHome(false);
    other = await startGateway({ database_url: database.url, untouched: true });
    admin = await other.signIn('admin', ADMIN_PASSWORD);
    server_id = (await hostOf(home, sshd)).id;
  });
  afterAll(async () => {
    await home?.close();
    await other?.close();
    await database?.cleanup();
  });

  async function recorded(): Promise<Recording> {
    const owner = home.actor(admin.token);
    const client = await shellOn(home, owner, server_id);
    return record(owner, client, { keys: 'echo seen-$((40 + 2))\r', sees: /seen-42/ });
  }

  it('are read, played and verified at the other instance', async () => {
    const recording = await recorded();
    const at = `/api/recordings/${recording.id}`;
    const content = await readFile(fileOf(home, recording), 'utf8');
    const whole = await admin.fetch(`${at}/download`);
    expect([whole.status, await whole.text()]).toEqual([200, content]);
    expect(whole.headers.get('content-disposition')).toContain('attachment');
    expect(whole.headers.get('content-security-policy')).toContain('sandbox');
    const etag = whole.headers.get('etag') ?? '';
    const part = await admin.fetch(`${at}/cast`, { headers: { range: 'bytes=2-9' } });
    expect([part.status, await part.text()]).toEqual([206, content.slice(2, 10)]);
    expect(part.headers.get('content-range')).toBe(`bytes 2-9/${content.length}`);
    expect((await admin.fetch(`${at}/cast`, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await admin.fetch(`${at}/cast`, { headers: { range: 'bytes=999999-' } })).status).toBe(416);
    expect(await (await admin.fetch(`${at}/text`)).text()).toContain('seen-42');
    const { body } = await admin.call<RecordingVerdict>('GET', `${at}/verify`);
    expect(body).toMatchObject({ ok: true, size_bytes: content.length });
  });

  it('are opened with a ticket at the other instance, by their owner only', async () => {
    const recording = await recorded();
    const at = `/api/recordings/${recording.id}`;
    const { body } = await admin.call<{ ticket: string }>('POST', `${at}/ticket`);
    const page = await other.anonymous.fetch(`${at}/play?ticket=${body.ticket}`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('data-cast')]);
    expect((await other.anonymous.fetch(`${at}/cast?ticket=${body.ticket}`)).status).toBe(200);
    expect((await other.anonymous.fetch(`${at}/cast?token=${admin.token}`)).status).toBe(200);
    expect((await other.anonymous.fetch(`${at}/cast?ticket=wrong`)).status).toBe(401);
    const stranger = await other.user({ username: 'stranger' });
    expect((await stranger.fetch(`${at}/cast`)).status).toBe(404);
  });

  it('are deleted with their file at the other instance', async () => {
    const recording = await recorded();
    const { status } = await admin.call('DELETE', `/api/recordings/${recording.id}`);
    expect(status).toBe(204);
    await expect(readFile(fileOf(home, recording))).rejects.toThrow(/ENOENT/);
    expect((await recordingsOf(admin)).map(({ id }) => id)).not.toContain(recording.id);
  });

  it('answer 502 while their instance is stopped, and are deleted when it runs again', async () => {
    const recording = await recorded();
    const at = `/api/recordings/${recording.id}`;
    await home.close();
    for (const what of ['download', 'text', 'verify']) {
      const { status, body } = await admin.call('GET', `${at}/${what}`);
      expect([status, body['code']]).toEqual([502, 'instance_unreachable']);
    }
    expect((await admin.call('DELETE', at)).status).toBe(204);
    expect((await recordingsOf(admin)).map(({ id }) => id)).not.toContain(recording.id);
    expect((await admin.call('GET', at)).status).toBe(404);
    expect((await readFile(join(directory, recording.file_path), 'utf8')).length).toBeGreaterThan(0);
    home = await startHome(true);
    await eventually(() => expect(readFile(join(directory, recording.file_path))).rejects.toThrow(/ENOENT/));
  });

  it('are closed with their hash by their own instance, not by another', async () => {
    const recording = await recorded();
    await home.close();
    const { recordings } = createRepositories(other.store);
    const { directory_id } = (await recordings.byId(recording.id)) ?? {};
    const left = '2026-01/left.cast';
    await mkdir(dirname(join(directory, left)), { recursive: true });
    await writeFile(join(directory, left), CAST);
    const of_the_dead = { run_id: 'of the dead', user_id: 1, username: 'admin' };
    const { id } = await recordings.insert(
      recordingRow({ ...of_the_dead, directory_id: directory_id ?? null, file_path: left }),
    );
    const older = await recordings.insert(recordingRow({ ...of_the_dead, file_path: '2026-01/older.cast' }));
    const statusOf = async (one: number) => (await recordings.byId(one))?.status;
    const third = await startGateway({ database_url: database.url, untouched: true });
    await eventually(async () => expect(await statusOf(older.id)).toBe('interrupted'));
    await third.close();
    expect(await statusOf(id)).toBe('recording');
    home = await startHome(true);
    await eventually(async () => expect(await statusOf(id)).toBe('interrupted'));
    const row = await recordings.byId(id);
    expect(row).toMatchObject({ size_bytes: CAST.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('are read where their files were moved to without the name of their directory', async () => {
    const recording = await recorded();
    const content = await readFile(fileOf(home, recording), 'utf8');
    await home.close();
    const moved = join(other.config.recordings.dir, recording.file_path);
    await mkdir(dirname(moved), { recursive: true });
    await rename(join(directory, recording.file_path), moved);
    const answer = await admin.fetch(`/api/recordings/${recording.id}/download`);
    expect([answer.status, await answer.text()]).toEqual([200, content]);
    home = await startHome(true);
  });
});
