import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { pause } from '#core/lib/time/deadline.ts';
import type { Clock, Log } from '#core/ports/runtime.ts';
import type { HostKeys } from '#core/ports/ssh.ts';
import { PROTOCOL } from '../messages.ts';
import { assertPrivate, socketPath } from '../socket-file.ts';
import { KeeperLink, lostFault, type Welcome } from './keeper-link.ts';

const POLL_MS = 50;
const START_MS = 15_000;
const SERVICE_RESTART_MS = 3000; // a socket was left behind, so a service of its own may start the next keeper

export interface KeeperFinderOptions {
  /** Folder of the keeper's socket. */
  readonly dir: string;
  /** Starts a keeper when none runs. */
  readonly start: () => void;
  readonly host_keys: HostKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
}

interface Listener {
  readonly onUnheld: (link: KeeperLink, shells: readonly number[]) => void;
  readonly onClosed: (link: KeeperLink) => void;
}

export interface KeeperFinder {
  /** A connection to a keeper that this gateway can use. */
  find(): Promise<KeeperLink>;
  close(): void;
}

/** Connects to the keeper, starts one when there is none, and replaces one that cannot be used. */
export function createKeeperFinder(options: KeeperFinderOptions, listener: Listener): KeeperFinder {
  const { dir, clock } = options;
  let socket: Socket | undefined;
  let is_closed = false;

  /** Undefined when no keeper is there, or when it was told to end. */
  async function greet(): Promise<KeeperLink | undefined> {
    const made = await dialSocket(socketPath(dir));
    if (!made) return undefined;
    socket = made;
    const { opened, welcome } = talk(made, options, listener);
    const said = await welcome;
    if (said && isUsable(said, options)) return opened;
    if (said) opened.order({ say: 'stop' });
    await new Promise((resolve) => (made.destroyed ? resolve(undefined) : made.once('close', resolve)));
    return undefined;
  }

  return {
    async find() {
      await assertPrivate(dir);
      const until_ms = clock.elapsed_ms() + START_MS;
      const start_ms = clock.elapsed_ms() + (existsSync(socketPath(dir)) ? SERVICE_RESTART_MS : 0);
      let is_started = false;
      while (clock.elapsed_ms() < until_ms && !is_closed) {
        const greeted = await greet();
        if (greeted) return greeted;
        if (!is_started && clock.elapsed_ms() >= start_ms) {
          options.start();
          is_started = true;
        }
        await pause(clock.after, POLL_MS);
      }
      throw lostFault();
    },
    close() {
      is_closed = true;
      socket?.destroy();
    },
  };
}

function talk(made: Socket, options: KeeperFinderOptions, { onUnheld, onClosed }: Listener) {
  let welcomed: (welcome: Welcome | undefined) => void = () => {};
  const welcome = new Promise<Welcome | undefined>((resolve) => {
    welcomed = resolve;
  });
  const opened: KeeperLink = new KeeperLink({
    ...options,
    socket: made,
    onWelcome: welcomed,
    onUnheld: (ids) => onUnheld(opened, ids),
  });
  made.on('data', (chunk: Buffer) => {
    try {
      opened.received(chunk);
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      options.log.error({ reason }, 'The keeper does not speak the protocol');
      made.destroy();
    }
  });
  made.on('close', () => {
    welcomed(undefined);
    onClosed(opened);
  });
  return { opened, welcome };
}

/** A keeper that holds nothing is replaced by one of this version. */
function isUsable(
  { protocol, version, shells, others }: Welcome,
  { version: own, log }: Pick<KeeperFinderOptions, 'version' | 'log'>,
): boolean {
  const about = { keeper: version, gateway: own, terminals: shells };
  if (protocol !== PROTOCOL) {
    log.warn(about, 'The running keeper is of a version that this gateway cannot use: its terminals end now');
    return false;
  }
  if (version === own) {
    log.info(about, 'Terminals run in the keeper, and outlive this process');
    return true;
  }
  if (shells === 0 && others === 0) return false;
  log.info(about, 'The running keeper is of another version; it is replaced once it keeps no terminals');
  return true;
}

function dialSocket(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.on('error', () => {}); // `close` follows
      resolve(socket);
    });
    socket.once('error', () => resolve(undefined));
  });
}
