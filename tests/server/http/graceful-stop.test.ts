import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import type { Listener } from '#server/http/listen.ts';
import { ask, ended, listenWith, silentConnection } from '../../support/gateway/listening.ts';

const GRACE_MS = 300;
const BLOCK = new Uint8Array(64 * 1024);

/** More than the socket buffers hold. */
function endless(): Response {
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(BLOCK) }));
}

/** One request, from a thread of its own; the answer is posted. */
const REQUEST = `
  const { parentPort, workerData: { port, has_sent } } = require('node:worker_threads');
  const socket = require('node:net').connect(port, '127.0.0.1', () => {
    socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n', () => {
      Atomics.store(has_sent, 0, 1);
      Atomics.notify(has_sent, 0);
    });
  });
  let text = '';
  socket.on('data', (data) => { text += data; });
  socket.on('error', (error) => { text += error.code; });
  socket.on('close', () => parentPort.postMessage(text));
`;

describe('A server that stops', () => {
  let listener: Listener;
  afterEach(() => listener.close());

  it('asks its clients to reconnect while it still answers', async () => {
    listener = await listenWith(() => new Response('fine'));
    const agent = new Agent({ keepAlive: true });
    const connectionOf = async () => {
      const [response] = await once(get({ port: listener.port, agent }), 'response');
      response.resume();
      await once(response, 'end');
      return response.headers.connection;
    };
    expect(await connectionOf()).toBe('keep-alive');
    listener.drain();
    expect(await connectionOf()).toBe('close');
    expect(await connectionOf()).toBe('close');
    agent.destroy();
  });

  it('accepts no new connection', async () => {
    listener = await listenWith(() => new Response('fine'));
    await listener.close();
    await expect(fetch(`http://127.0.0.1:${listener.port}/`)).rejects.toThrow();
  });

  it('answers a request that waited in the accept queue', async () => {
    listener = await listenWith(() => new Response('fine'));
    const has_sent = new Int32Array(new SharedArrayBuffer(4));
    const client = new Worker(REQUEST, { eval: true, workerData: { port: listener.port, has_sent } });
    const answer = once(client, 'message');
    await once(client, 'online');
    Atomics.wait(has_sent, 0, 0); // holds the event loop, so that the connection cannot be accepted yet
    await listener.close();
    expect((await answer)[0]).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('does not wait for a connection that never sent anything', async () => {
    listener = await listenWith(() => new Response('fine'));
    const socket = await silentConnection(listener.port);
    await ask(listener.port).then(({ response }) => response.resume());
    await listener.close();
    await ended(socket);
  });

  it('lets a response in progress finish', async () => {
    let finish = () => {};
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(BLOCK);
        finish = () => {
          controller.enqueue(BLOCK);
          controller.close();
        };
      },
    });
    listener = await listenWith(() => new Response(body));
    const { response } = await ask(listener.port);
    const closed = listener.close();
    finish();
    expect(Buffer.concat(await response.toArray()).length).toBe(2 * BLOCK.length);
    await closed;
  });

  it('closes what has not finished at the end of the grace period', async () => {
    listener = await listenWith(endless, { close_grace_ms: GRACE_MS });
    const { response } = await ask(listener.port); // The client reads nothing.
    const broken = once(response, 'error');
    const begun_ms = performance.now();
    await listener.close();
    expect(performance.now() - begun_ms).toBeGreaterThan(GRACE_MS - 20);
    response.resume();
    expect((await broken)[0]).toMatchObject({ code: 'ECONNRESET' });
  });
});
