import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visit } from '../../support/browser/browser.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const MIB = 1024 * 1024;
const BODY_MIB = 200; // far more than all buffers on the way
const LIMIT = 250 * MIB;
const BOUNDARY = 'b';
const END = `\r\n--${BOUNDARY}--\r\n`;

let sshd: Sshd;
let gateway: TestGateway;
let server_id: number;
let read_only_id: number;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway({ env: { SERVICE_MAX_UPLOAD_SIZE: String(LIMIT) } });
  const { port, username, password } = sshd;
  server_id = (await gateway.addServer({ name: 'box', port, username, password })).id;
  read_only_id = (await gateway.addServer({ name: 'ro', port, username, password, sftp_read_only: true })).id;
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

const uploadPath = (path: string, id = server_id) =>
  `/api/files/${id}/upload?path=${encodeURIComponent(path)}`;
const beginningOf = (filename: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="${filename}"\r\n\r\n`;

interface Head {
  readonly path: string;
  readonly token?: string;
  readonly length?: number;
  readonly more?: string;
}

function headOf({ path, token = gateway.admin.token, length, more = '' }: Head): string {
  const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  return [
    `POST ${path} HTTP/1.1`,
    'Host: gateway',
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    framing,
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    ...(more ? [more] : []),
    '\r\n',
  ].join('\r\n');
}

async function dial(): Promise<Socket> {
  const { port, hostname } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Reads nothing until everything is sent, like browsers; returns the gateway's response. */
async function sendAllThenListen(
  head: Omit<Head, 'length'>,
  { filename = 'large.bin', mib = BODY_MIB } = {},
) {
  const socket = await dial();
  const beginning = beginningOf(filename);
  const length = beginning.length + mib * MIB + END.length;
  const piece = Buffer.alloc(MIB, 'x');
  const write = async (bytes: Buffer | string) => {
    if (!socket.write(bytes)) await once(socket, 'drain');
  };
  await write(headOf({ ...head, length }) + beginning);
  for (let sent = 0; sent < mib; sent += 1) await write(piece);
  await write(END);
  const received = await untilAnswered(socket);
  socket.destroy();
  return received;
}

/** Reads to the end of the JSON, whether or not the connection is closed after it. */
async function untilAnswered(socket: Socket): Promise<{ status: number; code: string; text: string }> {
  let text = '';
  while (!text.endsWith('}')) {
    const [bytes] = await once(socket, 'data');
    text += bytes;
  }
  const body = text.slice(text.lastIndexOf('\r\n\r\n') + 4);
  return { status: Number(text.slice(9, 12)), code: String(JSON.parse(body).code), text };
}

describe('A refusal while the body is still being sent', () => {
  it.each<[string, number, string, () => Omit<Head, 'length'>]>([
    ['without a token', 401, 'not_authenticated', () => ({ path: uploadPath('/'), token: '' })],
    ['on a read-only server', 403, 'sftp_read_only', () => ({ path: uploadPath('/', read_only_id) })],
    ['to an unknown server', 404, 'server_not_found', () => ({ path: uploadPath('/', 2_147_483_647) })],
    ['into a missing directory', 404, 'file_not_found', () => ({ path: uploadPath('/no/such/place') })],
    ['into a file', 409, 'not_a_directory', () => ({ path: uploadPath('/etc/hostname') })],
    ['to an unknown route', 404, 'route_not_found', () => ({ path: '/api/no/such/thing' })],
    ['where no body is expected', 404, 'server_not_found', () => ({ path: '/api/servers/2147483647/test' })],
  ])('%s reaches the client', async (_what, status, code, head) => {
    expect(await sendAllThenListen(head())).toMatchObject({ status, code });
  });

  it('for exceeding the limit reaches the client', async () => {
    const got = await sendAllThenListen({ path: uploadPath(sshd.folder) }, { mib: 252 });
    expect(got).toMatchObject({ status: 413, code: 'upload_too_large' });
    expect(got.text).toContain('SERVICE_MAX_UPLOAD_SIZE');
  });

  it('halfway through the body reaches the client', async () => {
    const got = await sendAllThenListen({ path: uploadPath(sshd.folder) }, { filename: 'a/b' });
    expect(got).toMatchObject({ status: 400, code: 'invalid_name' });
  });

  it('reaches a browser', async () => {
    const browser = await visit(gateway.url);
    const got = await browser.page.evaluate(
      async ({ url, size_mib }) => {
        const piece = new Uint8Array(1024 * 1024);
        const form = new FormData();
        form.append('files', new File(Array(size_mib).fill(piece), 'large.bin'));
        const response = await fetch(url, { method: 'POST', body: form });
        return { status: response.status, code: (await response.json()).code };
      },
      { url: `${gateway.url}${uploadPath('/')}`, size_mib: BODY_MIB },
    );
    await browser.close();
    expect(got).toEqual({ status: 401, code: 'not_authenticated' });
  });

  it('leaves no connection behind when the client keeps sending', async () => {
    const socket = await dial();
    socket.on('error', () => undefined);
    socket.write(headOf({ path: uploadPath('/'), token: '', more: 'Connection: close' }));
    await once(socket, 'data');
    socket.write(`5\r\nabcde\r\n`);
    const ended = once(socket, 'end'); // half-closed: the client may keep sending, but nobody reads it
    socket.resume();
    await ended;
    socket.end();
    await once(socket, 'close');
  });
});

describe('Expect: 100-continue', () => {
  const expecting = { more: 'Expect: 100-continue' };

  it('is answered with a refusal that does not need the body', async () => {
    const socket = await dial();
    socket.write(headOf({ path: uploadPath('/'), token: '', length: MIB, ...expecting }));
    const ended = once(socket, 'end');
    const { text } = await untilAnswered(socket);
    expect(text).toMatch(/^HTTP\/1.1 401 /);
    expect(text.toLowerCase()).toContain('\r\nconnection: close\r\n');
    await ended;
  });

  it('is answered with 100 once the body is read', async () => {
    const socket = await dial();
    const body = `${beginningOf('expected.txt')}here${END}`;
    socket.write(headOf({ path: uploadPath(sshd.folder), length: body.length, ...expecting }));
    const [received] = await once(socket, 'data');
    expect(String(received)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    const answer = await untilAnswered(socket);
    expect(answer.status).toBe(200);
    expect(answer.text.toLowerCase()).not.toContain('connection: close');
    socket.write('GET /api/auth/me HTTP/1.1\r\nHost: x\r\n\r\n'); // the connection still serves the next request
    expect((await untilAnswered(socket)).status).toBe(401);
    socket.destroy();
  });

  it('is answered with 100 for JSON too', async () => {
    const socket = await dial();
    const body = '{}';
    socket.write(
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    const [received] = await once(socket, 'data');
    expect(String(received)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    expect((await untilAnswered(socket)).status).toBe(422);
  });
});
