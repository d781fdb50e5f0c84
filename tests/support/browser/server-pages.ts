import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Administration → Servers: the rail beside it has buttons of the same names. */
export function serversScreen(page: Page): Locator {
  return page.getByRole('region', { name: 'Servers', exact: true });
}

export function rowOf(page: Page, name: string): Locator {
  return serversScreen(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) });
}

/** What a test says of one hop, or of the server itself. */
export function stagesAt(page: Page, hop: string): Locator {
  return page.getByRole('region', { name: `Stages for ${hop}` });
}

export type StageState = 'Passed' | 'Failed' | 'Running';

/** Once these stages of a hop, and no others, are in this state. */
export function untilStages(hop: Locator, state: StageState, names: readonly string[]): Promise<void> {
  const icon = hop.page().getByRole('img', { name: state });
  const stages = hop.getByRole('listitem').filter({ has: icon }).locator('.stage-name');
  return expect.poll(() => stages.allTextContents(), { timeout: 10_000 }).toEqual(names);
}

export type ShownState = 'Online' | 'Offline' | 'Not checked' | 'Status unknown';

/** Once the row says so of its server. */
export function untilShown(page: Page, name: string, state: ShownState): Promise<void> {
  const told = new RegExp(`^\\s*${state}`);
  return rowOf(page, name).getByRole('cell').filter({ hasText: told }).waitFor();
}
