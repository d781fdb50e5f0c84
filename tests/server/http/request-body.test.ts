import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { toFault } from '#core/errors.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { ByteSource } from '#core/ports/files.ts';
import { requestBody } from '#server/http/request-body.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Arrived {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly client: Socket;
}

/** A request with this much sent, as the server sees it. */
async function arrive(text: string): Promise<Arrived> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Listening on TCP, the address is an object.
  const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  closers.push(() => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  });
  client.write(text);
  const [incoming, outgoing] = await requested;
  return { incoming, outgoing, client };
}

const post = (length: number, body = '') =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${body}`;

const never: After = () => () => undefined;

async function textOf(source: ByteSource): Promise<string> {
  let text = '';
  for await (const bytes of source) text += Buffer.from(bytes).toString();
  return text;
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => toFault(error).code,
  );

describe('The body of a request', () => {
  it('arrives as it was sent', async () => {
    const { incoming, client } = await arrive(post(10, 'first'));
    const text = textOf(requestBody(incoming, never));
    client.write('later');
    expect(await text).toBe('firstlater');
  });

  it('may be empty, or already complete', async () => {
    expect(await textOf(requestBody((await arrive(post(0))).incoming, never))).toBe('');
    const { incoming } = await arrive(post(5, 'whole'));
    await expect.poll(() => incoming.complete).toBe(true);
    expect(await textOf(requestBody(incoming, never))).toBe('whole');
  });

  it('that is cut off never counts as complete', async () => {
    const { incoming, client } = await arrive(post(10, 'half'));
    const code = codeOf(textOf(requestBody(incoming, never)));
    client.destroy();
    expect(await code).toBe('validation');
  });

  it('that was cut off before it was read never counts as complete', async () => {
    const { incoming, client } = await arrive(post(10, 'half'));
    client.destroy();
    await expect.poll(() => incoming.destroyed).toBe(true);
    expect(await codeOf(textOf(requestBody(incoming, never)))).toBe('validation');
  });

  it('in chunks that stop before the last one never counts as complete', async () => {
    const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n';
    const { incoming, client } = await arrive(chunked);
    const code = codeOf(textOf(requestBody(incoming, never)));
    client.end();
    expect(await code).toBe('validation');
  });

  it('times out when nothing arrives for 60 s', async () => {
    const { incoming } = await arrive(post(10, 'half'));
    const timers: { delay_ms: number; run: () => void }[] = [];
    const after: After = (delay_ms, run) => {
      timers.push({ delay_ms, run });
      return () => timers.pop();
    };
    const code = codeOf(textOf(requestBody(incoming, after)));
    await expect.poll(() => incoming.readableFlowing && timers.length).toBe(1);
    await new Promise(setImmediate);
    expect(timers.map(({ delay_ms }) => delay_ms)).toEqual([60_000]);
    timers[0]?.run();
    expect(await code).toBe('body_timeout');
  });

  it('applies back-pressure while it is not read', async () => {
    const { incoming, client } = await arrive(post(1024 ** 3));
    const body = requestBody(incoming, never)[Symbol.asyncIterator]();
    for (let mib = 0; mib < 64; mib += 1) client.write(Buffer.alloc(1024 * 1024));
    await body.next();
    await expect.poll(() => incoming.isPaused()).toBe(true);
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    expect(incoming.socket.bytesRead).toBeLessThan(2 * 1024 * 1024);
  });

  it('that is abandoned during a read does not count as complete', async () => {
    const { incoming } = await arrive(post(1000, 'some of it'));
    const body = requestBody(incoming, never)[Symbol.asyncIterator]();
    await body.next();
    const waiting = codeOf(body.next());
    await body.return?.();
    expect(await waiting).toBe('validation');
  });

  it('that is no longer needed does not affect the response', async () => {
    const { incoming, outgoing, client } = await arrive(post(1000, 'some of it'));
    const body = requestBody(incoming, never)[Symbol.asyncIterator]();
    expect((await body.next()).done).toBe(false);
    await body.return?.();
    expect(await body.next()).toEqual({ done: true, value: undefined });
    outgoing.end('refused');
    const [answer] = await once(client, 'data');
    expect(String(answer)).toContain('refused');
  });
});
