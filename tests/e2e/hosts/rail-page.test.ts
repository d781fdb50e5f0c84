import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, untilFocused, useVisits } from '../../support/browser/pages.ts';
import { queryBar } from '../../support/browser/query-bar.ts';
import { serverInRail } from '../../support/browser/rail.ts';
import { importServers } from '../../support/features/imports.ts';
import { OFFLINE, ONLINE, saveStatus } from '../../support/features/statuses.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const COUNT = 303;
const MOST_NODES = 600; // of the whole page; 33,700 when each server had its row
const GROUPS = ['edge', 'lab', 'production'];

const visits = useVisits();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
  const servers = Array.from({ length: COUNT }, (_, at) => ({
    name: `${at % 2 === 0 ? 'web' : 'db'}-${String(at).padStart(2, '0')}`,
    hostname: `10.9.0.${at % 250}`,
    group: GROUPS[at % 3],
    tags: at % 5 === 0 ? ['prod', 'fra'] : ['lab'],
    auth_method: 'prompt',
  }));
  await importServers(gateway, servers);
  for (const name of ['web-12', 'web-10']) await saveStatus(gateway, await idOf(name), OFFLINE);
});
afterAll(() => gateway?.close());

async function idOf(name: string): Promise<number> {
  const { body } = await gateway.admin.call<{ id: number; name: string }[]>('GET', '/api/servers');
  return body.find((server) => server.name === name)?.id ?? 0;
}

const tree = (page: Page) => page.getByRole('tree', { name: 'Servers' });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search servers' });
const group = (page: Page, name: string) => page.getByRole('treeitem', { name: new RegExp(`^${name} \\d+`) });
const activeRow = (page: Page): Locator => page.locator('.rail-active .rail-name');
const found = (page: Page) => page.locator('[role="treeitem"] .rail-name').allTextContents();
const tabNames = (page: Page) => page.getByRole('tab').allTextContents();

/** Scrolls the rail, and counts the elements of its active row as soon as the page has followed. */
async function jumpFromTop(top_px: number): Promise<number> {
  document.querySelector('.rail-list')?.scrollTo({ top: top_px });
  await new Promise((followed) => requestAnimationFrame(followed));
  return document.querySelectorAll('.rail-active').length;
}

/** Pixels between what matched and the rest of the name. */
function gapAfterMark(name: Element): number {
  const rest = document.createRange();
  const mark = name.querySelector('mark');
  if (mark?.nextSibling) rest.selectNode(mark.nextSibling);
  return rest.getBoundingClientRect().left - (mark?.getBoundingClientRect().right ?? Number.NaN);
}

