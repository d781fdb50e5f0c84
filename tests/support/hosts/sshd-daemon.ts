import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { atExit } from '../at-exit.ts';

/** The listening sshd, and its log. */
export interface Daemon {
  readonly child: ChildProcess;
  readonly lines: string[];
  nextListening(): Promise<void>;
  stop(): Promise<void>;
}

/** Runs a command, by its full path, that starts sshd in the foreground. */
export function startDaemon([program = '', ...args]: readonly string[]): Daemon {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (!line.startsWith('Server listening on')) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  });
  const exited = once(child, 'exit');
  const callOff = atExit(() => child.kill('SIGKILL'));
  return {
    child,
    lines,
    nextListening: () =>
      new Promise((resolve, reject) => {
        waiting.add(resolve);
        const fail = () => reject(new Error(`sshd ended:\n${lines.join('\n')}`));
        if (child.exitCode !== null) fail();
        else child.once('exit', fail);
      }),
    async stop() {
      callOff();
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/**
 * Ids of all processes below this one that still run. An sshd that has just read its configuration again waits for no
 * child that ends before it has set its signal handlers: that one stays a zombie.
 */
export async function descendantsOf(root: number): Promise<number[]> {
  const children = await childrenOf(root);
  const running = await Promise.all(children.map(isRunning));
  const below = await Promise.all(children.map(descendantsOf));
  return [...children.filter((_, index) => running[index]), ...below.flat()];
}

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''); // `pid (name) state …`
  return /^[^Z]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = threads.map((id) => readFile(`/proc/${pid}/task/${id}/children`, 'utf8').catch(() => ''));
  return (await Promise.all(lists)).flatMap((list) => list.match(/\d+/g) ?? []).map(Number);
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return; // It has ended together with its parent.
  }
}
