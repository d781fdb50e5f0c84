import type { Locator, Page } from 'playwright-core';

/** A server in the rail; a click on it opens a terminal. */
export function serverInRail(page: Page, name: string): Locator {
  return page.getByRole('button', { name: `Terminal on ${name}`, exact: true });
}

/** Opens a terminal on a server from the rail. */
export async function openTerminalOn(page: Page, name: string): Promise<void> {
  await serverInRail(page, name).click();
}

/** Opens the files of a server from the rail. */
export async function openFilesOn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Files on ${name}`, exact: true }).click();
}
