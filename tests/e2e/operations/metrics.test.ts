import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../support/features/accounts.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { shellOn } from '../../support/features/shells.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const TOKEN = 'token-of-the-monitoring';
const read = (gateway: TestGateway, token = TOKEN) => gateway.actor(token).call<string>('GET', '/metrics');

/** The value of a metric with these labels. */
async function numberOf(gateway: TestGateway, series: string): Promise<number> {
  const { body } = await read(gateway);
  const line = body.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? Number.NaN);
}

describe('The metrics', () => {
  let host: FileHost;
  let gateway: TestGateway;
  beforeAll(async () => {
    host = await startFileHost({ gateway: { env: { SERVICE_METRICS_TOKEN: TOKEN } } });
    gateway = host.gateway;
  });
  afterAll(() => host?.stop());

  it('are available with the metrics token, in Prometheus text format', async () => {
    const { status, headers, body } = await read(gateway);
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/plain; version='),
    ]);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(body).toContain(`sallyport_build_info{version="${version}"`);
  });

  it('are all that Prometheus expects of metrics', async () => {
    const { body } = await read(gateway);
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: body,
      encoding: 'utf8',
    });
    expect([status, stdout + stderr]).toEqual([0, '']);
  });

  it('are available to administrators, and to their keys with the scope', async () => {
    expect((await read(gateway, gateway.admin.token)).status).toBe(200);
    const { key } = await createKey(gateway.admin, { scopes: ['admin'] });
    expect((await read(gateway, key)).status).toBe(200);
  });

  it('are refused to everybody else', async () => {
    const member = await gateway.user({ username: 'member' });
    const { key } = await createKey(gateway.admin, { scopes: ['read'] });
    const newcomer = await gateway.user({ username: 'newcomer', is_admin: true, must_change_password: true });
    const codes = await Promise.all(
      ['', `${TOKEN}x`, member.token, key, newcomer.token].map(async (token) => {
        const { status, body } = await gateway.actor(token).call<{ code: string }>('GET', '/metrics');
        return [status, body.code];
      }),
    );
    expect(codes).toEqual([
      [401, 'not_authenticated'],
      [401, 'invalid_token'],
      [403, 'admin_only'],
      [403, 'scope_missing'],
      [403, 'password_change_required'],
    ]);
  });

  it('accept no token in the query', async () => {
    expect((await gateway.anonymous.call('GET', `/metrics?token=${TOKEN}`)).status).toBe(401);
  });

  it('count requests under the documented route, never under the requested path', async () => {
    await gateway.admin.call('GET', '/api/servers/987654');
    await gateway.admin.call('GET', '/api/no/such/thing');
    const { body } = await read(gateway);
    const refused = 'sallyport_http_requests_total{method="GET",route="/api/servers/{id}",status="404"}';
    expect(await numberOf(gateway, refused)).toBe(1);
    expect(body).not.toMatch(/987654|no\/such/);
  });

  it('count sign-ins, good and failed', async () => {
    const failed = 'sallyport_logins_total{outcome="failure"}';
    const before = await numberOf(gateway, failed);
    await gateway.anonymous.call('POST', '/api/auth/login', { username: 'nobody', password: 'wrong' });
    expect(await numberOf(gateway, failed)).toBe(before + 1);
    expect(await numberOf(gateway, 'sallyport_logins_total{outcome="success"}')).toBeGreaterThan(0);
  });

  it('count what is uploaded, downloaded and copied', async () => {
    const form = new FormData();
    form.append('files', new Blob(['x'.repeat(1000)]), 'up.txt');
    const at = encodeURIComponent(host.at());
    const path = `/api/files/${host.server.id}`;
    await gateway.admin.fetch(`${path}/upload?path=${at}`, { method: 'POST', body: form });
    const download = await gateway.admin.fetch(`${path}/download?path=${at}%2Fup.txt`);
    await download.arrayBuffer();
    const copy = {
      source_path: host.at('up.txt'),
      target_server_id: host.server.id,
      target_path: host.at('copy'),
    };
    await gateway.admin.call('POST', `${path}/copy-to`, copy);
    expect(await numberOf(gateway, 'sallyport_sftp_bytes_total{direction="up"}')).toBe(1000);
    expect(await numberOf(gateway, 'sallyport_sftp_bytes_total{direction="down"}')).toBe(1000);
    expect(await numberOf(gateway, 'sallyport_sftp_bytes_total{direction="copy"}')).toBe(1000);
    expect(await numberOf(gateway, 'sallyport_sftp_transfers_total{kind="copy"}')).toBe(1);
    expect(await numberOf(gateway, 'sallyport_sftp_transfers_total{kind="upload"}')).toBe(1);
    expect(await numberOf(gateway, 'sallyport_sftp_transfers_total{kind="download"}')).toBe(1);
    expect(await numberOf(gateway, 'sallyport_sftp_pooled_connections')).toBe(1);
  });

  it('count terminals, their sockets and their bytes', async () => {
    const { client } = await shellOn(gateway, host.server.id, gateway.admin);
    client.type('echo o"k"\n');
    await client.sees(/ok/);
    expect(await numberOf(gateway, 'sallyport_terminals')).toBe(1);
    expect(await numberOf(gateway, 'sallyport_websockets')).toBe(1);
    expect(await numberOf(gateway, 'sallyport_terminal_bytes_total{direction="in"}')).toBe(10);
    expect(await numberOf(gateway, 'sallyport_terminal_bytes_total{direction="out"}')).toBeGreaterThan(10);
    client.close(1000);
    await expect.poll(() => numberOf(gateway, 'sallyport_websockets')).toBe(0);
    await expect.poll(() => numberOf(gateway, 'sallyport_terminals')).toBe(0);
  });
});

describe('The metrics endpoint', () => {
  it('is below the prefix, and available in demo mode', async () => {
    const env = { SERVICE_METRICS_TOKEN: TOKEN, SERVICE_ROOT_PATH: '/ops', SERVICE_DEMO_MODE: 'true' };
    const gateway = await startGateway({ env, untouched: true });
    expect((await read(gateway)).status).toBe(200);
    expect((await fetch(`${gateway.url.replace('/ops', '')}/metrics`)).status).toBe(404);
    await gateway.close();
  });

  it('without a token is for administrators only', async () => {
    const gateway = await startGateway();
    expect((await read(gateway, '')).status).toBe(401);
    expect((await read(gateway, 'undefined')).status).toBe(401);
    expect((await read(gateway, gateway.admin.token)).status).toBe(200);
    await gateway.close();
  });
});
