import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const TICKS_PER_SECOND = 100; // USER_HZ, the same on every Linux.
const USER_TICKS = 11; // Fields 14 and 15 of proc(5), counted from after the name.
const SYSTEM_TICKS = 12;

/** Seconds that a process has used on all processors. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND;
}

/** Seconds of processor time that a process uses during the work. */
export async function cpuWhile(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = cpuSeconds(pid);
  await work();
  return cpuSeconds(pid) - before;
}

const LOOK_MS = 250;
const QUIET_LOOKS = 4;
const MOST_LOOKS = 240;
const QUIET_S = 0.02;

/** Resolves when a process has been idle for a while. */
export async function untilIdle(pid: number): Promise<void> {
  let quiet = 0;
  for (let look = 0; quiet < QUIET_LOOKS; look += 1) {
    if (look === MOST_LOOKS) throw new Error(`Process ${pid} is always busy`);
    const before = cpuSeconds(pid);
    await pause(LOOK_MS);
    quiet = cpuSeconds(pid) - before <= QUIET_S ? quiet + 1 : 0;
  }
}
