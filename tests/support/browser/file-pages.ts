import { type ExecFileOptions, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Sshd } from '../hosts/sshd.ts';
import { untilFocused } from './pages.ts';
import { openFilesOn } from './rail.ts';

const run = promisify(execFile);
const SOON = { timeout: 60_000 };

/** Runs a script as the host's account, in its folder. */
export async function onHost(sshd: Sshd, script: string): Promise<string> {
  const options: ExecFileOptions = { uid: sshd.uid, gid: sshd.uid, cwd: sshd.folder };
  const { stdout } = await run('/bin/sh', ['-ec', script], options);
  return String(stdout);
}

/** Opens a server's files at this directory. */
export async function openFiles(page: Page, server: string, path: string): Promise<Locator> {
  await openFilesOn(page, server);
  await page.getByRole('grid', { name: 'Files in /' }).last().waitFor();
  await page.keyboard.press('Control+l');
  await page.getByRole('combobox', { name: 'Path' }).fill(path);
  await page.keyboard.press('Enter');
  const grid = await listIn(page, path);
  await untilFocused(grid);
  return grid;
}

export async function listIn(page: Page, path: string): Promise<Locator> {
  const grid = page.getByRole('grid', { name: `Files in ${path}`, exact: true });
  await expect.poll(() => grid.getAttribute('aria-busy'), SOON).toBe('false');
  return grid;
}

export function fileRow(grid: Locator, name: string): Locator {
  return grid.getByRole('row').filter({ has: grid.page().getByRole('button', { name, exact: true }) });
}

/** Waits until exactly these files are listed, in this order. */
export function untilListed(grid: Locator, names: readonly string[]): Promise<void> {
  return expect.poll(() => grid.locator('tbody .file-open').allTextContents(), SOON).toEqual(names);
}

/** Waits until exactly these files are selected. */
export function untilSelected(grid: Locator, names: readonly string[]): Promise<void> {
  const selected = grid.locator('tbody tr[aria-selected="true"] .file-open');
  return expect.poll(() => selected.allTextContents(), SOON).toEqual(names);
}

/** Waits until the list's cursor is on this file. */
export function untilCurrent(grid: Locator, name: string): Promise<void> {
  const current = grid.locator('tbody tr.file-current .file-open');
  return expect.poll(() => current.allTextContents(), SOON).toEqual([name]);
}
