import { mkdtemp, rm } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { EncodingName } from '#core/lib/text/encodings.ts';
import { systemAfter } from '#core/lib/time/timers.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { createKeeperClient, type KeeperClient } from '#worker/keeper/client/keeper-client.ts';
import { createFrameReader } from '#worker/keeper/frames.ts';
import { openKeeper } from '#worker/keeper/keeper.ts';
import { encodeMessage, PROTOCOL } from '#worker/keeper/messages.ts';
import { listenAt } from '#worker/keeper/socket-file.ts';
import { eventually } from '../../support/eventually.ts';
import { handClock } from '../../support/hand-clock.ts';
import { FRESH, request } from '../setup.ts';

const clock = { now: () => new Date(), elapsed_ms: () => performance.now(), after: systemAfter };
const refuse = () => Promise.reject(new Fault('internal'));

const AUTH = { method: 'password', password: 'x' } as const;
const PLACE = { server_id: 1, name: 'old', hostname: '127.0.0.1', port: 22, username: 'u' };
const TARGET: SshTarget = { hops: [{ ...PLACE, auth: AUTH, ...FRESH }] };

let dir: string;
let lines: string[];
let client: KeeperClient | undefined;
beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'sallyport-keeper-')), 'keeper');
  lines = [];
});
afterEach(async () => {
  client?.close();
  await rm(join(dir, '..'), { recursive: true, force: true });
});

const log = {
  debug: () => undefined,
  info: (_fields: object, message: string) => void lines.push(message),
  warn: (_fields: object, message: string) => void lines.push(message),
  error: (_fields: object, message: string) => void lines.push(message),
};

/** Resolves when the client has a keeper that it can use. */
async function connectClient(start: () => void): Promise<void> {
  client = createKeeperClient({
    dir,
    start,
    host_keys: { judge: refuse, pin: refuse, secured: () => undefined, announced: () => undefined },
    clock,
    log,
    background: { run: (_what, work) => void work.catch(() => undefined) },
    version: 'new',
    connect_timeout_ms: 1000,
    lang: undefined,
  });
  await client.adoptAll(async () => {});
}

/** A keeper of another version, which ends when it is told to; resolves to what it was told. */
async function oldKeeper(welcome: { protocol: number; version: string; shells: number }) {
  const told: string[] = [];
  const server: Server = await listenAt(dir, (socket: Socket) => {
    const read = createFrameReader();
    socket.on('error', () => undefined);
    const answers: Readonly<Record<string, (call: number) => void>> = {
      hello: () => socket.write(encodeMessage(0, { say: 'welcome', others: 0, ...welcome })),
      unheld: () => socket.write(encodeMessage(0, { say: 'listed', call: 1, shells: [] })),
      open: (call) => socket.write(encodeMessage(1, { say: 'opened', call })),
      stop() {
        server.close();
        socket.destroy();
      },
    };
    socket.on('data', (chunk: Buffer) => {
      for (const { payload } of read(chunk)) {
        const { say, call } = JSON.parse(payload.toString());
        told.push(say);
        answers[say]?.(call);
      }
    });
  });
  return { told, server };
}

describe('A gateway that finds a keeper', () => {
  it('of a protocol it cannot use says that its terminals end, and replaces it', async () => {
    const old = await oldKeeper({ protocol: PROTOCOL + 1, version: 'future', shells: 3 });
    let opened: Awaited<ReturnType<typeof openKeeper>> | undefined;
    await connectClient(() => {
      void openKeeper({ dir, clock, log, version: 'new', idle_exit_ms: 1000 }).then((keeper) => {
        opened = keeper;
      });
    });
    expect(old.told).toEqual(['hello', 'stop']);
    expect(lines).toContain(
      'The running keeper is of a version that this gateway cannot use: its terminals end now',
    );
    opened?.close();
  });

  it('of another version with terminals uses it, and says so', async () => {
    const old = await oldKeeper({ protocol: PROTOCOL, version: 'old', shells: 3 });
    await connectClient(() => lines.push('started'));
    expect(old.told).toEqual(['hello', 'unheld']);
    expect(lines).toEqual([
      'The running keeper is of another version; it is replaced once it keeps no terminals',
    ]);
    client?.close();
    old.server.close();
  });
});

describe('A gateway whose keeper is of a version that converts no encodings', () => {
  const opened = (encoding: EncodingName) =>
    client?.shells.open(TARGET, { ...request(), terminal: { type: 'xterm', encoding } });

  it('opens terminals in UTF-8, and refuses one that needs another encoding', async () => {
    const old = await oldKeeper({ protocol: PROTOCOL, version: 'old', shells: 3 });
    await connectClient(() => lines.push('started'));
    await opened('utf-8');
    await expect(opened('gbk')).rejects.toMatchObject({ code: 'keeper_outdated' });
    await eventually(() => expect(old.told.slice(2)).toEqual(['open', 'open', 'close', 'forget']));
    client?.close();
    old.server.close();
  });
});

describe('A keeper that a gateway has started', () => {
  it('runs as long as a gateway is connected, and then until nobody has come back for a while', async () => {
    const hand = handClock();
    const keeper = await openKeeper({ dir, clock: hand, log, version: 'new', idle_exit_ms: 1000 });
    let has_ended = false;
    void keeper.ended.then(() => {
      has_ended = true;
    });
    await connectClient(() => lines.push('started'));
    await hand.pass(5000);
    expect([has_ended, lines]).toEqual([false, ['Terminals run in the keeper, and outlive this process']]);
    client?.close();
    await eventually(async () => {
      await hand.pass(1000);
      expect(has_ended).toBe(true);
    });
  });
});
