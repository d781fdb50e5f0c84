import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import type { Recording, RecordingVerdict } from '#core/model/recording.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { eventually } from '../../support/eventually.ts';
import { closedRecording, fileOf, hostOf, readCast, shellOn } from '../../support/features/recordings.ts';
import { describeEachGateway, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const MAX_BYTES = 20_000;

let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

async function said({ admin }: TestGateway, action: string): Promise<AuditEntry[]> {
  return (await admin.call<AuditEntry[]>('GET', `/api/auth/audit?action=${action}`)).body;
}

/** Prints more than a recording may hold, and continues. */
async function overflow(gateway: TestGateway, bytes: number) {
  const { id } = await hostOf(gateway, sshd);
  const client = await shellOn(gateway, gateway.admin, id);
  client.type(`head -c ${bytes} /dev/zero | tr '\\0' x; echo\r`);
  await client.frame('notice');
  client.type('echo still-$((1 + 1))\r');
  await client.sees(/still-2/);
  const recording = await closedRecording(gateway.admin);
  client.close(1000);
  return recording;
}

describe('A recording with a limit', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const limit = { SERVICE_RECORDING_MAX_BYTES: String(MAX_BYTES) };
    gateway = await startGateway({ env: { SERVICE_RECORD_SESSIONS: 'true', ...limit } });
  });
  afterAll(() => gateway?.close());

  it('stops at it with a note in it, and the session continues', async () => {
    const recording = await overflow(gateway, 3 * MAX_BYTES);
    const { size } = await stat(fileOf(gateway, recording));
    expect(recording).toMatchObject({ status: 'finished', size_bytes: size });
    expect(size).toBeLessThanOrEqual(MAX_BYTES);
    expect((await readCast(fileOf(gateway, recording))).output).toMatch(
      /The recording ends here.*20000.*\r\n$/,
    );
    expect((await said(gateway, 'recording_stop'))[0]?.detail).toBe(
      `#${recording.id} ${recording.file_path}: size limit reached, session continues`,
    );
    const { body } = await gateway.admin.call('GET', `/api/recordings/${recording.id}/verify`);
    expect(body).toMatchObject({ ok: true });
  });
});

describe('A recording on a full disk', () => {
  const disk = mkdtempSync(join(tmpdir(), 'sallyport-disk-'));
  afterAll(() => {
    execFileSync('umount', ['-l', disk], { stdio: 'ignore' });
    rmSync(disk, { recursive: true });
  });

  it('ends with an audit entry, and the session continues', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk]);
    const env = { SERVICE_RECORD_SESSIONS: 'true', SERVICE_RECORDINGS_DIR: disk };
    const gateway = await startGateway({ env });
    const recording = await overflow(gateway, 2_000_000);
    const text = await readFile(fileOf(gateway, recording), 'utf8');
    for (const line of text.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect((await said(gateway, 'recording_stop'))[0]?.detail).toContain('disk full');
    await gateway.close();
  });
});

describe('A recording that cannot be made', () => {
  it('refuses the session: nothing that must be recorded goes unrecorded', async () => {
    const gateway = await startGateway({ env: { SERVICE_RECORD_SESSIONS: 'true' } });
    const { dir } = gateway.config.recordings;
    rmSync(dir, { recursive: true, force: true });
    writeFileSync(dir, 'in the way');
    const { id } = await hostOf(gateway, sshd, { name: 'box' });
    const client = openTerminal(`${gateway.url}/api/ws/terminal/${id}?cols=80&rows=24`, {
      headers: { authorization: `Bearer ${gateway.admin.token}` },
    });
    expect(await client.frame('error')).toMatchObject({ code: 'recording_failed' });
    expect((await client.closed()).code).toBe(1011);
    const { body } = await gateway.admin.call('GET', '/api/recordings');
    expect(body).toEqual([]);
    expect((await said(gateway, 'recording_stop'))[0]?.detail).toBe(
      `box (#${id}): session refused because it cannot be recorded`,
    );
    await gateway.close();
  });
});

describeEachGateway(
  'Recordings that a dead instance left open',
  (gateway) => {
    const HEADER = '{"version":2,"width":80,"height":24}\n';

    /** The file of a killed process: half a line at the end. */
    async function leave(file_path: string, content: string | undefined): Promise<Recording> {
      const path = join(gateway().config.recordings.dir, file_path);
      if (content !== undefined) {
        mkdirSync(join(path, '..'), { recursive: true });
        writeFileSync(path, content);
      }
      return createRepositories(gateway().store).recordings.insert({
        ...{
          run_id: 'of the dead',
          directory_id: null,
          user_id: 1,
          username: 'admin',
          server_id: null,
          server_name: 'box',
        },
        ...{ started_at: '2026-01-02T03:04:05.000Z', status: 'recording', file_path },
        ...{ ended_at: null, duration_s: null, size_bytes: null, sha256: null },
      });
    }

    const closed = ({ id }: Recording) =>
      eventually(async () => {
        const { body } = await gateway().admin.call<Recording>('GET', `/api/recordings/${id}`);
        if (body.status === 'recording') throw new Error('Still open');
        return body;
      });

    it('are closed as interrupted when another instance starts', async () => {
      const content = `${HEADER}[1.5,"o","a"]\n[2.25,"o","b"]\n[3,"o","br`;
      const left = await leave('2026-01/left.cast', content);
      const lost = await leave('2026-01/lost.cast', undefined);
      const { config } = gateway();
      const env = { SERVICE_RECORDINGS_DIR: config.recordings.dir };
      const next = await startGateway({ database_url: config.database_url, untouched: true, env });
      expect(await closed(left)).toMatchObject({
        ...{ status: 'interrupted', duration_s: 2.25, ended_at: '2026-01-02T03:04:07.250Z' },
        size_bytes: content.length,
      });
      expect(await closed(lost)).toMatchObject({ status: 'interrupted', duration_s: 0, size_bytes: 0 });
      await next.close();
      const verdict = async ({ id }: Recording) =>
        (await gateway().admin.call<RecordingVerdict>('GET', `/api/recordings/${id}/verify`)).body;
      expect(await verdict(left)).toMatchObject({ ok: true });
      expect(await verdict(lost)).toMatchObject({ ok: false, reason: 'file_missing' });
      const entries = (await said(gateway(), 'recording_close')).map(({ detail }) => detail);
      expect(entries.filter((detail) => detail.startsWith(`#${left.id} `))).toEqual([
        expect.stringMatching(/, box, interrupted, of admin$/),
      ]);
    });
  },
  {},
);
