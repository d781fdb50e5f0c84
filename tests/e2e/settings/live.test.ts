import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SETTING_KEYS, type SettingValues } from '#core/model/settings/setting.ts';
import { eventually } from '../../support/eventually.ts';
import { embed, exchange, mint } from '../../support/features/embeds.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { closedRecording, fileOf, readCast, recordingsOf } from '../../support/features/recordings.ts';
import { cut, resumed, shellOn, socketTo } from '../../support/features/shells.ts';
import { isChecked, untilRounds, untilStatus } from '../../support/features/statuses.ts';
import { metadata, tusCaller } from '../../support/features/tus.ts';
import type { Actor } from '../../support/gateway/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway/gateway-process.ts';
import { openTerminal } from '../../support/gateway/ws.ts';

let host: FileHost;

beforeAll(async () => {
  host = await startFileHost({
    gateway: {
      env: { SERVICE_DISABLE_MONITOR: 'false', SERVICE_MONITOR_INTERVAL: '3600' },
      one_instance: true, // others follow at a notice, not at once
    },
  });
});
afterAll(() => host?.stop());
afterEach(() => host.gateway.admin.call('POST', '/api/settings/reset', { keys: SETTING_KEYS }));

async function set(values: Partial<SettingValues>): Promise<void> {
  const { status, body } = await host.gateway.admin.call('PUT', '/api/settings', { values });
  if (status !== 200) throw new Error(`Not set: ${JSON.stringify(body)}`);
}

const member = (username: string) => host.gateway.user({ username, allowed_groups: ['lab'] });
const shellOf = (actor: Actor) => shellOn(host.gateway, host.server.id, actor);

