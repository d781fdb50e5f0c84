import { rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { Fault } from '#core/errors.ts';
import { createRepeated } from '#core/lib/recent.ts';
import type { Clock, Log } from '#core/ports/runtime.ts';
import { createDialler } from '../ssh/dial/connect.ts';
import { createHostLookup } from '../ssh/dial/host-lookup.ts';
import { createPrivateKeyReader } from '../ssh/keys/private-keys.ts';
import { GatewayLink, type KeptShells } from './gateway-link.ts';
import { KeptShell } from './kept-shell.ts';
import { listenAt, socketPath } from './socket-file.ts';

const GREETING_MS = 5000;
const CONNECT_TIMEOUT_MS = 15_000;
const MAX_LINKS = 100;
const SAME_WARNING_MS = 60_000;

export interface KeeperOptions {
  /** Folder of the socket. */
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Ends after this long without gateways and shells; undefined never ends. */
  readonly idle_exit_ms: number | undefined;
}

export interface Keeper {
  /** Resolves when the keeper has ended: by `close`, by a gateway, or because nobody needs it. */
  readonly ended: Promise<void>;
  /** Ends all shells. */
  close(): void;
}

/** Owns shells and their connections, and lets gateways come and go. */
export async function openKeeper(options: KeeperOptions): Promise<Keeper> {
  const { dir, clock, log, version, idle_exit_ms } = options;
  const dialler = createKeeperDialler(clock);
  const shells = new Map<number, KeptShell>();
  const links = new Set<GatewayLink>();
  const isRepeated = createRepeated(clock, SAME_WARNING_MS);
  let last_id = 0;
  let cancelIdle = () => {};
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  const kept: KeptShells = {
    get: (id) => shells.get(id),
    all: () => shells.values(),
    add(shell, size, holder) {
      const id = ++last_id;
      const onForgotten = () => {
        shells.delete(id);
        watchIdle();
      };
      const added = new KeptShell({ id, shell, size, clock, onForgotten }, holder);
      shells.set(id, added);
      return added;
    },
    unheld(released) {
      const ids = released.map(({ id }) => id);
      if (ids.length > 0) for (const link of links) link.report({ say: 'unheld', shells: ids });
    },
  };

  function watchIdle(): void {
    cancelIdle();
    if (idle_exit_ms === undefined || links.size > 0 || shells.size > 0) return;
    cancelIdle = clock.after(idle_exit_ms, close);
  }

  function close(): void {
    cancelIdle();
    server.close();
    if (idle_exit_ms !== undefined) rmSync(socketPath(dir), { force: true }); // no service will start the next one
    for (const socket of sockets) socket.destroy(); // first: to the gateways, the shells are lost, not exited
    for (const shell of shells.values()) shell.close();
    dialler.close();
    end();
  }

  function connected(socket: Socket): void {
    if (links.size >= MAX_LINKS) return void socket.destroy();
    sockets.add(socket);
    const others = () => links.size - 1;
    const link = new GatewayLink({ socket, shells: kept, dialler, clock, version, others, onStop: close });
    links.add(link);
    const cancelGreeting = clock.after(GREETING_MS, () => {
      if (!link.is_greeted) socket.destroy();
    });
    socket.on('error', () => {}); // `close` follows
    socket.on('data', (chunk: Buffer) => {
      try {
        link.received(chunk);
      } catch (error) {
        const reason = error instanceof Error ? error.message : '';
        if (!isRepeated(reason))
          log.warn({ reason }, 'A connection was closed: it does not speak the protocol');
        socket.destroy();
      }
    });
    socket.on('close', () => {
      cancelGreeting();
      links.delete(link);
      sockets.delete(socket);
      link.closed();
      watchIdle();
    });
  }

  const sockets = new Set<Socket>();
  const server: Server = await listenAt(dir, connected);
  watchIdle();
  return { ended, close };
}

/** Each dial brings its own host keys and time-out, from the gateway that asks for it. */
function createKeeperDialler(clock: Clock) {
  const refuse = () => Promise.reject(new Fault('internal'));
  return createDialler({
    host_keys: { judge: refuse, pin: refuse, announced: () => undefined },
    keys: createPrivateKeyReader(clock),
    lookup: createHostLookup({ clock }),
    connect_timeout_ms: CONNECT_TIMEOUT_MS,
    clock,
  });
}
