import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { serverInRail } from '../../../support/browser/rail.ts';
import type { BenchBrowser } from '../../browser.ts';
import { PASSWORD } from '../../gateway-process.ts';
import { type Row, row } from '../../measure.ts';
import type { Scene } from '../../scene.ts';

const SETTLED_MS = 3000; // fonts and preloaded parts

/** What a new browser fetches until the sign-in, and from there until the first terminal; fonts included. */
export async function measureSizes({ gateway }: Scene, browser: BenchBrowser): Promise<Row[]> {
  const page = await browser.newPage();
  await page.goto(gateway.url);
  await page.getByLabel('Username').fill('admin');
  await pause(SETTLED_MS);
  const sign_in = await fetchedKb(page);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await serverInRail(page, 'bench').click();
  await page.locator('.xterm-screen').waitFor();
  await pause(SETTLED_MS);
  const all = await fetchedKb(page);
  await page.context().close();
  return [
    row('fetched for the sign-in', 'kB', { ours: sign_in, want: '<= 120' }),
    row('fetched more for the first terminal', 'kB', { ours: all - sign_in, want: '<= 300' }),
  ];
}

/** As sent, without the API and without headers. */
function fetchedKb(page: Page): Promise<number> {
  return page.evaluate(() => {
    const entries = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ];
    let bytes = 0;
    for (const entry of entries) {
      const size = entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0;
      if (!new URL(entry.name).pathname.startsWith('/api/')) bytes += size;
    }
    return bytes / 1000;
  });
}