describe('A setting that is changed while the gateway runs', () => {
  it('max_sessions_per_user: the next terminal is refused with 4008', async () => {
    const user = await member('crowd');
    const { client } = await shellOf(user);
    await set({ max_sessions_per_user: 1 });
    const second = socketTo(host.gateway, `${host.server.id}?cols=80&rows=24`, user);
    expect(await second.frame('error')).toMatchObject({ code: 'too_many_sessions' });
    expect((await second.closed()).code).toBe(4008);
    client.close(1000);
  });

  it('max_embeds_per_user: the next embedded session is refused, and the others live on', async () => {
    const user = await member('portal');
    const files = { server_id: host.server.id, kind: 'files' } as const;
    const first = await embed(host.gateway, user, files);
    await set({ max_embeds_per_user: 1 });
    const { body } = await mint(user, files);
    expect(await exchange(host.gateway, body.ticket)).toMatchObject({
      status: 429,
      body: { code: 'too_many_embeds' },
    });
    expect((await first.call('POST', '/api/auth/embed-session/renew')).status).toBe(200);
  });

  it('session_timeout: a running terminal ends with 4010', async () => {
    const { client } = await shellOf(await member('idler'));
    await set({ session_timeout: 1 });
    expect(await client.frame('error')).toMatchObject({ code: 'idle_timeout' });
    expect((await client.closed()).code).toBe(4010);
  });

  it('resume_seconds: a terminal whose connection dropped before is gone', async () => {
    const user = await member('dropper');
    const { client, session_id } = await shellOf(user);
    expect(await client.frame('session')).toMatchObject({ resume_s: 120 });
    await cut(client);
    await set({ resume_seconds: 0 });
    expect((await resumed(host.gateway, { session_id }, user).closed()).code).toBe(4004);
    const again = await shellOf(user);
    expect(await again.client.frame('session')).toMatchObject({ resume_s: 0 });
    again.client.close(1000);
  });

  it('quick_connect: is refused with 4003, and the page knows', async () => {
    await set({ quick_connect: false });
    const { body } = await host.gateway.anonymous.call('GET', '/api/config');
    expect(body).toMatchObject({ quick_connect: false });
    const client = socketTo(host.gateway, 'quick', await member('quick'));
    expect(await client.frame('error')).toMatchObject({ code: 'quick_connect_disabled' });
    expect((await client.closed()).code).toBe(4003);
  });

  it('record_sessions: the next terminal is recorded', async () => {
    const user = await member('star');
    const before = await shellOf(user);
    await set({ record_sessions: true });
    const { client } = await shellOf(user);
    expect(await client.frame('session')).toMatchObject({ recording: true });
    client.type('exit\r');
    await client.closed();
    await closedRecording(user);
    expect(await recordingsOf(user)).toHaveLength(1);
    before.client.close(1000);
  });

  it('recording_max_bytes: the next recording stops there, and its terminal continues', async () => {
    await set({ record_sessions: true, recording_max_bytes: 2000 });
    const user = await member('talker');
    const { client } = await shellOf(user);
    client.type('seq 1 5000; echo still-$((1 + 1))\r');
    await client.sees(/still-2/);
    const recording = await closedRecording(user);
    expect(recording.size_bytes).toBeLessThanOrEqual(2000);
    expect((await readCast(fileOf(host.gateway, recording))).output).toContain('1');
    client.close(1000);
  });

  it('max_upload_size: a larger upload is refused with 413, in both protocols', async () => {
    const folder = await host.make('uploads');
    const tus = tusCaller(host.gateway.admin, host.server.id);
    const begin = (length: number) =>
      tus.ask('POST', tus.base, {
        headers: {
          'upload-length': String(length),
          'upload-metadata': metadata({ path: folder, filename: `f${length}` }),
        },
      });
    expect((await tus.ask('OPTIONS', tus.base)).headers.get('tus-max-size')).toBeNull();
    await set({ max_upload_size: 1000 });
    expect((await tus.ask('OPTIONS', tus.base)).headers.get('tus-max-size')).toBe('1000');
    expect(await begin(1001)).toMatchObject({ status: 413, code: 'upload_too_large' });
    expect((await begin(1000)).status).toBe(201);
    const body = new FormData();
    body.append('files', new File(['x'.repeat(1001)], 'large.txt'));
    const path = `/api/files/${host.server.id}/upload?path=${encodeURIComponent(folder)}`;
    const refused = await host.gateway.admin.fetch(path, { method: 'POST', body });
    expect([refused.status, await refused.json()]).toMatchObject([413, { code: 'upload_too_large' }]);
  });

  it('allowed_origins: pages of that site may call the API and open sockets at once, and no longer once it is removed', async () => {
    const { anonymous, admin } = host.gateway;
    const origin = 'https://portal.example';
    const allowed = async () =>
      (await anonymous.fetch('/api/health', { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      );
    const headers = { authorization: `Bearer ${admin.token}`, origin };
    const socket = () => openTerminal(`${host.gateway.url}/api/ws/terminal/2147483647`, { headers });
    const untilRefused = async () => {
      expect(await allowed()).toBeNull();
      await expect(socket().frame('error')).rejects.toThrow(/403/);
    };
    await untilRefused();
    await set({ allowed_origins: origin });
    expect(await allowed()).toBe(origin);
    expect((await socket().closed()).code).toBe(4004); // admitted; there is no such server
    expect((await admin.call('GET', '/api/embedding')).body).toMatchObject({ allowed_origins: [origin] });
    await set({ allowed_origins: '' });
    await untilRefused();
  });

  it('frame_ancestors: the next page may be framed by that site alone', async () => {
    const headersOf = async () => {
      const { headers } = await host.gateway.anonymous.fetch('/');
      const [, ancestors] =
        /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '') ?? [];
      return [ancestors, headers.get('x-frame-options')];
    };
    expect(await headersOf()).toEqual(["'none'", 'DENY']);
    await set({ frame_ancestors: "'self', https://*.ops.example" });
    expect(await headersOf()).toEqual(["'self' https://*.ops.example", null]);
  });

  it('webhook_allow_private: the next webhook may have a private address, but no metadata service', async () => {
    const { admin } = host.gateway;
    const add = async (url: string) =>
      (await admin.call('POST', '/api/webhooks', { name: 'inside', url, events: ['*'], enabled: false }))
        .status;
    expect(await add('http://10.0.0.1/')).toBe(422);
    await set({ webhook_allow_private: true });
    expect(await add('http://10.0.0.1/')).toBe(201);
    expect(await add('http://169.254.169.254/latest/')).toBe(422);
    await set({ webhook_allow_private: false });
    expect(await add('http://10.0.0.2/')).toBe(422);
  });

  it.each([
    { allowed_origins: '*' },
    { allowed_origins: 'https://*.example' },
    { allowed_origins: 'null' },
    { allowed_origins: 'portal.example' },
    { allowed_origins: 'https://portal.example/path' },
    { allowed_origins: 'https://portal.example, ftp://files.example' },
    { frame_ancestors: '*' },
    { frame_ancestors: 'https://*' },
    { frame_ancestors: 'https://*.example' },
    { frame_ancestors: 'https:' },
    { frame_ancestors: 'https://ops.example; script-src *' },
    { frame_ancestors: 'https://*.*.example' },
  ])('sites that would allow too much are refused: %o', async (values) => {
    const { status, body } = await host.gateway.admin.call('PUT', '/api/settings', { values });
    expect([status, body['code']]).toEqual([422, 'validation']);
  });

  it('monitor_interval: a shorter one takes effect before the old one has passed', async () => {
    const { admin } = host.gateway;
    await untilStatus(admin, host.server.id, isChecked);
    await set({ monitor_interval: 1 });
    await untilRounds(admin, host.server.id, 2);
  });
});

describe('The log level of a process', () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({ SERVICE_LOG_FORMAT: 'json' });
  });
  afterAll(() => gateway?.stop());

  it('log_level: decides at once which lines are written', async () => {
    const ask = (path: string) => fetch(`${gateway.url}${path}`);
    const isWritten = (route: string) => gateway.output().includes(`"route":"${route}"`);
    await gateway.put('/api/settings', { values: { log_level: 'error' } });
    await ask('/api/branding');
    await gateway.put('/api/settings', { values: { log_level: 'debug' } });
    await ask('/api/health'); // Written at debug only.
    await eventually(() => expect(isWritten('/api/health')).toBe(true));
    expect(isWritten('/api/branding')).toBe(false);
  });
});
