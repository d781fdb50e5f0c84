import type { Page, WebSocket } from 'playwright-core';
import { serverInRail } from '../../../support/browser/rail.ts';
import type { BenchBrowser } from '../../browser.ts';
import type { Scene } from '../../scene.ts';

/** A page with a terminal that has received its first output. */
export async function openTerminal(browser: BenchBrowser, { gateway }: Scene): Promise<Page> {
  const page = await browser.visit(gateway);
  const prompted = page.waitForEvent('websocket').then(hasOutput);
  await serverInRail(page, 'bench').click();
  await prompted;
  return page;
}

function hasOutput(socket: WebSocket): Promise<unknown> {
  return socket.waitForEvent('framereceived', ({ payload }) => typeof payload !== 'string');
}
