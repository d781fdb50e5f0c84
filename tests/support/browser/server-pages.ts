import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Administration → Servers. Scoped, because the rail has buttons with the same names. */
export function serversScreen(page: Page): Locator {
  return page.getByRole('region', { name: 'Servers', exact: true });
}

export function rowOf(page: Page, name: string): Locator {
  return serversScreen(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) });
}

/** Chooses what else can be done with a server, from the menu of its row. */
export async function chooseOf(page: Page, name: string, item: string): Promise<void> {
  await rowOf(page, name)
    .getByRole('button', { name: `More about ${name}` })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Opens the details of a server at the right of the table. */
export async function detailsOf(page: Page, name: string): Promise<Locator> {
  await rowOf(page, name).getByRole('button', { name, exact: true }).click();
  return page.getByRole('complementary', { name: `Details of ${name}` });
}

/** The test stages of one hop: a jump host or the server itself. */
export function stagesAt(page: Page, hop: string): Locator {
  return page.getByRole('region', { name: `Stages for ${hop}` });
}

export type StageState = 'Passed' | 'Failed' | 'Running';

/** Waits until exactly these stages of a hop are in this state. */
export function untilStages(hop: Locator, state: StageState, names: readonly string[]): Promise<void> {
  const icon = hop.page().getByRole('img', { name: state });
  const stages = hop.getByRole('listitem').filter({ has: icon }).locator('.stage-name');
  return expect.poll(() => stages.allTextContents(), { timeout: 60_000 }).toEqual(names);
}

export type ShownState = 'Online' | 'Offline' | 'Not checked' | 'Status unknown';

/** Waits until the server's row shows this state. */
export function untilShown(page: Page, name: string, state: ShownState): Promise<void> {
  const shown = new RegExp(`^\\s*${state}`);
  return rowOf(page, name).getByRole('cell').filter({ hasText: shown }).waitFor();
}
