import { constants } from 'node:fs';
import { lstat, lutimes, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { randomToken } from '#core/lib/bytes/bytes.ts';
import { codeOf } from '#core/lib/errors/error-code.ts';
import type { AuditSpool, OrphanedSpool } from '#core/ports/audit-spool.ts';
import type { Clock } from '#core/ports/runtime.ts';

const MAX_BYTES = 32 * 1024 * 1024; // 10,000 entries of usual length take 5 MiB
const MAX_LINES = 100_000;
const STALE_MS = 30_000; // a running instance touches its file every three seconds

export interface AuditSpoolOptions {
  readonly folder: string;
  readonly clock: Pick<Clock, 'elapsed_ms'>;
  readonly max_bytes?: number;
  readonly host?: string;
  readonly pid?: number;
}

/** `host.pid.run.spool` */
const NAME = /^(?<host>[\w.-]*)\.(?<pid>\d{1,10})\.(?<run>[\w-]{22})\.spool$/;

interface Seen {
  readonly size: number;
  readonly mtime_ms: number;
  readonly at_ms: number;
}

/** A folder with one file for each run; instances may share it. */
export function createAuditSpool(options: AuditSpoolOptions): AuditSpool {
  const { folder, max_bytes = MAX_BYTES, pid = process.pid } = options;
  const host = (options.host ?? hostname()).replaceAll(/[^\w.-]/g, '_');
  const own = `${host}.${pid}.${randomToken(16)}.spool`;
  const path = join(folder, own);
  const claims = createClaims({ ...options, max_bytes, pid, host, own });
  let size = 0;
  let count = 0;

  return {
    async append(lines) {
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      const is_full = size + bytes.length > max_bytes || count + lines.length > MAX_LINES;
      if (is_full) throw new Error(`${path} is full: it has ${size} bytes in ${count} lines`);
      if (size === 0) await mkdir(folder, { recursive: true, mode: 0o700 });
      size = await appendAll(path, bytes);
      count += lines.length;
    },

    async clear() {
      await rm(path, { force: true });
      size = 0;
      count = 0;
    },

    async claim() {
      if (size > 0) await touch(path);
      return claims.take();
    },
  };
}

interface ClaimOptions extends Required<AuditSpoolOptions> {
  /** The file of this run. */
  readonly own: string;
}

/** Files of other runs; a file that is taken over gets a name of this process, so that nobody else takes it. */
function createClaims({ folder, clock, host, pid, own, max_bytes }: ClaimOptions) {
  const taken = new Set<string>();
  const seen = new Map<string, Seen>();

  /** Its owner has ended, or has not touched it for long. */
  async function isOrphaned(name: string, owner: { host?: string; pid?: string }): Promise<boolean> {
    const owner_pid = Number(owner.pid);
    if (owner.host === host && (owner_pid === pid || !isRunning(owner_pid))) return true;
    const stats = await lstat(join(folder, name));
    const before = seen.get(name);
    const now = { size: stats.size, mtime_ms: stats.mtimeMs, at_ms: clock.elapsed_ms() };
    const is_same = before?.size === now.size && before.mtime_ms === now.mtime_ms;
    if (is_same) return now.at_ms - before.at_ms >= STALE_MS;
    seen.set(name, now);
    return false;
  }

  /** Undefined when somebody else was faster. */
  async function take(name: string): Promise<OrphanedSpool | undefined> {
    const { groups: owner } = NAME.exec(name) ?? {};
    if (!owner || name === own || taken.has(name) || !(await isOrphaned(name, owner))) return undefined;
    const renamed = `${host}.${pid}.${owner['run']}.spool`;
    const path = join(folder, renamed);
    await rename(join(folder, name), path);
    seen.delete(name);
    taken.add(renamed);
    const release = (work: Promise<void>) => work.then(() => void taken.delete(renamed));
    return {
      name: path,
      lines: () => readLines(path, max_bytes).catch(() => undefined), // kept aside for the operator
      remove: () => release(rm(path, { force: true })),
      setAside: () => release(rename(path, `${path}.refused`)),
    };
  }

  return {
    async take(): Promise<OrphanedSpool[]> {
      for (const name of taken) await touch(join(folder, name));
      const found: OrphanedSpool[] = [];
      for (const name of await readdir(folder).catch(noneIfMissing)) {
        const file = await take(name).catch(ignoreMissing);
        if (file) found.push(file);
      }
      return found;
    },
  };
}

/** Shows other instances that its owner is running. */
async function touch(path: string): Promise<void> {
  const now = new Date();
  await lutimes(path, now, now).catch(ignoreMissing);
}

/** Returns the size of the file. On failure the file is as it was before. */
async function appendAll(path: string, bytes: Buffer): Promise<number> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    const { size } = await file.stat();
    try {
      await file.appendFile(bytes);
      await file.datasync();
    } catch (error) {
      await file.truncate(size); // or the next line would continue a torn one
      throw error;
    }
    return size + bytes.length;
  } finally {
    await file.close();
  }
}

/** Without a torn last line: nobody was told that it is on disk. */
async function readLines(path: string, max_bytes: number): Promise<string[] | undefined> {
  const stats = await lstat(path);
  if (!stats.isFile() || stats.size > max_bytes) return undefined;
  const text = await readFile(path, 'utf8');
  const lines = text.split('\n', MAX_LINES + 2);
  return lines.length > MAX_LINES + 1 ? undefined : lines.slice(0, -1);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function noneIfMissing(error: unknown): string[] {
  ignoreMissing(error);
  return [];
}
