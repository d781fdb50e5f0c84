import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { pause } from '#core/lib/deadline.ts';
import type { AdoptedShell, ShellKeeper } from '#core/ports/keeper.ts';
import type { Background, Clock, Log } from '#core/ports/runtime.ts';
import type { HostKeys, Shells } from '#core/ports/ssh.ts';
import { PROTOCOL } from '../messages.ts';
import { assertPrivate, socketPath } from '../socket-file.ts';
import { KeeperLink, lostFault, type Welcome } from './keeper-link.ts';

const POLL_MS = 50;
const START_MS = 15_000;
const SERVICE_RESTART_MS = 3000; // a socket was left behind, so a service of its own may start the next keeper
const ADOPTED_AT_ONCE = 4; // each brings up to 1.4 MiB

export interface KeeperClientOptions {
  /** Folder of the keeper's socket. */
  readonly dir: string;
  /** Starts a keeper when none runs. */
  readonly start: () => void;
  readonly host_keys: HostKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly background: Background;
  readonly version: string;
  readonly connect_timeout_ms: number;
  readonly lang: string | undefined;
}

export interface KeeperClient extends ShellKeeper {
  readonly shells: Shells;
  /** Refuses new shells; those that are open stay. */
  stop(): void;
  /** Lets go of everything; the keeper keeps the shells. */
  close(): void;
}

/** Shells that run in a keeper, and so outlive this gateway. */
export function createKeeperClient(options: KeeperClientOptions): KeeperClient {
  const { dir, clock, log, background, connect_timeout_ms, lang } = options;
  let link: KeeperLink | undefined;
  let socket: Socket | undefined;
  let connecting: Promise<KeeperLink> | undefined;
  let adopt: ((shell: AdoptedShell) => Promise<void>) | undefined;
  let is_stopped = false;
  let is_closed = false;

  async function adoptOne(through: KeeperLink, id: number): Promise<void> {
    const adopted = await through.adopt(id);
    if (!adopted) return;
    if (!adopt) return adopted.shell.keeping.release(); // this gateway is about to stop
    try {
      await adopt(adopted);
    } catch (err) {
      log.error({ err }, 'A terminal of an earlier gateway could not be continued, and was closed');
      adopted.shell.close();
      adopted.shell.keeping.forget();
    }
  }

  async function adoptEach(through: KeeperLink, ids: readonly number[]): Promise<void> {
    const rest = [...ids];
    const worker = async () => {
      for (let id = rest.shift(); id !== undefined; id = rest.shift()) await adoptOne(through, id);
    };
    await Promise.all(Array.from({ length: ADOPTED_AT_ONCE }, worker));
  }

  function closed(ended: KeeperLink): void {
    ended.closed();
    if (link !== ended) return;
    link = undefined;
    if (is_closed) return;
    log.error({}, 'The keeper of the terminals has ended, and its terminals with it');
    background.run('connect to the keeper of the terminals', connectAgain());
  }

  async function connectAgain(): Promise<void> {
    if (!is_closed && !is_stopped) await connected();
  }

  async function establish(): Promise<KeeperLink> {
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
  }

  /** Undefined when no keeper is there, or when it was told to end. */
  async function greet(): Promise<KeeperLink | undefined> {
    const made = await dialSocket(socketPath(dir));
    if (!made) return undefined;
    socket = made;
    const { opened, welcome } = talk(made);
    const said = await welcome;
    if (said && isUsable(said)) {
      link = opened;
      return opened;
    }
    if (said) opened.order({ say: 'stop' });
    await new Promise((resolve) => (made.destroyed ? resolve(undefined) : made.once('close', resolve)));
    return undefined;
  }

  function talk(made: Socket) {
    let welcomed: (welcome: Welcome | undefined) => void = () => {};
    const welcome = new Promise<Welcome | undefined>((resolve) => {
      welcomed = resolve;
    });
    const opened: KeeperLink = new KeeperLink({
      ...options,
      socket: made,
      onWelcome: welcomed,
      onUnheld: (ids) => {
        if (adopt) background.run('continue the terminals of another gateway', adoptEach(opened, ids));
      },
    });
    made.on('data', (chunk: Buffer) => {
      try {
        opened.received(chunk);
      } catch (error) {
        log.error(
          { reason: error instanceof Error ? error.message : '' },
          'The keeper does not speak the protocol',
        );
        made.destroy();
      }
    });
    made.on('close', () => {
      welcomed(undefined);
      closed(opened);
    });
    return { opened, welcome };
  }

  /** A keeper that holds nothing is replaced by one of this version. */
  function isUsable({ protocol, version, shells, others }: Welcome): boolean {
    const about = { keeper: version, gateway: options.version, terminals: shells };
    if (protocol !== PROTOCOL) {
      log.warn(
        about,
        'The running keeper is of a version that this gateway cannot use: its terminals end now',
      );
      return false;
    }
    if (version === options.version) return true;
    if (shells === 0 && others === 0) return false;
    log.info(about, 'The running keeper is of another version; it is replaced once it keeps no terminals');
    return true;
  }

  function connected(): Promise<KeeperLink> {
    if (link) return Promise.resolve(link);
    connecting ??= establish().finally(() => {
      connecting = undefined;
    });
    return connecting;
  }

  return {
    shells: {
      async open(target, request) {
        if (is_stopped) throw lostFault();
        return (await connected()).open(target, request, { lang, timeout_ms: connect_timeout_ms });
      },
    },
    async adoptAll(each) {
      adopt = each;
      const through = await connected().catch((err: unknown) => {
        log.error({ dir, err }, 'No keeper can be started: no terminal can be opened');
      });
      if (through) await adoptEach(through, await through.unheld());
    },
    stop() {
      is_stopped = true;
      adopt = undefined;
    },
    close() {
      is_stopped = true;
      is_closed = true;
      socket?.destroy();
    },
  };
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
