import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openFilesOn } from '../../../support/browser/rail.ts';
import type { BenchBrowser } from '../../browser.ts';
import { type Row, row } from '../../measure.ts';
import type { Scene } from '../../scene.ts';

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
  const slow = await scroll(page, 100);
  const fast = await scroll(page, 3000);
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

/** Frames a second in which the middle of the list shows a row. */
function scroll(page: Page, px_per_frame: number): Promise<number> {
  return page.getByRole('grid').evaluate(async (grid, px) => {
    const SPAN_MS = 3000;
    const around = (element: Element | null): Element | null =>
      element && element.scrollHeight > element.clientHeight + 1000
        ? element
        : around(element?.parentElement ?? null);
    const inside = [...grid.querySelectorAll('*')].find(({ scrollHeight }) => scrollHeight > 100_000);
    const list = around(inside ?? grid);
    if (!list) throw new Error('Nothing scrolls');
    const { left, top, width, height } = list.getBoundingClientRect();
    const isDrawn = () =>
      document.elementFromPoint(left + width / 3, top + height / 2)?.closest('[role=row], tr') !== null;
    const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    list.scrollTop = 0;
    const began_ms = await nextFrame();
    let now_ms = began_ms;
    let frames = 0;
    while (now_ms - began_ms < SPAN_MS) {
      list.scrollTop += px;
      now_ms = await nextFrame();
      if (isDrawn()) frames += 1;
    }
    return (frames * 1000) / (now_ms - began_ms);
  }, px_per_frame);
}
