import { rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { Fault } from '#core/errors.ts';
import { createRepeated } from '#core/lib/time/recent.ts';
import type { Clock, Log } from '#core/ports/runtime.ts';
import { createHostLookup } from '../names/host-lookup.ts';
import { createDialler } from '../ssh/dial/connect.ts';
import { createKeyProcesses } from '../ssh/keys/key-processes.ts';
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
  const links = new Map<GatewayLink, Socket>();
  const shells = createKeptShells(clock, { links, onForgotten: watchIdle });
  const warn = createWarning(clock, log);
  let cancelIdle = () => {};
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  function watchIdle(): void {
    cancelIdle();
    if (idle_exit_ms === undefined || links.size > 0 || shells.count() > 0) return;
    cancelIdle = clock.after(idle_exit_ms, close);
  }

  function close(): void {
    cancelIdle();
    server.close();
    if (idle_exit_ms !== undefined) rmSync(socketPath(dir), { force: true }); // no service will start the next one
    for (const socket of links.values()) socket.destroy(); // first: to the gateways, the shells are lost, not exited
    for (const shell of shells.all()) shell.close();
    dialler.close();
    end();
  }

  function connected(socket: Socket): void {
    if (links.size >= MAX_LINKS) return void socket.destroy();
    const others = () => links.size - 1;
    const link = new GatewayLink({ socket, shells, dialler, clock, version, others, onStop: close });
    links.set(link, socket);
    cancelIdle();
    attend(socket, link, { clock, warn });
    socket.on('close', () => {
      links.delete(link);
      link.closed();
      watchIdle();
    });
  }

  const server: Server = await listenAt(dir, connected);
  watchIdle();
  return { ended, close };
}

interface ShellDeps {
  readonly links: ReadonlyMap<GatewayLink, Socket>;
  readonly onForgotten: () => void;
}

function createKeptShells(clock: Clock, { links, onForgotten }: ShellDeps): KeptShells & { count(): number } {
  const shells = new Map<number, KeptShell>();
  let last_id = 0;
  return {
    count: () => shells.size,
    get: (id) => shells.get(id),
    all: () => shells.values(),
    add(shell, size, holder) {
      const id = ++last_id;
      const forget = () => {
        shells.delete(id);
        onForgotten();
      };
      const added = new KeptShell({ id, shell, size, clock, onForgotten: forget }, holder);
      shells.set(id, added);
      return added;
    },
    unheld(released) {
      const ids = released.map(({ id }) => id);
      if (ids.length > 0) for (const link of links.keys()) link.report({ say: 'unheld', shells: ids });
    },
  };
}

/** The same reason is logged once a minute. */
function createWarning(clock: Clock, log: Log): (error: unknown) => void {
  const isRepeated = createRepeated(clock, SAME_WARNING_MS);
  return (error) => {
    const reason = error instanceof Error ? error.message : '';
    if (!isRepeated(reason)) log.warn({ reason }, 'A connection was closed: it does not speak the protocol');
  };
}

interface Attending {
  readonly clock: Clock;
  readonly warn: (error: unknown) => void;
}

/** Passes on what a gateway sends; a connection that does not speak the protocol ends. */
function attend(socket: Socket, link: GatewayLink, { clock, warn }: Attending): void {
  const cancelGreeting = clock.after(GREETING_MS, () => {
    if (!link.is_greeted) socket.destroy();
  });
  socket.on('error', () => {}); // `close` follows
  socket.on('close', cancelGreeting);
  socket.on('data', (chunk: Buffer) => {
    try {
      link.received(chunk);
    } catch (error) {
      warn(error);
      socket.destroy();
    }
  });
}

/** Each dial brings its own host keys and time-out, from the gateway that asks for it. */
function createKeeperDialler(clock: Clock) {
  const refuse = () => Promise.reject(new Fault('internal'));
  const key_processes = createKeyProcesses(clock);
  key_processes.start(); // never stopped: the keeper dials until it exits
  return createDialler({
    host_keys: { judge: refuse, pin: refuse, secured: () => undefined, announced: () => undefined },
    keys: createPrivateKeyReader(key_processes),
    lookup: createHostLookup({ clock }),
    connect_timeout_ms: CONNECT_TIMEOUT_MS,
    clock,
  });
}
