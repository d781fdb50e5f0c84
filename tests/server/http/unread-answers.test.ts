import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { UnreadBounds } from '#api/http/env.ts';
import { createUnreadAnswers } from '#server/http/unread-answers.ts';

const MIB = 1024 ** 2;
const MANY_BYTES = 32 * MIB; // more than the buffers of the kernel take
const HOUR_MS = 3_600_000;

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

/** A server whose answers are as long as the path says; `bounds` by the path, too. */
async function serverWith(bounds: Partial<UnreadBounds>) {
  const bound = createUnreadAnswers({ most_bytes: 100 * MIB, most_bytes_of_owner: 40 * MIB });
  const answers: ServerResponse[] = [];
  const server = createServer((incoming, outgoing) => {
    const [, owner = '', bytes = '0'] = incoming.url?.split('/') ?? [];
    bound(outgoing, { silence_ms: HOUR_MS, owner, ...bounds }, (run) => outgoing.once('close', run));
    answers.push(outgoing);
    if (bytes !== 'late') outgoing.end(Buffer.alloc(Number(bytes)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => server.close().closeAllConnections());
  return {
    answers,
    /** Asks, and reads nothing. */
    async ask(owner: string, bytes: number | 'late'): Promise<Socket> {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
      socket.on('error', () => undefined);
      undo.push(() => socket.destroy());
      const before = answers.length;
      socket.write(`GET /${owner}/${bytes} HTTP/1.1\r\nHost: here\r\n\r\n`);
      await expect.poll(() => answers.length).toBe(before + 1);
      return socket;
    },
  };
}

const isEnded = (outgoing: ServerResponse | undefined) => outgoing?.destroyed === true;

describe('An answer that nobody reads', () => {
  it('ends when the client takes nothing of it for too long', async () => {
    const { answers, ask } = await serverWith({ silence_ms: 50 });
    await ask('one', MANY_BYTES);
    await expect.poll(() => isEnded(answers[0])).toBe(true);
  });

  it('ends when the client has not taken all of it in time', async () => {
    const { answers, ask } = await serverWith({ whole_ms: 50 });
    await ask('one', MANY_BYTES);
    await expect.poll(() => isEnded(answers[0])).toBe(true);
  });

  it('ends when its owner leaves more unread than fits; the oldest first, and not those of others', async () => {
    const { answers, ask } = await serverWith({});
    await ask('one', MANY_BYTES);
    await ask('two', MANY_BYTES);
    await ask('one', MANY_BYTES);
    expect(answers.map(isEnded)).toEqual([false, false, false]);
    await ask('one', 10);
    expect(answers.slice(0, 3).map(isEnded)).toEqual([true, false, false]);
  });

  it('ends when all clients together leave more unread than fits', async () => {
    const { answers, ask } = await serverWith({});
    for (const owner of ['one', 'two', 'three', 'four']) await ask(owner, MANY_BYTES);
    await ask('five', 10);
    expect(answers.slice(0, 4).map(isEnded)).toEqual([true, false, false, false]);
  });
});

describe('An answer that takes its time to make', () => {
  it('is not taken for one that nobody reads', async () => {
    const { answers, ask } = await serverWith({ silence_ms: 5 });
    const socket = await ask('one', 'late');
    const [late] = answers;
    if (!late) throw new Error('There is no answer');
    for (let timeouts = 0; timeouts < 3; timeouts += 1) await once(late, 'timeout');
    late.end('made');
    let text = '';
    socket.setEncoding('utf8').on('data', (more) => {
      text += more;
    });
    socket.resume();
    await expect.poll(() => text).toContain('made');
  });
});
