import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { BenchBrowser } from '../../browser.ts';
import { startGatewayProcess } from '../../gateway-process.ts';
import { median, type Row, row } from '../../measure.ts';
import { addServers } from './many-servers.ts';

const COUNTS = [303, 5000];
const TIMES = 7;
const TWO_FRAMES_MS = 34;
const THREE_FRAMES_MS = 50; // with thousands of servers
const SETTLED_MS = 2000;

/** How soon the list of servers is filtered and cleared, and how much of it is in the document. */
export async function measureRail(browser: BenchBrowser): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of COUNTS) {
    const gateway = await startGatewayProcess({ env: { SERVICE_DISABLE_MONITOR: 'true' } });
    await addServers(gateway, count);
    const page = await browser.visit(gateway);
    await page.getByLabel('Search servers').waitFor();
    await pause(SETTLED_MS);
    const times = [];
    for (let time = 0; time < TIMES; time += 1) times.push(await filterAndClear(page));
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
    const wanted_ms = count > 1000 ? THREE_FRAMES_MS : TWO_FRAMES_MS;
    const what = `${count.toLocaleString('en')} servers`;
    rows.push(
      row(
        `${what}: filtered, median`,
        'ms',
        ofMedian(
          times.map(({ filtered_ms }) => filtered_ms),
          wanted_ms,
        ),
      ),
      row(
        `${what}: cleared, median`,
        'ms',
        ofMedian(
          times.map(({ cleared_ms }) => cleared_ms),
          wanted_ms,
        ),
      ),
      row(`${what}: nodes in the document`, '', { ours: nodes, want: '<= 3000' }),
    );
    await page.context().close();
    await gateway.stop();
  }
  return rows;
}

function ofMedian(times: readonly number[], wanted_ms: number) {
  return { ours: median(times), want: `<= ${wanted_ms}` };
}

/** From the input to the frame after the one that shows it. */
function filterAndClear(page: Page): Promise<{ filtered_ms: number; cleared_ms: number }> {
  return page.getByLabel('Search servers').evaluate(async (element) => {
    const field = element as HTMLInputElement;
    const list = field.closest('nav, aside, section')?.parentElement ?? document.body;
    const isFiltered = () => !list.textContent?.includes('db-1') && list.textContent?.includes('web-12');
    const inputMs = (value: string, isDone: () => boolean | undefined) =>
      new Promise<number>((resolve) => {
        const began_ms = performance.now();
        const look = () => {
          if (isDone()) setTimeout(() => resolve(performance.now() - began_ms));
          else requestAnimationFrame(look);
        };
        field.value = value;
        field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
        requestAnimationFrame(look);
      });
    const filtered_ms = await inputMs('web-12', isFiltered);
    const cleared_ms = await inputMs('', () => !isFiltered());
    return { filtered_ms, cleared_ms };
  });
}
