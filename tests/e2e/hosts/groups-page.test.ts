import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, useVisits } from '../../support/browser/pages.ts';
import { serverInRail } from '../../support/browser/rail.ts';
import { importServers, serversOf } from '../../support/features/imports.ts';
import { OFFLINE, ONLINE, saveStatus } from '../../support/features/statuses.ts';
import { startGateway, type TestGateway, USER_PASSWORD } from '../../support/gateway/gateway.ts';

const visits = useVisits();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
  const names = ['web-1', 'web-2', 'db-1'];
  await importServers(gateway, [
    ...names.map((name) => ({ name, group: 'shop', auth_method: 'prompt' })),
    { name: 'lab-1', group: 'lab', auth_method: 'prompt' },
    { name: 'spare', auth_method: 'prompt' },
  ]);
  for (const { id, name } of await serversOf(gateway))
    if (name !== 'db-1') await saveStatus(gateway, id, name === 'web-2' ? OFFLINE : ONLINE);
  await gateway.user({ username: 'ana', allowed_groups: ['shop'] });
  await gateway.user({ username: 'ben', allowed_groups: ['lab', 'prdo'] });
});
afterAll(() => gateway?.close());

const group = (page: Page, name: string) => page.getByRole('treeitem', { name: new RegExp(`^${name} \\d+`) });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search servers' });
const found = (page: Page) => page.locator('[role="treeitem"] .rail-name').allTextContents();
const title = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const cells = (page: Page, table: string) =>
  page.getByRole('table', { name: table }).getByRole('rowheader').allTextContents();
const groupsNow = async () =>
  Object.fromEntries((await serversOf(gateway)).map(({ name, group: of }) => [name, of]));

async function openAs(username: string): Promise<Page> {
  const { token } = await gateway.signIn(username, USER_PASSWORD);
  const page = await visits.enter(gateway.url, token);
  await page.getByRole('button', { name: /^Account/ }).waitFor();
  return page;
}

describe('A group in the rail', () => {
  it('opens its page from its menu, with Ctrl+Enter, and from the palette', async () => {
    const page = await visits.open(gateway, '#/');
    await group(page, 'shop').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open the group’s page' }).click();
    await title(page, 'shop').waitFor();
    await goTo(page, '#/');
    await page.getByRole('tree', { name: 'Servers' }).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Control+Enter');
    await title(page, 'lab').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command palette' }).fill('shop');
    await page.getByRole('option', { name: 'shop Group' }).click();
    await title(page, 'shop').waitFor();
  });

  it('shows what is offline when its number is pressed, and stays open', async () => {
    const page = await visits.open(gateway, '#/');
    await group(page, 'shop').getByRole('button', { name: '1 offline' }).click();
    await expect.poll(() => search(page).inputValue()).toBe('group:shop is:offline');
    expect(await found(page)).toEqual(['web-2']);
    await search(page).fill('');
    await serverInRail(page, 'web-1').waitFor();
    expect(await group(page, 'shop').getAttribute('aria-expanded')).toBe('true');
  });

  it('is a filter in the menu of the search, as are the states by the words that rows use', async () => {
    const page = await visits.open(gateway, '#/');
    await serverInRail(page, 'web-1').waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    const states = page.getByRole('group', { name: 'Status' }).getByRole('menuitemcheckbox');
    expect(await states.allTextContents()).toEqual(['Online', 'Offline', 'Not checked']);
    const groups = page.getByRole('group', { name: 'Groups' }).getByRole('menuitemcheckbox');
    expect(await groups.allTextContents()).toEqual(['lab', 'shop', 'No group']);
    await groups.last().click();
    await expect.poll(() => search(page).inputValue()).toBe('group:""');
    expect(await found(page)).toEqual(['spare']);
  });
});

describe('The page of a group', () => {
  it('says which servers are in it, in which state, and who reaches them', async () => {
    const page = await visits.open(gateway, '#/admin/groups');
    await page.getByRole('rowheader', { name: 'prdo' }).waitFor(); // no server is in it, but a user has it
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'shop', exact: true }).click();
    await title(page, 'shop').waitFor();
    expect(await page.locator('.group-summary').textContent()).toMatch(/1 offline.*1 not checked.*1 online/);
    expect(await cells(page, 'shop')).toEqual(['db-1', 'web-1', 'web-2']);
    const access = page.getByRole('region', { name: 'Who can reach these servers' });
    await expect
      .poll(() => access.getByRole('link').allTextContents())
      .toEqual(['Manage users', 'ana', 'admin']);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('shows a user the servers, and neither tools nor other users', async () => {
    const page = await openAs('ana');
    await group(page, 'shop').hover();
    await page.getByTitle('Open the group’s page').click();
    await title(page, 'shop').waitFor();
    expect(await cells(page, 'shop')).toEqual(['db-1', 'web-1', 'web-2']);
    for (const name of ['Add servers…', 'Rename…'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByText('Who can reach these servers').count()).toBe(0);
    await page.getByRole('link', { name: 'All groups' }).click();
    await expect.poll(() => cells(page, 'Groups')).toEqual(['shop']);
  });

  it('takes servers of other groups after saying what changes', async () => {
    const page = await visits.open(gateway, '#/admin/groups?group=lab');
    await page.getByRole('button', { name: 'Add servers…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('searchbox', { name: 'Search servers' }).fill('spare');
    await dialog.getByText('spare', { exact: true }).click();
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByText('spare, now in No group').waitFor();
    await dialog.getByRole('button', { name: 'Move' }).click();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect.poll(() => cells(page, 'lab')).toEqual(['lab-1', 'spare']);
  });

  it('is renamed on servers and users, but not to a name that is in use', async () => {
    const page = await visits.open(gateway, '#/admin/groups?group=shop');
    await page.getByRole('button', { name: 'Rename…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename the group shop' });
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      'User ana: gets the new name',
      'Server db-1: moves',
      'Server web-1: moves',
      'Server web-2: moves',
      'User ana: loses “shop”',
    ]);
    await dialog.getByLabel('New name').fill('lab');
    await dialog.getByText('“lab” is in use.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Rename' }).isDisabled()).toBe(true);
    await dialog.getByLabel('New name').fill('store');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByText('Done: 5 of 5').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await title(page, 'store').waitFor();
    expect(await groupsNow()).toMatchObject({ 'web-1': 'store', 'web-2': 'store', 'db-1': 'store' });
    const users = await gateway.admin.call<{ username: string; allowed_groups: string[] }[]>(
      'GET',
      '/api/auth/users',
    );
    expect(users.body.find(({ username }) => username === 'ana')?.allowed_groups).toEqual(['store']);
  });
});
