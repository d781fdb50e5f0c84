import type { Locator, Page } from 'playwright-core';

/** Drops local files and folders, as a user drags them in from the desktop. */
export async function dropFromDesktop(page: Page, onto: Locator, files: readonly string[]): Promise<void> {
  const box = await onto.boundingBox();
  if (!box) throw new Error('Nothing to drop on');
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x, y, data });
  await session.detach();
}

/** Limits the browser's upload speed; without a rate, lifts the limit. */
export async function limitUploads(page: Page, bytes_per_second?: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytes_per_second ?? -1,
  });
}
