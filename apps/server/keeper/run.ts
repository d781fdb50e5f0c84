import type { Log } from '#core/ports/runtime.ts';
import { type Keeper, openKeeper } from '#worker/keeper/keeper.ts';
import { KeeperRuns, pathObjection } from '#worker/keeper/socket-file.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { systemClock as clock } from '../lib/clock.ts';
import { readVersion } from '../version.ts';

/** Throws when the socket of a keeper cannot be in the data directory. */
export function assertKeeperPath({ keeper }: Pick<Config, 'keeper'>): void {
  const objection = pathObjection(keeper.dir);
  if (objection) throw new ConfigError(`SERVICE_DATA_DIR: ${objection}`);
}

interface KeeperRun {
  readonly log: Log;
  /** Ends after this long without gateways and terminals; undefined runs until a signal. */
  readonly idle_exit_ms: number | undefined;
}

/** Runs a keeper until a signal, or until nobody needs it; resolves to the exit code. */
export async function runKeeper(config: Config, { log, idle_exit_ms }: KeeperRun): Promise<number> {
  assertKeeperPath(config);
  const version = readVersion();
  const opened = await open({ dir: config.keeper.dir, clock, log, version, idle_exit_ms });
  if (!opened) {
    log.info({}, 'A keeper is already running here');
    return 0;
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => opened.close());
  log.info({ version, dir: config.keeper.dir, pid: process.pid }, 'The keeper of the terminals is running');
  await opened.ended;
  log.info({}, 'The keeper of the terminals has ended');
  return 0;
}

async function open(options: Parameters<typeof openKeeper>[0]): Promise<Keeper | undefined> {
  try {
    return await openKeeper(options);
  } catch (error) {
    if (error instanceof KeeperRuns) return undefined;
    throw error;
  }
}
