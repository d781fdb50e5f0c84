import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { run } from '#server/main.ts';

const START = new URL('../../../apps/server/start.mjs', import.meta.url).pathname;
const PSEUDO_TERMINAL = '/usr/bin/script';

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Written to stdin, which is then closed. */
  readonly input?: string;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the `sallyport` command in a separate process, without a terminal. */
export async function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Finished> {
  const child = start(process.execPath, [START, ...args], options);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  child.stdin.end(options.input);
  const [code] = await once(child, 'close');
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Runs the command in this process, which is faster. */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const [stdout, stderr] = [captureWrites(process.stdout), captureWrites(process.stderr)];
  try {
    const code = await run(args);
    return { code, stdout: stdout.join(''), stderr: stderr.join('') };
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
}

function captureWrites(stream: NodeJS.WriteStream): string[] {
  const written: string[] = [];
  vi.spyOn(stream, 'write').mockImplementation((text, ...rest) => {
    written.push(String(text));
    for (const done of rest) if (typeof done === 'function') done();
    return true;
  });
  return written;
}

export interface InTerminal {
  /** Resolves once this text has been shown. */
  sees(text: string): Promise<void>;
  type(keys: string): void;
  /** Resolves at exit, with everything that was shown. */
  readonly finished: Promise<{ readonly code: number | null; readonly shown: string }>;
}

/** Runs the command in a pseudo-terminal. */
export function runInTerminal(args: readonly string[], options: CommandOptions = {}): InTerminal {
  const line = [process.execPath, START, ...args].map((word) => `'${word}'`).join(' ');
  const child = start(PSEUDO_TERMINAL, ['--quiet', '--return', '--command', line, '/dev/null'], options);
  const shown = collect(child.stdout);
  const finished = once(child, 'close').then(([code]) => ({ code, shown: shown() }));
  return {
    type: (keys) => child.stdin.write(keys),
    finished,
    sees: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (shown().includes(text)) resolve();
        };
        child.stdout.on('data', look);
        finished.then(({ shown: all }) => reject(new Error(`Ended without ${text}: ${all}`)), reject);
        look();
      }),
  };
}

function start(
  program: string,
  args: string[],
  { env, cwd }: CommandOptions,
): ChildProcessWithoutNullStreams {
  const { PATH = '', HOME = '' } = process.env;
  // Detached, or the command would prompt in the terminal the tests were started from.
  return spawn(program, args, { cwd, env: { PATH, HOME, ...env }, detached: true });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
