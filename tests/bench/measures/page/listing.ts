import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openFilesOn } from '../../../support/browser/rail.ts';
import type { BenchBrowser } from '../../browser.ts';
import { type Row, row } from '../../measure.ts';
import type { Scene } from '../../scene.ts';
import { framesASecond } from './scrolling.ts';

const FILES = 100_000;
const BATCH = 1000;
const OVERDUE = { timeout: 120_000 };

/** How smoothly a list of 100,000 files scrolls. */
export async function measureListing({ sshd, gateway }: Scene, browser: BenchBrowser): Promise<Row[]> {
  const folder = join(sshd.folder, 'many');
  await createMany(folder);
  const page = await browser.visit(gateway);
  await openFilesOn(page, 'bench');
  await page.getByRole('grid', { name: 'Files in /' }).last().waitFor();
  await goToFolder(page, folder);
  const slow = await framesASecond(page.getByRole('grid'), 100);
  const fast = await framesASecond(page.getByRole('grid'), 3000);
  await page.context().close();
  return [
    row('100,000 files: frames a second at 100 px a frame', '', { ours: slow, want: '>= 55' }),
    row('100,000 files: frames a second at 3,000 px a frame', '', { ours: fast, want: '>= 55' }),
  ];
}

async function createMany(folder: string): Promise<void> {
  await mkdir(folder);
  for (let from = 0; from < FILES; from += BATCH) {
    const names = Array.from({ length: BATCH }, (_, at) => `file-${String(from + at).padStart(6, '0')}.txt`);
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
  }
}

async function goToFolder(page: Page, folder: string): Promise<void> {
  await page.keyboard.press('Control+l');
  const field = page.getByRole('combobox', { name: 'Path' });
  await field.fill(folder);
  await field.press('Enter');
  await page.getByText('file-000010.txt', { exact: true }).waitFor(OVERDUE);
}
