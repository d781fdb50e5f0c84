import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '#api/contract/shapes.ts';
import { createRefuse } from '#api/http/refuse.ts';
import { FAULTS, Fault, type FaultCode } from '#core/errors.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    env: { SERVICE_MAX_UPLOAD_SIZE: '1000' },
    listening: { headers_timeout_ms: 300 },
  });
});
afterAll(() => gateway?.close());

interface Raw {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ErrorBody;
}

/** Sends bytes, and reads until the gateway closes. */
function sendRaw(text: string): Promise<Raw> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  return new Promise((resolve, reject) => {
    socket.setEncoding('utf8').on('data', (data) => {
      answer += data;
    });
    socket.once('error', reject);
    socket.once('end', () => {
      socket.destroy();
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const [line = '', ...lines] = head.split('\r\n');
      const headers = new Headers(
        lines.map((one): [string, string] => {
          const [name = '', ...value] = one.split(': ');
          return [name, value.join(': ')];
        }),
      );
      resolve({ status: Number(line.split(' ')[1]), headers, body: JSON.parse(body || '{}') });
    });
  });
}

const upgrade = (path: string, more = '', method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`;

describe('A refusal has one shape, with a request id', () => {
  it.each([
    [
      'of an upgrade from a foreign origin',
      upgrade('/api/ws/terminal/1', 'Origin: https://evil.example\r\n'),
      403,
      'origin_refused',
    ],
    ['of an upgrade of an API path', upgrade('/api/health'), 400, 'upgrade_refused'],
    ['of an upgrade of a page', upgrade('/'), 400, 'upgrade_refused'],
    [
      'of an upgrade with another method',
      upgrade('/api/ws/terminal/1', '', 'POST'),
      405,
      'method_not_allowed',
    ],
    [
      'of an upgrade with a bad key',
      upgrade('/api/ws/terminal/1').replace('dGhlIHNhbXBsZSBub25jZQ==', 'x'),
      400,
      'bad_request',
    ],
    [
      'of an upgrade with a bad host',
      upgrade('/api/ws/terminal/1').replace('Host: x', 'Host: a b'),
      400,
      'bad_request',
    ],
    ['of an upgrade of a bad path', upgrade('/api\\ws'), 400, 'bad_request'],
    ['of what is not HTTP', 'what is this\r\n\r\n', 400, 'bad_request'],
    ['of a request without a host', 'GET /api/health HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    [
      'of a request with a bad host',
      'GET /api/health HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
      400,
      'bad_request',
    ],
    [
      'of headers that are too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['of headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n', 408, 'request_timeout'],
    [
      'of an unknown expectation',
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\nConnection: close\r\n\r\n',
      417,
      'expectation_failed',
    ],
    [
      'of a proxy request',
      'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n',
      405,
      'method_not_allowed',
    ],
    [
      'of a malformed body',
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'bad_request',
    ],
    [
      'of an unknown path',
      'GET /api/none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
      'route_not_found',
    ],
    [
      'of another method',
      'PATCH /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
      'route_not_found',
    ],
  ])('%s', async (_what, request, status, code) => {
    const answer = await sendRaw(request);
    expect(answer).toMatchObject({ status, body: { code, detail: expect.stringMatching(/./) } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('A refusal names', () => {
  it('the path that a ZIP archive lacks', async () => {
    const { status, body } = await gateway.admin.call('GET', '/api/files/1/download-zip');
    const errors = [{ path: 'path', message: 'Required unless the ticket is for several' }];
    expect({ status, body }).toMatchObject({ status: 422, body: { code: 'validation', errors } });
  });

  it('the credentials that no server asks for', async () => {
    const { id } = await gateway.addServer({});
    const given = { username: 'ann', password: 'secret' };
    const { status, body } = await gateway.admin.call('POST', `/api/files/${id}/connect`, given);
    const errors = [{ path: 'username', message: 'No server on this route asks for credentials' }];
    expect({ status, body }).toMatchObject({ status: 422, body: { code: 'validation', errors } });
  });

  it('the limit of an upload, and its variable', async () => {
    const metadata = `filename ${btoa('a')},path ${btoa('/')}`;
    const headers = { 'Tus-Resumable': '1.0.0', 'Upload-Length': '1001', 'Upload-Metadata': metadata };
    const response = await gateway.admin.fetch('/api/files/1/uploads', { method: 'POST', headers });
    expect(response.status).toBe(413);
    expect((await response.json()).detail).toMatch(/1000 bytes.*SERVICE_MAX_UPLOAD_SIZE/);
  });
});

describe('Every refusal', () => {
  const refuse = createRefuse(
    { isUpgrade: () => false } as never, // nothing else of the runtime is asked
    { error: () => undefined },
    () => () => undefined,
  );
  const ALL = Object.keys(FAULTS).filter((name): name is FaultCode => name in FAULTS);

  /** The response headers and body to a fault. */
  async function answerTo(fault: Fault) {
    const { Hono } = await import('hono');
    const app = new Hono();
    app.onError(refuse as never);
    app.get('/', () => {
      throw fault;
    });
    const response = await app.request('/');
    return { headers: response.headers, body: await response.json() };
  }

  it.each(ALL.filter((code) => [429, 503].includes(FAULTS[code].status)))(
    'for now says when to try again: %s',
    async (code) => {
      expect(Number((await answerTo(new Fault(code))).headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  it('of input names what is wrong in `errors`', async () => {
    const { body } = await answerTo(new Fault('validation', 'The request body was cut off'));
    expect(body.errors).toEqual([{ path: '', message: 'The request body was cut off' }]);
  });

  it.each(ALL.filter((code) => FAULTS[code].status === 413 && !['upload_too_large'].includes(code)))(
    'for size names the limit and its unit: %s',
    (code) => {
      expect(FAULTS[code].detail).toMatch(/\d (MiB|KiB|bytes)/);
    },
  );
});
