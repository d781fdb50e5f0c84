import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuditSpoolOptions, createAuditSpool } from '#server/adapters/audit-spool.ts';

const DEAD_PID = 2_147_483_646; // above the largest that Linux assigns

let folder: string;
let now_ms = 0;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'sallyport-spool-')), 'audit-spool');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const spoolOf = (options: Partial<AuditSpoolOptions> = {}) =>
  createAuditSpool({ folder, clock: { elapsed_ms: () => now_ms }, host: 'one', ...options });
const claimedLines = async (options?: Partial<AuditSpoolOptions>) =>
  Promise.all((await spoolOf(options).claim()).map((file) => file.lines()));
const onlyFile = () => join(folder, readdirSync(folder)[0] ?? '');

describe('The spool of audit entries', () => {
  it('is a file that only its owner may read, and is gone once it is cleared', async () => {
    const spool = spoolOf();
    expect(await spool.claim()).toEqual([]);
    await spool.append(['a', 'b']);
    expect([statSync(folder).mode & 0o777, statSync(onlyFile()).mode & 0o777]).toEqual([0o700, 0o600]);
    await spool.clear();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('passes on the lines of a process that has ended, once', async () => {
    const ended = spoolOf({ pid: DEAD_PID });
    await ended.append(['a', 'b']);
    await ended.append(['c']);
    const next = spoolOf();
    const [file] = await next.claim();
    expect(await file?.lines()).toEqual(['a', 'b', 'c']);
    expect(await next.claim()).toEqual([]);
    expect(await claimedLines({ host: 'two' })).toEqual([]);
    await file?.remove();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('passes on a file again when the process that took it over has ended, too', async () => {
    await spoolOf({ pid: DEAD_PID }).append(['a']);
    await spoolOf({ pid: DEAD_PID - 1 }).claim();
    expect(await claimedLines()).toEqual([['a']]);
  });

  it('leaves the file of a running process alone', async () => {
    await spoolOf({ pid: process.ppid }).append(['a']);
    expect(await claimedLines()).toEqual([]);
  });

  it('takes over the file of another machine only after 30 seconds without a sign of life', async () => {
    const other = spoolOf({ host: 'two' });
    await other.append(['a']);
    const spool = spoolOf();
    expect(await spool.claim()).toEqual([]);
    now_ms += 29_000;
    expect(await spool.claim()).toEqual([]);
    await other.append(['b']);
    now_ms += 2_000;
    expect(await spool.claim()).toEqual([]);
    now_ms += 30_000;
    const [file] = await spool.claim();
    expect(await file?.lines()).toEqual(['a', 'b']);
  });

  it('drops a torn last line', async () => {
    await spoolOf({ pid: DEAD_PID }).append(['whole', 'torn']);
    truncateSync(onlyFile(), 'whole\nto'.length);
    expect(await claimedLines()).toEqual([['whole']]);
  });

  it('refuses more bytes than its limit, and stays readable', async () => {
    const spool = spoolOf({ pid: DEAD_PID, max_bytes: 10 });
    await spool.append(['1234567']);
    await expect(spool.append(['890'])).rejects.toThrow(/full/);
    expect(await claimedLines()).toEqual([['1234567']]);
  });

  it('refuses more lines than 100,000, to write and to read', async () => {
    const spool = spoolOf({ pid: DEAD_PID });
    await spool.append(Array.from({ length: 100_000 }, () => ''));
    await expect(spool.append([''])).rejects.toThrow(/full/);
    const [file] = await spoolOf().claim();
    expect(await file?.lines()).toHaveLength(100_000);
    appendFileSync(onlyFile(), '\n');
    expect(await file?.lines()).toBeUndefined();
  });

  it('rejects when the folder cannot be written', async () => {
    writeFileSync(folder, '');
    await expect(spoolOf().append(['a'])).rejects.toThrow();
  });

  it('never reads what is no file of its own size, and keeps it for the operator', async () => {
    const name = `one.${DEAD_PID}.${'x'.repeat(22)}.spool`;
    mkdirSync(folder);
    symlinkSync('/etc/passwd', join(folder, name));
    const [file] = await spoolOf().claim();
    expect(await file?.lines()).toBeUndefined();
    await file?.setAside();
    expect(readdirSync(folder)[0]).toMatch(/\.spool\.refused$/);
    expect(await claimedLines()).toEqual([]);
  });
});
