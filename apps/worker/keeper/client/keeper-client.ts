import type { AdoptedShell, ShellKeeper } from '#core/ports/keeper.ts';
import type { Background, Log } from '#core/ports/runtime.ts';
import type { Shells } from '#core/ports/ssh.ts';
import { createKeeperFinder, type KeeperFinderOptions } from './keeper-finder.ts';
import { type KeeperLink, lostFault } from './keeper-link.ts';

const ADOPTED_AT_ONCE = 4; // each brings up to 1.4 MiB

export interface KeeperClientOptions extends KeeperFinderOptions {
  readonly background: Background;
  readonly connect_timeout_ms: number;
  readonly lang: string | undefined;
}

export interface KeeperClient extends ShellKeeper {
  readonly shells: Shells;
  /** How many shells the keeper holds for this gateway; undefined without a keeper. */
  held(): number | undefined;
  /** Refuses new shells; those that are open stay. */
  stop(): void;
  /** Lets go of everything; the keeper keeps the shells. */
  close(): void;
}

/** Shells that run in a keeper, and so outlive this gateway. */
export function createKeeperClient(options: KeeperClientOptions): KeeperClient {
  const { dir, log, background, connect_timeout_ms, lang } = options;
  const adopting = createAdopting(log);
  const finder = createKeeperFinder(options, { onUnheld, onClosed });
  let link: KeeperLink | undefined;
  let connecting: Promise<KeeperLink> | undefined;
  let is_stopped = false;
  let is_closed = false;

  function onUnheld(through: KeeperLink, ids: readonly number[]): void {
    if (adopting.adopt)
      background.run('continue the terminals of another gateway', adopting.each(through, ids));
  }

  function onClosed(ended: KeeperLink): void {
    ended.closed();
    if (link !== ended) return;
    link = undefined;
    if (is_closed) return;
    log.error({}, 'The keeper of the terminals has ended, and its terminals with it');
    if (!is_stopped) background.run('connect to the keeper of the terminals', connected());
  }

  async function connectNow(): Promise<KeeperLink> {
    link = await finder.find();
    return link;
  }

  function connected(): Promise<KeeperLink> {
    if (link) return Promise.resolve(link);
    connecting ??= connectNow().finally(() => {
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
    held: () => link?.held,
    async adoptAll(adopt) {
      adopting.adopt = adopt;
      const through = await connected().catch((err: unknown) => {
        log.error({ dir, err }, 'No keeper can be started: no terminal can be opened');
      });
      if (through) await adopting.each(through, await through.unheld());
    },
    stop() {
      is_stopped = true;
      adopting.adopt = undefined;
    },
    close() {
      is_stopped = true;
      is_closed = true;
      finder.close();
    },
  };
}

interface Adopting {
  /** Undefined before the gateway can continue terminals, and when it is about to stop. */
  adopt: ((shell: AdoptedShell) => Promise<void>) | undefined;
  each(through: KeeperLink, ids: readonly number[]): Promise<void>;
}

/** Passes shells that no gateway holds to `adopt`, a few at a time. */
function createAdopting(log: Log): Adopting {
  async function one(through: KeeperLink, id: number): Promise<void> {
    const adopted = await through.adopt(id);
    if (!adopted) return;
    if (!adopting.adopt) return adopted.shell.keeping.release(); // this gateway is about to stop
    try {
      await adopting.adopt(adopted);
    } catch (err) {
      log.error({ err }, 'A terminal of an earlier gateway could not be continued, and was closed');
      adopted.shell.close();
      adopted.shell.keeping.forget();
    }
  }

  const adopting: Adopting = {
    adopt: undefined,
    async each(through, ids) {
      const rest = [...ids];
      const worker = async () => {
        for (let id = rest.shift(); id !== undefined; id = rest.shift()) await one(through, id);
      };
      await Promise.all(Array.from({ length: ADOPTED_AT_ONCE }, worker));
    },
  };
  return adopting;
}
