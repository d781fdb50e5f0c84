import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Connection } from 'ssh2';
import { describe, expect, it } from 'vitest';
import { limitUnread } from '#worker/ssh/handshake/unread-limit.ts';
import { failureOf, request, watch, worker } from '../setup.ts';
import { startDouble } from '../ssh-double.ts';
import { insidesOf } from './hostile-login.ts';

const MIB = 1024 * 1024;
const MAX_WRITES = 20_000;

/** A stream to a peer that reads nothing, with the number of times that its limit was exceeded. */
function deafPeer() {
  const stream = new Duplex({ read() {}, write() {} });
  let times = 0;
  limitUnread(stream, {
    sent() {},
    exceeded() {
      times += 1;
    },
  });
  const write = (bytes: number, count = 1) => {
    for (let written = 0; written < count; written += 1) stream.write(Buffer.alloc(bytes));
  };
  return { stream, write, times: () => times };
}

describe('the limit of what a host leaves unread', () => {
  it('is exceeded by more than 20,000 writes, once, and what follows is dropped', async () => {
    const { stream, write, times } = deafPeer();
    write(1, MAX_WRITES);
    await turn();
    expect(times()).toBe(0);
    write(1, 10);
    await turn();
    expect([times(), stream.writableLength]).toEqual([1, MAX_WRITES + 1]);
  });

  it('is exceeded by more than 32 MiB, not by the full windows of several uploads', async () => {
    const { write, times } = deafPeer();
    write(32 * 1024, 1024);
    await turn();
    expect(times()).toBe(0);
    write(1);
    await turn();
    expect(times()).toBe(1);
  });

  it('counts only what is still queued', async () => {
    const stream = new Duplex({ read() {}, write: (_bytes, _encoding, done) => done() });
    let times = 0;
    limitUnread(stream, {
      sent() {},
      exceeded() {
        times += 1;
      },
    });
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < MAX_WRITES; count += 1) stream.write(Buffer.alloc(1));
      await turn();
    }
    expect(times).toBe(0);
  });
});

// With what the sockets hold, far more replies than allowed; in 32 MiB fit twice as many.
const MAX_REQUESTS = 400_000;

/** Asks for replies and reads none, until the connection is gone. */
async function flood(host: Connection): Promise<void> {
  const { _protocol, _sock } = insidesOf(host);
  let is_gone = false;
  _sock.once('close', () => {
    is_gone = true;
  });
  _sock.pause();
  for (let sent = 0; sent < MAX_REQUESTS && !is_gone; sent += 1000) {
    for (let count = 0; count < 1000; count += 1) _protocol.ping();
    await flushed(_sock);
  }
}

async function flushed(socket: Socket): Promise<void> {
  while (socket.writableLength > MIB && !socket.destroyed) await turn();
  await turn();
}

describe('a host that asks for replies and reads none', () => {
  it('loses the connection before authentication', async () => {
    const double = await startDouble({
      decide: () => {},
      connected: (client) => client.once('handshake', () => void flood(client)),
    });
    const opening = worker({ connect_timeout_ms: 80_000 }).shells.open(double.target(), request());
    expect(await failureOf(opening)).toMatchObject({
      code: 'ssh_protocol',
      detail: `127.0.0.1:${double.port} does not read what it is sent`,
    });
  });

  it('loses the connection after authentication', async () => {
    let host: Connection | undefined;
    const double = await startDouble({
      connected: (client) => {
        host = client;
      },
    });
    const screen = watch(await worker().shells.open(double.target(), request()));
    if (host) await flood(host);
    const detail = `127.0.0.1:${double.port} does not read what it is sent`;
    expect(screen.ends()).toBe(1);
    expect(await screen.ended).toMatchObject({ kind: 'lost', fault: { code: 'ssh_protocol', detail } });
  });
});
