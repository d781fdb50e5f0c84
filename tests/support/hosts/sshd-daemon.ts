import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

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
  const killOnExit = () => child.kill('SIGKILL');
  process.once('exit', killOnExit);
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
      process.off('exit', killOnExit);
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Ids of all processes below this one. */
export async function descendantsOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (pid: number | undefined): boolean => {
    const parent = pid === undefined ? undefined : parents.get(pid);
    return parent === root || (parent !== undefined && parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter((pid) => isBelow(pid));
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return; // It has ended together with its parent.
  }
}
