import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '#core/ports/runtime.ts';
import type { Config } from '../config/config.ts';
import { keeperEnvironment } from '../config/environment.ts';

const SOURCES = fileURLToPath(new URL('../../..', import.meta.url));

/** Starts a keeper in a session of its own, so that neither the end of this process nor Ctrl-C ends it. */
export function startKeeperProcess(config: Pick<Config, 'data_dir' | 'keeper'>, log: Log): void {
  const output = openSync(join(config.keeper.dir, 'log'), 'w', 0o600); // a few lines; a pipe would end with this process
  const child = spawn(process.execPath, programOf(import.meta.url), {
    detached: true,
    cwd: import.meta.url.endsWith('.ts') ? SOURCES : '/',
    env: keeperEnvironment(config),
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  child.on('error', (err) => log.error({ err }, 'The keeper of the terminals could not be started'));
  child.unref();
}

/** In the bundle, the keeper is next to the gateway. */
function programOf(url: string): string[] {
  if (url.endsWith('.ts')) return ['--import', 'tsx', fileURLToPath(new URL('./process.ts', url))];
  return [fileURLToPath(new URL('./keeper.js', url))];
}
