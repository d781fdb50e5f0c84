import type { Page } from 'playwright-core';
import type { BenchBrowser } from '../../browser.ts';
import { startGatewayProcess } from '../../gateway-process.ts';
import { median, type Row, row } from '../../measure.ts';
import { addServers } from './many-servers.ts';
import { framesASecond } from './scrolling.ts';

const SERVERS = 5000;
const TIMES = 7;

/** How smoothly the table of many servers scrolls and sorts, and how soon a page with as many is there again. */
export async function measureTable(browser: BenchBrowser): Promise<Row[]> {
  const gateway = await startGatewayProcess({ env: { SERVICE_DISABLE_MONITOR: 'true' } });
  await addServers(gateway, SERVERS);
  const page = await browser.visit(gateway);
  const reloads: Reload[] = [];
  for (let time = 0; time < TIMES; time += 1) reloads.push(await reload(page));
  await page.goto(`${gateway.url}/#/admin/servers`);
  const table = page.getByRole('table');
  await table.locator('tr[data-index]').first().waitFor();
  const sorts: number[] = [];
  for (let time = 0; time < TIMES * 2; time += 1) sorts.push(await sort(page));
  const slow = await framesASecond(table, 100);
  const fast = await framesASecond(table, 3000);
  await page.context().close();
  await gateway.stop();
  const what = `${SERVERS.toLocaleString('en')} servers`;
  const reloaded = (name: keyof Reload, want: string) => ({
    ours: median(reloads.map((times) => times[name])),
    want,
  });
  return [
    row('reload: the frame is painted, median', 'ms', reloaded('painted_ms', '')),
    row('reload: the script runs, median', 'ms', reloaded('run_ms', '')),
    row(`${what}: reload until the rail can be used, median`, 'ms', reloaded('usable_ms', '<= 1500')),
    row(`${what}: the table is sorted, median`, 'ms', { ours: median(sorts), want: '<= 100' }),
    row(`${what}: the table is sorted, slowest`, 'ms', { ours: Math.max(...sorts), want: '' }),
    row(`${what}: frames a second at 100 px a frame`, '', { ours: slow, want: '>= 55' }),
    row(`${what}: frames a second at 3,000 px a frame`, '', { ours: fast, want: '>= 55' }),
  ];
}

interface Reload {
  /** Since the navigation began. */
  readonly painted_ms: number;
  readonly run_ms: number;
  readonly usable_ms: number;
}

async function reload(page: Page): Promise<Reload> {
  await page.reload({ waitUntil: 'commit' });
  await page.locator('.rail-row').first().waitFor();
  const usable_ms = await page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))),
      ),
  );
  const times = await page.evaluate(() => ({
    painted_ms: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    run_ms: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming)
      .domContentLoadedEventStart,
  }));
  return { ...times, usable_ms };
}

/** From the click on the title of a column to the frame that shows other rows. */
function sort(page: Page): Promise<number> {
  return page.getByRole('table').evaluate(async (table) => {
    const titles = [...table.querySelectorAll<HTMLElement>('thead .table-sort')];
    const button = titles.find(({ textContent }) => textContent?.includes('Address'));
    if (!button) throw new Error('No column to sort by');
    const names = () => [...table.querySelectorAll('tbody th')].map(({ textContent }) => textContent).join();
    const before = names();
    const began_ms = performance.now();
    button.click();
    return new Promise<number>((resolve) => {
      const look = () => {
        if (names() === before) requestAnimationFrame(look);
        else setTimeout(() => resolve(performance.now() - began_ms));
      };
      requestAnimationFrame(look);
    });
  });
}
