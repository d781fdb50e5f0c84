import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Passed } from '#api/http/forward.ts';
import { createHop } from '#server/edge/hop.ts';

const CHUNK = new Uint8Array(64 * 1024);
const MIB = 1024 * 1024;
const MOST_AHEAD = 16 * MIB; // buffers of both sockets and of the request

async function workerWith(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`) };
}

function hopOf() {
  const hop = createHop();
  onTestFinished(hop.close);
  return hop;
}

function passed(change: Partial<Passed> = {}): Passed {
  const signal = new AbortController().signal;
  return { method: 'GET', headers: new Headers(), body: null, signal, sent: () => undefined, ...change };
}

/** Chunks without end, or `count` of them; `pulled` counts bytes. */
function bodyOf(count = Number.POSITIVE_INFINITY) {
  const seen = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.pulled >= count * CHUNK.length) return controller.close();
      seen.pulled += CHUNK.length;
      controller.enqueue(CHUNK);
    },
    cancel() {
      seen.cancelled = true;
    },
  });
  return { body, seen };
}

describe('The hop of an edge to its worker', () => {
  it('reads a body no faster than the worker takes it', async () => {
    const { body, seen } = bodyOf();
    let ahead = 0;
    const { url } = await workerWith(async (request, response) => {
      let received = 0;
      for await (const chunk of request) {
        received += chunk.length;
        if (received > 32 * MIB) break;
      }
      ahead = seen.pulled - received;
      response.end();
    });
    await hopOf()
      .exchange(url, passed({ method: 'POST', body }))
      .catch(() => undefined);
    expect(ahead).toBeLessThan(MOST_AHEAD);
    await expect.poll(() => seen.cancelled).toBe(true);
  });

  it('sends the whole body, says so, and passes the answer on', async () => {
    const { url } = await workerWith(async (request, response) => {
      let received = 0;
      for await (const chunk of request) received += chunk.length;
      response.writeHead(201, { 'x-one': 'a', 'set-cookie': ['a=1', 'b=2'] }).end(String(received));
    });
    let has_sent = false;
    const sent = () => {
      has_sent = true;
    };
    const { body } = bodyOf(100);
    const answer = await hopOf().exchange(url, passed({ method: 'POST', body, sent }));
    expect([answer.status, await answer.text(), has_sent]).toEqual([201, String(100 * CHUNK.length), true]);
    expect([answer.headers.get('x-one'), answer.headers.getSetCookie()]).toEqual(['a', ['a=1', 'b=2']]);
  });

  it('passes on an early refusal, and stops reading the body', async () => {
    const { body, seen } = bodyOf();
    const { url } = await workerWith((request, response) => {
      response.writeHead(413, { connection: 'close' }).end('too large', () => request.socket.destroySoon());
    });
    const answer = await hopOf().exchange(url, passed({ method: 'POST', body }));
    expect([answer.status, await answer.text()]).toEqual([413, 'too large']);
    await expect.poll(() => seen.cancelled).toBe(true);
  });

  it('has no body for HEAD and 204', async () => {
    const { url } = await workerWith((request, response) => {
      response.writeHead(request.method === 'HEAD' ? 200 : 204, { 'content-length': 5 }).end();
    });
    for (const method of ['HEAD', 'DELETE']) {
      const answer = await hopOf().exchange(url, passed({ method }));
      expect(answer.body).toBeNull();
    }
  });

  it('ends with its signal, while the worker says nothing', async () => {
    const { url, server } = await workerWith(() => undefined);
    const leaving = new AbortController();
    const asked = once(server, 'request');
    const answer = hopOf().exchange(url, passed({ signal: leaving.signal }));
    await asked;
    leaving.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('uses another connection when the worker has closed the kept one', async () => {
    const { url, server } = await workerWith((_request, response) => void response.end('ok'));
    const hop = hopOf();
    for (let round = 0; round < 3; round += 1) {
      const answer = await hop.exchange(url, passed());
      expect(await answer.text()).toBe('ok');
      server.closeAllConnections();
    }
  });

  it('repeats no POST on another connection, since the worker may have carried it out', async () => {
    const asked: (string | undefined)[] = [];
    const { url } = await workerWith(({ method, socket }, response) => {
      asked.push(method);
      if (asked.length % 2 === 1) response.end('ok');
      else socket.resetAndDestroy();
    });
    const hop = hopOf();
    await (await hop.exchange(url, passed())).text();
    await expect(hop.exchange(url, passed({ method: 'POST' }))).rejects.toMatchObject({ code: 'ECONNRESET' });
    await (await hop.exchange(url, passed())).text();
    expect(await (await hop.exchange(url, passed())).text()).toBe('ok');
    expect(asked).toEqual(['GET', 'POST', 'GET', 'GET', 'GET']);
  });
});
