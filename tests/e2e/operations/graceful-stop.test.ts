import { once } from 'node:events';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import {
  callerOf,
  firstToken,
  type RunningGateway,
  runGateway,
} from '../../support/gateway/running-gateway.ts';
import { openTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { encrypted, longDsa } from '../../worker/ssh/keys/der-keys.ts';

const SECRET = 'a secret of the tests of stopping';
const PASSWORDS = ['first-password-1', 'second-password-2'] as const;
const SIZE = 48 * 1024 * 1024;

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
  const path = join(sshd.folder, 'large.bin');
  await writeFile(path, '');
  await truncate(path, SIZE);
});
afterAll(() => sshd?.stop());

interface Busy {
  readonly gateway: RunningGateway;
  readonly token: string;
  readonly server_id: number;
}

/** A gateway with one server and a signed-in user. */
async function busyGateway(env: Record<string, string> = {}): Promise<Busy> {
  const [first, next] = PASSWORDS;
  const gateway = await runGateway({
    SERVICE_SECRET_KEY: SECRET,
    SERVICE_ADMIN_PASSWORD: first,
    SERVICE_LOG_FORMAT: 'json',
    ...env,
  });
  onTestFinished(gateway.remove);
  const token = await firstToken(gateway.url, first, next);
  const { port, username, password } = sshd;
  const fields = { name: 'box', hostname: '127.0.0.1', port, username, password };
  const created = await callerOf(gateway.url, token)('POST', '/api/servers', fields);
  const { id: server_id } = await created.json();
  return { gateway, token, server_id };
}

async function isRefused(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const refused = await once(socket, 'connect').then(
    () => 'accepted',
    (error: NodeJS.ErrnoException) => error.code,
  );
  socket.on('error', () => undefined); // a late one is reset
  socket.destroy();
  expect(refused).toBe('ECONNREFUSED');
}

function terminalOn({ gateway, token, server_id }: Busy): TerminalClient {
  return openTerminal(`${gateway.url}/api/ws/terminal/${server_id}?cols=80&rows=24&token=${token}`);
}

/** A download that has started and whose body is not read. */
async function downloadOn({ gateway, token, server_id }: Busy): Promise<IncomingMessage> {
  const path = encodeURIComponent(join(sshd.folder, 'large.bin'));
  const asked = request(`${gateway.url}/api/files/${server_id}/download?path=${path}&token=${token}`);
  const [response] = await once(asked.end(), 'response');
  return response;
}

const BOUNDARY = 'xx';
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="sent.bin"\r\n\r\n`;

/** An upload whose first half is in transit. */
function uploadOn({ gateway, token, server_id }: Busy, half: Buffer): ClientRequest {
  const path = `${gateway.url}/api/files/${server_id}/upload?path=${encodeURIComponent(sshd.folder)}`;
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
  };
  const sent = request(path, { method: 'POST', headers });
  sent.write(HEAD);
  sent.write(half);
  return sent;
}

describe('A graceful stop', () => {
  it('first reports not ready, keeps answering, and hands back the lease', async () => {
    const busy = await busyGateway({ SERVICE_DRAIN_SECONDS: '60' });
    const { gateway, token } = busy;
    const ask = callerOf(gateway.url, token);
    const ready = async () => {
      const { status, headers } = await ask('GET', '/api/health/ready');
      return [status, headers.get('connection')];
    };
    expect(await ready()).toEqual([200, 'keep-alive']);
    const shell = terminalOn(busy);
    await shell.frame('session');
    gateway.child.kill('SIGTERM');
    await expect.poll(ready).toEqual([503, 'close']);
    expect((await ask('GET', '/api/servers')).status).toBe(200);
    shell.type('echo still h"er"e\n');
    await shell.sees(/still here/);
    const other = await runGateway({
      SERVICE_SECRET_KEY: SECRET,
      SERVICE_DB_URL: join(gateway.folder, 'data/sallyport.db'),
    });
    onTestFinished(other.remove);
    const health = await callerOf(other.url)('GET', '/api/health');
    expect(await health.json()).toMatchObject({ monitor_role: 'leader' });
  });

  it('closes terminals, ends event streams, lets transfers finish, and exits with 0', async () => {
    const busy = await busyGateway({ SERVICE_DRAIN_SECONDS: '0', SERVICE_RECORD_SESSIONS: 'true' });
    const { gateway, token } = busy;
    const half = Buffer.alloc(1024 * 1024, 'x');
    const shell = terminalOn(busy);
    await shell.frame('session');
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const events = await fetch(`${gateway.url}/api/servers/events`, { headers });
    const download = await downloadOn(busy);
    const upload = uploadOn(busy, half);
    const answered = once(upload, 'response');
    await expect.poll(() => readdir(sshd.folder)).toContainEqual(expect.stringMatching(/\.part$/)); // The drain has started.
    gateway.child.kill('SIGTERM');
    expect((await shell.closed()).code).toBe(1012);
    expect(await shell.frame('error')).toMatchObject({ code: 'shutting_down' });
    await events.text(); // The stream has ended.
    await eventually(() => isRefused(Number(new URL(gateway.url).port)));
    upload.end(Buffer.concat([half, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]));
    const [answer] = await answered;
    expect(answer.statusCode).toBe(200);
    expect((await readFile(join(sshd.folder, 'sent.bin'))).length).toBe(2 * half.length);
    expect(Buffer.concat(await download.toArray()).length).toBe(SIZE);
    expect(await gateway.exit).toBe(0);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('is immediate on a second signal: %s', async (signal, code) => {
    const busy = await busyGateway({ SERVICE_DRAIN_SECONDS: '60' });
    const { gateway } = busy;
    await downloadOn(busy); // Nobody reads it.
    gateway.child.kill('SIGTERM');
    await expect.poll(() => gateway.output()).toContain('"Stopping');
    const again = setInterval(() => gateway.child.kill(signal), 100); // A second signal right after the first may merge with it.
    expect(await gateway.exit).toBe(code);
    clearInterval(again);
  });

  it('ends the processes that decrypt private keys', async () => {
    const { gateway, token } = await busyGateway({ SERVICE_DRAIN_SECONDS: '60' });
    const credential = { private_key: encrypted(longDsa(2900), 'x'), passphrase: 'x' };
    const fields = { name: 'key', hostname: '127.0.0.1', username: 'x', auth_method: 'key', ...credential };
    const saved = callerOf(gateway.url, token)('POST', '/api/servers', fields).catch(() => 'gone');
    const { pid } = gateway.child;
    const child = () => readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').then((pids) => pids.trim());
    await expect.poll(child).toMatch(/^\d+$/);
    const decrypting = await child();
    gateway.child.kill('SIGTERM');
    await expect.poll(() => gateway.output()).toContain('"Stopping');
    const again = setInterval(() => gateway.child.kill('SIGTERM'), 100);
    expect(await gateway.exit).toBe(143);
    clearInterval(again);
    expect(await saved).toBe('gone');
    await expect.poll(() => isRunning(decrypting)).toBe(false);
  });
});

/** A process that has ended may remain until its parent asks for its status. */
async function isRunning(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ' Z ');
  return !stat.includes(' Z ');
}
