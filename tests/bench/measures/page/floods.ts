import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { BenchBrowser } from '../../browser.ts';
import { median, type Row, row } from '../../measure.ts';
import type { Scene } from '../../scene.ts';
import { openTerminal } from './terminal-pages.ts';

const MIB = 1024 * 1024;
const FLOODS = 3;
const INTERRUPTS = 9;
const LAG_MS = 1500; // fills every buffer between the program and the screen
const PROGRAMS = ['yes', 'base64 /dev/urandom'];

/** How fast the page draws a flood, and how soon Ctrl+C is visible in one. */
export async function measureFloods(scene: Scene, browser: BenchBrowser): Promise<Row[]> {
  const path = join(scene.sshd.folder, 'flood');
  await writeFile(
    path,
    `${'The quick brown fox jumps over the lazy dog'.padEnd(63, '.')}\n`.repeat((20 * MIB) / 64),
  );
  const page = await openTerminal(browser, scene);
  await ringsOnPrompt(page);
  const rows: Row[] = [];
  const floods: number[] = [];
  for (let count = 0; count < FLOODS; count += 1) {
    await page.keyboard.type(`cat ${path}`);
    floods.push(await untilPrompt(page, () => page.keyboard.press('Enter')));
  }
  rows.push(
    row('20 MiB of output, until the prompt is drawn', 's', { ours: median(floods) / 1000, want: '<= 7' }),
  );
  for (const program of PROGRAMS) {
    const times: number[] = [];
    for (let count = 0; count < INTERRUPTS; count += 1) {
      await page.keyboard.type(`${program}\n`);
      await pause(LAG_MS);
      times.push(await untilPrompt(page, () => page.keyboard.press('Control+c')));
    }
    rows.push(
      row(`Ctrl+C in \`${program}\`, until the prompt is drawn, median`, 'ms', {
        ours: median(times),
        want: '<= 200',
      }),
      row(`the same, slowest of ${INTERRUPTS}`, 'ms', { ours: Math.max(...times), want: '<= 200' }),
    );
  }
  await page.close();
  return rows;
}

/** From now on each prompt rings the bell, which flashes once the output before it is parsed, whatever draws it. */
async function ringsOnPrompt(page: Page): Promise<void> {
  await page.keyboard.type("PS1='\\a$ '");
  await untilPrompt(page, () => page.keyboard.press('Enter'));
}

async function untilPrompt(page: Page, press: () => Promise<void>): Promise<number> {
  const rung = await page.evaluateHandle(() => {
    const settled = new Promise<number>((resolve) => {
      let pressed_ms = 0;
      addEventListener('keydown', ({ timeStamp }) => (pressed_ms = timeStamp), { capture: true, once: true });
      const observer = new MutationObserver(() => {
        if (pressed_ms === 0 || !document.querySelector('.terminal-rings')) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - pressed_ms)));
      });
      observer.observe(document.body, { subtree: true, attributeFilter: ['class'] });
    });
    return { settled };
  });
  await press();
  const ms = await rung.evaluate(({ settled }) => settled);
  await page.locator('.terminal-rings').waitFor({ state: 'detached' });
  return ms;
}
