import { setTimeout as pause } from 'node:timers/promises';
import { serverInRail } from '../../../support/browser/rail.ts';
import type { BenchBrowser } from '../../browser.ts';
import { inTurn } from '../../compare.ts';
import { median, type Row, row } from '../../measure.ts';
import type { Scene } from '../../scene.ts';
import { openGatewayTerminal } from '../../terminal-clients.ts';
import { firstOutput } from '../../terminal-shells.ts';

const OPENINGS = 9;
const SETTLED_MS = 3000; // people look at the list before they click

/** From the click on a server to its prompt on the screen, and to the same prompt for a program at the API. */
export async function measureOpening(scene: Scene, browser: BenchBrowser): Promise<Row[]> {
  const times = await inTurn([() => atApi(scene), () => inPage(scene, browser)], OPENINGS);
  const [api = [], page = []] = times;
  const more = { median: median(page) - median(api), fastest: Math.min(...page) - Math.min(...api) };
  return [
    row('from the API to the prompt, median', 'ms', { ours: median(api), want: '' }),
    row('from the click to the prompt, median', 'ms', { ours: median(page), want: '' }),
    row('more than from the API, median', 'ms', { ours: more.median, want: '<= 100' }),
    row('more than from the API, fastest', 'ms', { ours: more.fastest, want: '<= 100' }),
  ];
}

async function atApi({ gateway, server_id }: Scene): Promise<number> {
  const started = performance.now();
  const terminal = openGatewayTerminal(gateway, server_id);
  await firstOutput(terminal);
  const ms = performance.now() - started;
  terminal.close();
  return ms;
}

async function inPage({ gateway }: Scene, browser: BenchBrowser): Promise<number> {
  const page = await browser.visit(gateway);
  await serverInRail(page, 'bench').waitFor();
  await pause(SETTLED_MS);
  const prompted = await page.evaluateHandle(() => ({
    settled: new Promise<number>((resolve) => {
      let clicked_ms = 0;
      addEventListener('click', (event) => (clicked_ms = event.timeStamp), { capture: true, once: true });
      const look = () => {
        const shown = document.querySelector('.xterm-rows')?.textContent ?? '';
        if (shown.trim() === '') requestAnimationFrame(look);
        else setTimeout(() => resolve(performance.now() - clicked_ms));
      };
      requestAnimationFrame(look);
    }),
  }));
  await serverInRail(page, 'bench').click();
  const ms = await prompted.evaluate(({ settled }) => settled);
  await page.context().close();
  return ms;
}
