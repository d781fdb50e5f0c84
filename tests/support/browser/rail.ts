import type { Locator, Page } from 'playwright-core';

/** A server in the rail; a click on it opens a terminal. */
export function serverInRail(page: Page, name: string): Locator {
  const named = page.getByRole('treeitem').filter({ has: page.getByText(name, { exact: true }) });
  return named.last(); // in its group, after favorites and recents
}

/** Opens a terminal on a server from the rail. */
export async function openTerminalOn(page: Page, name: string): Promise<void> {
  await serverInRail(page, name).click();
}

/** Opens the files of a server from the rail. */
export async function openFilesOn(page: Page, name: string): Promise<void> {
  const row = serverInRail(page, name);
  await row.hover();
  await row.getByTitle(`Files on ${name}`, { exact: true }).click();
}
