import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { addHost } from '../../support/features/chain.ts';
import { ADMIN_PASSWORD, SECRET_KEY, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import {
  type Asked,
  functionUrlEvent,
  httpApiEvent,
  invokeStreaming,
  provideLambdaRuntime,
} from '../../support/gateway/lambda.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

let sshd: Sshd;
let worker: TestGateway;
let harbor: Server;
let lambda: {
  handler: (event: object) => Promise<Answer>;
  streamingHandler: Parameters<typeof invokeStreaming>[0];
};
let cleanup = async () => {};

beforeAll(async () => {
  const database = await migratedDatabaseUrl('postgres');
  cleanup = database.cleanup;
  sshd = await startSshd();
  worker = await startGateway({ database_url: database.url, env: { SERVICE_TRUSTED_PROXIES: '' } });
  harbor = await addHost(worker, { name: 'harbor', sshd });
  vi.stubEnv('SERVICE_DB_URL', database.url);
  vi.stubEnv('SERVICE_SECRET_KEY', SECRET_KEY);
  vi.stubEnv('SERVICE_WORKER_URL', worker.url);
  vi.stubEnv('SERVICE_LOG_LEVEL', 'silent');
  provideLambdaRuntime();
  lambda = await import(new URL('../../../dist/edge/lambda.mjs', import.meta.url).href);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await worker?.close();
  await sshd?.stop();
  await cleanup();
});

const signedIn = (asked: Asked): Asked => ({
  ...asked,
  headers: { authorization: `Bearer ${worker.admin.token}`, ...asked.headers },
});

const bytesOf = ({ body, isBase64Encoded }: Answer) => Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const signIn = (username: string, password: string, from: string, forged = from): Asked => ({
  method: 'POST',
  path: '/api/auth/login',
  headers: { 'content-type': 'application/json', 'x-forwarded-for': forged },
  body: Buffer.from(JSON.stringify({ username, password })),
  from,
});

describe.each([
  ['an HTTP API of API Gateway', httpApiEvent],
  ['a function URL', functionUrlEvent],
])('The edge on AWS Lambda behind %s', (_name, toEvent) => {
  it('answers from the database, and signs in through the worker', async () => {
    const signed_in = await lambda.handler(toEvent(signIn('admin', ADMIN_PASSWORD, '192.0.2.8')));
    const { access_token } = JSON.parse(signed_in.body);
    const headers = { authorization: `Bearer ${access_token}` };
    for (let count = 0; count < 5; count += 1) {
      const listed = await lambda.handler(toEvent({ method: 'GET', path: '/api/servers', headers }));
      expect(listed.statusCode).toBe(200);
      expect(JSON.parse(listed.body)).toMatchObject([{ name: 'harbor' }]);
    }
  });

  it('applies the gates itself', async () => {
    const refused = await lambda.handler(toEvent({ method: 'GET', path: '/api/servers' }));
    expect([refused.statusCode, JSON.parse(refused.body).detail]).toEqual([401, 'Not authenticated']);
  });

  it('takes binary files up and down unchanged', async () => {
    const bytes = randomBytes(200_000);
    const form = new FormData();
    form.append('file', new Blob([bytes]), 'lambda.bin');
    const posted = new Request('http://form.example', { method: 'POST', body: form });
    const up: Asked = {
      method: 'POST',
      path: `/api/files/${harbor.id}/upload`,
      query: `path=${encodeURIComponent(sshd.folder)}`,
      headers: { 'content-type': posted.headers.get('content-type') ?? '' },
      body: new Uint8Array(await posted.arrayBuffer()),
    };
    expect((await lambda.handler(toEvent(signedIn(up)))).statusCode).toBe(200);
    const stored = join(sshd.folder, 'lambda.bin');
    expect(hashOf(await readFile(stored))).toBe(hashOf(bytes));
    const query = `path=${encodeURIComponent(stored)}`;
    const down = signedIn({ method: 'GET', path: `/api/files/${harbor.id}/download`, query });
    const whole = await lambda.handler(toEvent(down));
    expect(whole.isBase64Encoded).toBe(true);
    expect(hashOf(bytesOf(whole))).toBe(hashOf(bytes));
    const streamed = await invokeStreaming(lambda.streamingHandler, toEvent(down));
    expect([streamed.statusCode, streamed.headers['content-length']]).toEqual([200, '200000']);
    expect(hashOf(streamed.body)).toBe(hashOf(bytes));
  });

  it('sends the pages, compressed where the client accepts it', async () => {
    const page = await lambda.handler(toEvent({ method: 'GET', path: '/' }));
    expect(page.body).toContain('<!doctype html>');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(page.body)?.[1] ?? '';
    const headers = { 'accept-encoding': 'gzip' };
    const asset = await lambda.handler(toEvent({ method: 'GET', path: script, headers }));
    expect([asset.statusCode, asset.headers['content-encoding']]).toEqual([200, 'gzip']);
    const stored = await readFile(new URL(`../../../dist/web${script}`, import.meta.url));
    expect(hashOf(gunzipSync(bytesOf(asset)))).toBe(hashOf(stored));
  });

  it('takes the address of the caller from the event, not from a header', async () => {
    const from = `198.51.100.${toEvent === httpApiEvent ? 1 : 2}`;
    let last = 0;
    for (let count = 0; count < 11; count += 1) {
      const attempt = signIn(`nobody-${from}`, 'wrong', from, `203.0.113.${count}`);
      last = (await lambda.handler(toEvent(attempt))).statusCode;
    }
    expect(last).toBe(429);
  });
});
