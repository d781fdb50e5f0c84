import type { Locator, Page } from 'playwright-core';

/** The line in which the list that is shown is asked. */
export function queryBar(page: Page): Locator {
  return page.getByRole('search').getByRole('combobox');
}

/** Asks the list that is shown for something more. */
export async function ask(page: Page, text: string): Promise<void> {
  await queryBar(page).fill(text);
  await queryBar(page).press('Enter');
}

/** How far below the title a list begins. */
export async function spaceAbove(page: Page, title: string, first: Locator): Promise<number> {
  const heading = await page.getByRole('heading', { name: title, exact: true }).boundingBox();
  const box = await first.boundingBox();
  if (!heading || !box) throw new Error('Nothing is shown');
  return box.y - heading.y - heading.height;
}