describe('The rail with 303 servers', () => {
  it('is one tab stop that keys move in, and has only the rows in view', async () => {
    const page = await visits.open(gateway, '#/');
    await serverInRail(page, 'db-03').waitFor();
    const stops = await tree(page).locator('[tabindex="0"], button:not([tabindex="-1"]), a').count();
    expect(stops).toBe(0);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(MOST_NODES);
    await tree(page).focus();
    await page.keyboard.press('End');
    await expect.poll(() => activeRow(page).textContent()).toBe('web-302');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => group(page, 'production').getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('Home');
    expect(await page.locator('.rail-active').textContent()).toMatch(/^edge101/);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => activeRow(page).textContent()).toBe('db-03');
    await page.reload();
    await group(page, 'edge').getByText('1 offline').waitFor();
    await tree(page).focus();
    await page.keyboard.press('End');
    await expect.poll(() => group(page, 'production').getAttribute('aria-expanded')).toBe('false');
    expect(await visits.accessibility()).toEqual([]);
  });

  it('has the active row once, also right after a jump', async () => {
    const page = await visits.open(gateway, '#/');
    await serverInRail(page, 'db-03').click({ button: 'right' });
    await page.keyboard.press('Escape');
    await untilFocused(tree(page));
    for (const rows of [100, 110, 120, 130]) {
      await page.evaluate(jumpFromTop, 0);
      await expect.poll(() => page.locator('[data-index="30"]').count()).toBe(1); // all rows around the top
      expect(await page.evaluate(jumpFromTop, rows * 28)).toBe(1);
    }
  });

  it('has its rows in view when it comes back from another screen', async () => {
    const page = await visits.open(gateway, '#/');
    await serverInRail(page, 'db-03').waitFor();
    await page.evaluate(() => document.querySelector('.rail-list')?.scrollTo({ top: 3000 }));
    const names = () =>
      page.locator('.rail-list').evaluate((list) => {
        const { left, top, width, height } = list.getBoundingClientRect();
        const row = document.elementFromPoint(left + width / 3, top + height / 2)?.closest('.rail-row');
        return row?.textContent ?? '';
      });
    await expect.poll(names).toMatch(/^(db|web)-/);
    await goTo(page, '#/admin/servers');
    await page.getByRole('table', { name: 'Servers' }).waitFor();
    await goTo(page, '#/');
    await expect.poll(names).toMatch(/^(db|web)-/);
  });

  it('opens the server that the search names, and no other', async () => {
    const page = await visits.open(gateway, '#/');
    await serverInRail(page, 'db-03').waitFor();
    await tree(page).focus();
    await page.keyboard.type('web12'); // letters go to the search
    await untilFocused(search(page));
    await expect.poll(() => activeRow(page).textContent()).toBe('web-12');
    expect(await found(page)).not.toContain('web-02');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: /web-12/ }).waitFor();
    expect(await tabNames(page)).toHaveLength(1);
    expect(await search(page).inputValue()).toBe('');
    await search(page).fill('12 is:offline');
    expect(await found(page)).toEqual(['web-12']);
    await search(page).focus();
    await page.keyboard.press('Escape');
    await untilFocused(tree(page));
    await expect.poll(() => activeRow(page).first().textContent()).toBe('web-12');
    await page.keyboard.press('f');
    await expect.poll(() => page.getByRole('tab').count()).toBe(2);
    await search(page).fill('is:offline 12');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('tab').count()).toBe(3);
    expect(await search(page).inputValue()).toBe('is:offline');
  });

  it('filters by several tags, and lists favorites and recents first', async () => {
    const page = await visits.open(gateway, '#/');
    await page.getByRole('button', { name: 'prod', exact: true }).click();
    await page.getByRole('button', { name: 'fra', exact: true }).click();
    expect(await search(page).inputValue()).toBe('tag:prod tag:fra');
    await search(page).fill('tag:prod tag:fra group:edge 30');
    expect(await found(page)).toEqual(['web-30', 'web-300']);
    await search(page).fill('tag:prod is:offline');
    expect(await found(page)).toEqual(['web-10']); // web-12 is offline too, without the tag
    await search(page).fill('tag:prod tag:fra group:edge 30');
    await search(page).focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('*');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: /web-30/ }).waitFor();
    await page.reload();
    await group(page, 'Favorites').waitFor();
    await group(page, 'Recent').waitFor();
    expect((await found(page)).slice(0, 2)).toEqual(['web-30', 'web-30']);
    await page.locator('[role="treeitem"]', { hasText: 'web-30' }).first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Remove from favorites' }).click();
    await group(page, 'Favorites').waitFor({ state: 'detached' });
  });

  it('keeps the found servers under the pointer in place when a state changes', async () => {
    const page = await visits.open(gateway, '#/');
    await search(page).fill('is:offline');
    await expect.poll(() => found(page)).toEqual(['web-12', 'web-10']);
    const row = serverInRail(page, 'web-12');
    await row.hover();
    await saveStatus(gateway, await idOf('web-12'), ONLINE);
    await row.getByText(/^Online/).waitFor({ state: 'attached' });
    expect(await found(page)).toEqual(['web-12', 'web-10']);
    await search(page).hover();
    await expect.poll(() => found(page)).toEqual(['web-10']);
    await saveStatus(gateway, await idOf('web-12'), OFFLINE);
    await expect.poll(() => found(page)).toEqual(['web-12', 'web-10']);
  });

  it('shares its ranking with the palette, which lists recents first and finds every action', async () => {
    const page = await visits.open(gateway, '#/');
    await serverInRail(page, 'db-03').waitFor();
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Command palette' });
    const options = page.getByRole('option');
    await box.fill('web12');
    expect(await options.first().textContent()).toMatch(/^web-12/);
    expect((await options.allTextContents()).join()).not.toContain('web-02');
    expect(await options.locator('mark').first().textContent()).toBe('web-12');
    await box.fill('web-3');
    expect(await options.first().locator('.palette-name').evaluate(gapAfterMark)).toBeLessThan(1);
    for (const [text, first] of [
      ['edit web12', 'Edit web-12'],
      ['espanol', 'Language: Español'],
      ['theme dark', 'Theme: Dark'],
      ['larger', 'Larger font'],
      ['idle timeout', 'Terminal idle timeout'],
      ['sign out', 'Sign out'],
    ] as const) {
      await box.fill(text);
      expect((await options.first().textContent())?.startsWith(first), text).toBe(true);
    }
    await box.fill('web12');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Terminal: web-12' }).waitFor();
    await page.keyboard.press('Control+Shift+p');
    await expect.poll(() => options.first().textContent()).toMatch(/^web-12/);
    expect(await visits.accessibility()).toEqual([]);
    await box.fill('db-03');
    await page.keyboard.press('Alt+Enter');
    await page.getByRole('tab', { name: 'Files: db-03' }).waitFor();
  });

  it('has a palette that finds users, snippets and synonyms, and searches recordings and the audit log', async () => {
    const maria = { username: 'maria', password: 'a long passphrase' };
    const created = await gateway.admin.call('POST', '/api/auth/users', maria);
    const snippet = { name: 'restart the queue', command: 'systemctl restart queue' };
    const stored = await gateway.admin.call('POST', '/api/snippets', snippet);
    expect([created.status, stored.status]).toEqual([201, 201]);
    const page = await visits.open(gateway, '#/');
    await serverInRail(page, 'db-03').waitFor();
    const option = (name: string | RegExp) => page.getByRole('option', { name });
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command palette' }).fill(text);
    };
    await find('ssh');
    await option('Search recordings for “ssh” Recordings').waitFor();
    expect(await option(/^Backspace/).count()).toBe(0);
    await page.keyboard.press('Escape');
    await find('log out');
    await option(/^Sign out/).waitFor();
    await page.keyboard.press('Escape');
    await find('mari');
    await option('maria Users').click();
    await page.getByRole('complementary', { name: /maria/ }).waitFor();
    await find('queue');
    await option('restart the queue Snippets').click();
    await page.getByText('systemctl restart queue').last().waitFor();
    await find('maria');
    await option(/^Search the audit log for “maria”/).click();
    await expect.poll(() => queryBar(page).inputValue()).toBe('maria');
    await find('uname');
    await option(/^Search recordings for “uname”/).click();
    await page.getByText(/^0 recordings have this text/).waitFor();
  });

  it('opens a server beside with Ctrl+Enter, from the tree and from the search', async () => {
    const page = await visits.open(gateway, '#/');
    await search(page).fill('web12');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: /web-12/ }).waitFor();
    await untilFocused(page.getByRole('textbox', { name: 'Terminal on web-12' })); // it would take the focus later
    for (const [name, count] of [
      ['db-03', 2],
      ['web-30', 3],
    ] as const) {
      await search(page).fill(name);
      await expect.poll(() => activeRow(page).textContent()).toBe(name);
      if (count === 2) await page.keyboard.press('Escape');
      if (count === 2) await untilFocused(tree(page));
      await page.keyboard.press('Control+Enter');
      await page.getByRole('tab', { name: new RegExp(name) }).waitFor();
      await expect.poll(() => page.locator('.panel:not([hidden])').count()).toBe(count);
    }
  });

  it('keeps the name of the group in view while its servers scroll', async () => {
    const page = await visits.open(gateway, '#/');
    await serverInRail(page, 'db-03').waitFor();
    await page.locator('.rail-list').hover();
    const tops = () =>
      Promise.all(
        [page.locator('.rail-list'), group(page, 'edge')].map(async (one) => (await one.boundingBox())?.y),
      );
    await page.mouse.wheel(0, 1000);
    await expect.poll(() => serverInRail(page, 'db-03').count()).toBe(0);
    const [list, header] = await tops();
    expect(header).toBe(list);
    await page.mouse.wheel(0, 3000);
    await expect.poll(() => page.locator('.rail-stuck').textContent()).toMatch(/^lab/);
    await page.locator('.rail-stuck').click();
    await expect.poll(() => group(page, 'lab').getAttribute('aria-expanded')).toBe('false');
  });

  it('shows address, tags and buttons of the row that is pointed at, or that the keys are on', async () => {
    const page = await visits.open(gateway, '#/');
    await search(page).fill('web-30');
    const row = page.getByRole('treeitem').first();
    await row.hover();
    expect(await row.locator('.rail-aside').textContent()).toMatch(/10\.9\.0\.30.*prodfra$/);
    await search(page).hover();
    await expect.poll(() => row.locator('.rail-actions').count()).toBe(0);
    await search(page).focus();
    await page.keyboard.press('Escape');
    const current = page.locator('.rail-active');
    await expect.poll(() => current.locator('.rail-aside').textContent()).toMatch(/10\.9\.0\.30.*prodfra$/);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => current.locator('.rail-aside').textContent()).toMatch(/10\.9\.0\.24lab$/);
    expect(await page.locator('.rail-actions').count()).toBe(1); // only of this row
    expect(await current.locator('.rail-action').count()).toBe(3);
  });

  it('ranks the servers of a picker as its own', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    await page.getByRole('button', { name: 'Add server' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: /^More/ }).click();
    await form.getByRole('combobox', { name: 'Jump host' }).fill('web12');
    await expect.poll(() => form.getByRole('option').first().textContent()).toBe('web-12');
    expect(await form.getByRole('option').allTextContents()).not.toContain('web-02');
    await form.getByRole('option', { name: 'web-12', exact: true }).click();
    expect(await form.getByRole('combobox', { name: 'Jump host' }).inputValue()).toBe('web-12');
    const groups = form.getByRole('combobox', { name: 'Group' });
    await groups.focus();
    await page.keyboard.type('prod');
    await form.getByRole('option', { name: 'production' }).waitFor();
    expect(await form.getByRole('option').allTextContents()).toEqual(['production']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => groups.inputValue()).toBe('production');
  });

  it('is made wider with keys and the pointer, which the browser keeps until a double click', async () => {
    const page = await visits.open(gateway, '#/');
    const edge = page.getByRole('separator', { name: 'Width of the server list' });
    const width = () => page.locator('.rail-place').evaluate((rail) => rail.getBoundingClientRect().width);
    await edge.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(width).toBe(288);
    const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {};
    await page.mouse.move(x + 3, y + 200);
    await page.mouse.down();
    await page.mouse.move(x + 53, y + 210);
    await page.mouse.up();
    await expect.poll(width).toBe(338);
    await page.reload();
    await expect.poll(width).toBe(338);
    expect(await visits.accessibility()).toEqual([]);
    await edge.dblclick();
    await expect.poll(width).toBe(272);
  });

  it('is a sheet on a phone', async () => {
    const page = await visits.open(gateway, '#/');
    await page.setViewportSize({ width: 360, height: 700 });
    await page.getByRole('button', { name: 'Show servers' }).click();
    await search(page).fill('db 03');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.panel:not([hidden])').count()).toBe(1);
  });
});

