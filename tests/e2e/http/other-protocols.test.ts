import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { startHaproxy } from '../../support/gateway/haproxy.ts';

const run = promisify(execFile);

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

/** Sends requests on one connection, each after the answer to the one before it; returns their status lines and bodies. */
async function exchange(...requests: string[]): Promise<string[]> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  const answers: string[] = [];
  for (const request of requests) {
    socket.write(request);
    answers.push(await answerOn(socket));
  }
  socket.destroy();
  return answers;
}

/** Reads to the end of a JSON body. */
function answerOn(socket: ReturnType<typeof connect>): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error(`Closed after: ${text}`)));
    socket.on('data', function read(bytes) {
      text += bytes;
      if (!/\r\n\r\n.*[}\]]$/s.test(text)) return;
      socket.off('data', read);
      resolve(text);
    });
  });
}

const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
const HEALTH = 'GET /api/health HTTP/1.1\r\nHost: x\r\n';
const LOGIN = `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${H2C}`;

describe('A request that offers another protocol than WebSocket', () => {
  it('gets its answer with curl --http2, body and second request included', async () => {
    const format = ['-w', '%{http_code} %{http_version} %{num_connects}\n', '-o', '/dev/null'];
    const url = `${gateway.url}/api/health`;
    const get = await run('curl', ['-s', '--http2', ...format, url, ...format, url]);
    expect(get.stdout).toBe('200 1.1 1\n200 1.1 0\n');
    const json = ['-H', 'content-type: application/json', '-d', '{"username":1}'];
    const post = await run('curl', ['-s', '--http2', ...format, ...json, `${gateway.url}/api/auth/login`]);
    expect(post.stdout).toBe('422 1.1 1\n');
  });

  it.each([
    ['without a body', `${HEALTH}${H2C}\r\n`, 200],
    ['with a body', `${LOGIN}Content-Length: 2\r\n\r\n{}`, 422],
    ['with a chunked body', `${LOGIN}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`, 422],
  ])('is answered %s, and the connection goes on', async (_what, request, status) => {
    const [answer, next] = await exchange(request, `${HEALTH}\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(next).toMatch(/^HTTP\/1.1 200 /);
  });

  it('is told by a terminal endpoint what to upgrade to', async () => {
    const [answer] = await exchange(`GET /api/ws/terminal/1 HTTP/1.1\r\nHost: x\r\n${H2C}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 426 /);
    expect(answer).toMatch(/\r\nupgrade: websocket\r\n/i);
  });
});

describe('An HTTP/1.0 request without a host', () => {
  it('is answered', async () => {
    const [answer] = await exchange('GET /api/health/ready HTTP/1.0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  it('keeps the host that it does name', async () => {
    const [answer] = await exchange('GET /api/health HTTP/1.0\r\nHost: a b\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
  });

  it('passes as the health check of HAProxy', async () => {
    const check = 'option httpchk GET /api/health/ready';
    const haproxy = await startHaproxy(new URL(gateway.url).host, check);
    expect(await haproxy.health()).toBe('L7OK 200');
    expect((await fetch(`${haproxy.url}/api/health`)).status).toBe(200);
    await haproxy.stop();
  });
});
