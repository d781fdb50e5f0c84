import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { atExit } from '../at-exit.ts';
import { quickFolder } from '../databases/quick-folder.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
// The program itself: its starter in the package `workerd` passes no further file descriptor on.
const PLATFORM = `${process.platform}-${process.arch === 'x64' ? '64' : process.arch}`;
const PROGRAM = createRequire(import.meta.url).resolve(`@cloudflare/workerd-${PLATFORM}/bin/workerd`);
const MODULES = ['cloudflare.mjs', 'edge.mjs']; // the first is the entry
const COMPATIBILITY_DATE = '2026-08-01';

export interface Workerd {
  readonly url: string;
  readonly pid: number;
  /** What the Worker and the runtime have logged. */
  log(): string;
  stop(): Promise<void>;
}

/** Runs the built edge in Cloudflare's own runtime; `bindings` are its variables. */
export async function startWorkerd(bindings: Readonly<Record<string, string>>): Promise<Workerd> {
  const folder = quickFolder('sallyport-workerd-');
  for (const name of MODULES) copyFileSync(join(ROOT, 'dist/edge', name), join(folder, name));
  writeFileSync(join(folder, 'config.capnp'), configOf(bindings));
  const args = ['serve', '--control-fd=3', join(folder, 'config.capnp')];
  const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const forget = atExit(() => child.kill('SIGKILL'));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let log = '';
  for (const output of [child.stdout, child.stderr]) output?.on('data', (text) => (log += text));
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
    forget();
    rmSync(folder, { recursive: true, force: true });
  };
  const port = await Promise.race([portOf(child), exited]);
  if (port !== undefined)
    return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, log: () => log, stop };
  await stop();
  throw new Error(`workerd did not start: ${log}`);
}

const Listening = z.object({ event: z.literal('listen'), port: z.int() });

async function portOf(child: ChildProcess): Promise<number | undefined> {
  const control = child.stdio[3] as Readable; // opened as a pipe
  for await (const line of createInterface({ input: control })) {
    const { success, data } = Listening.safeParse(JSON.parse(line));
    if (success) return data.port;
  }
  return undefined;
}

function configOf(bindings: Readonly<Record<string, string>>): string {
  const texts = Object.entries(bindings).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  );
  return `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "edge", worker = .edge),
    (name = "pages", disk = ${JSON.stringify(join(ROOT, 'dist/web'))}),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "edge")],
);
const edge :Workerd.Worker = (
  modules = [${MODULES.map((name) => `(name = "${name}", esModule = embed "${name}")`).join(', ')}],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [${[...texts, '(name = "ASSETS", service = "pages")'].join(', ')}],
);
`;
}