describe('The rail under a finger', () => {
  const small = useVisits({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });

  it('has rows and buttons of 40 pixels, each of which opens what it names', async () => {
    const page = await small.open(gateway, '#/');
    await page.getByRole('button', { name: 'Show servers' }).tap();
    const row = page.getByRole('treeitem').filter({ has: page.getByText('db-03', { exact: true }) });
    const menu = row.last().getByRole('button', { name: 'More about db-03' });
    const sizes = await Promise.all([row.last(), menu].map((one) => one.boundingBox()));
    for (const size of sizes) expect(size?.height).toBeGreaterThanOrEqual(40);
    expect(sizes[1]?.width).toBeGreaterThanOrEqual(40);
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Open files' }).waitFor();
    expect(await small.accessibility()).toEqual([]);
    await page.keyboard.press('Escape');
    await row.last().tap();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: /db-03/ }).waitFor();
  });

  it('opens what the search has found with one tap', async () => {
    const page = await small.open(gateway, '#/');
    await page.getByRole('button', { name: 'Show servers' }).tap();
    await search(page).fill('db03');
    const row = page.getByRole('treeitem').filter({ has: page.getByText('db-03', { exact: true }) });
    await row.last().tap();
    await page.getByRole('tab', { name: /db-03/ }).waitFor();
  });
});
