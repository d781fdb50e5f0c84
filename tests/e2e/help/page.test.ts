import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../../apps/web/help/manual/contents.ts';
import { ACCOUNT_SECTIONS, ADMIN_SECTIONS } from '../../../apps/web/workspace/screens/sections.ts';
import { audit, watchProblems } from '../../support/browser/browser.ts';
import { goTo, untilFocused, useVisits } from '../../support/browser/pages.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const FILES = PAGES.map(({ file }) => file);
/** Long tables, code, pictures and long lists. */
const VARIED = [
  'index.html',
  'servers.html',
  'configuration.html',
  'client.html',
  'changelog.html',
  'license.html',
];

const visits = useVisits();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { SERVICE_ROOT_PATH: '/ops' } });
});
afterAll(() => gateway?.close());

async function openHelp(path: string): Promise<Page> {
  const page = await visits.enter(gateway.url);
  await page.goto(`${gateway.url}/help/${path}`);
  return page;
}

/** What `act` opens in another tab. */
async function openedBy(page: Page, act: () => Promise<void>): Promise<{ tab: Page; problems: string[] }> {
  const [tab] = await Promise.all([page.context().waitForEvent('page'), act()]);
  const problems = watchProblems(tab, gateway.url);
  await tab.waitForLoadState();
  return { tab, problems };
}

async function openFromMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

describe('The search of the help', () => {
  it('finds a section and opens it, with the keyboard only', async () => {
    const page = await openHelp('');
    const box = page.getByRole('searchbox', { name: 'Search the help' });
    await box.waitFor();
    await page.keyboard.press('/');
    await untilFocused(box);
    await page.keyboard.type('jump host');
    const results = page.getByRole('region', { name: 'Search results' });
    await results.getByText(/\d+ (best )?sections/).waitFor();
    expect(await audit(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    const first = results.getByRole('link').first();
    await untilFocused(first);
    expect(await first.textContent()).toMatch(/^Connect through jump hosts/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Servers and host keys' }).waitFor();
    expect(page.url()).toBe(`${gateway.url}/help/servers.html#connect-through-jump-hosts`);
  });

  it('closes with Escape, and says when nothing is found', async () => {
    const page = await openHelp('files.html');
    const box = page.getByRole('searchbox', { name: 'Search the help' });
    await box.fill('zeppelin');
    await page.getByText('No section has these words.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Search results' }).waitFor({ state: 'detached' });
    await untilFocused(box);
  });
});

describe('A page of the help', () => {
  it.each(VARIED)('%s is accessible in both themes', async (file) => {
    const page = await openHelp(file);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect([colorScheme, await audit(page)]).toEqual([colorScheme, []]);
    }
  });

  it('has the theme that was chosen in the page, and its pictures', async () => {
    const page = await openHelp('servers.html');
    const shown = () => page.locator('article img:visible').first().getAttribute('src');
    expect(await shown()).toContain('servers-light');
    await page.goto(`${gateway.url}/`);
    await page.evaluate(() => {
      const key = `sallyport:${location.pathname}:preferences`;
      localStorage.setItem(key, JSON.stringify({ theme: 'dark' }));
    });
    await page.goto(`${gateway.url}/help/servers.html`);
    await page.locator('html[data-theme="dark"]').waitFor();
    expect(await shown()).toContain('servers-dark');
  });

  it('fits a phone, and shows the contents there on demand', async () => {
    const page = await openHelp('');
    await page.setViewportSize({ width: 390, height: 844 });
    for (const file of FILES) {
      await page.goto(`${gateway.url}/help/${file}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([file, width]).toEqual([file, 390]);
    }
    const contents = page.getByRole('navigation', { name: 'Contents' });
    expect(await contents.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Contents' }).click();
    await contents.getByRole('link', { name: 'Files' }).click();
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    expect(await audit(page)).toEqual([]);
  });
});

describe('The help of a section', () => {
  it.each([
    ['admin', ADMIN_SECTIONS],
    ['account', ACCOUNT_SECTIONS],
  ] as const)('of %s leads from its title to a heading of the manual', async (screen, sections) => {
    const page = await visits.open(gateway, `#/${screen}/${sections[0].id}`);
    for (const { id, help } of sections) {
      await goTo(page, `#/${screen}/${id}`);
      const link = page.locator(`.section-heading a[href$="/ops/help/${help}"]`);
      await link.waitFor();
      expect(await link.getAttribute('aria-label')).toMatch(/^Help: \w/);
      const [file = '', heading] = help.split('#');
      const html = await (await fetch(`${gateway.url}/help/${file}`)).text();
      expect([id, heading === undefined || html.includes(` id="${heading}"`)]).toEqual([id, true]);
    }
    expect(await visits.accessibility()).toEqual([]);
  });

  it('opens in another tab', async () => {
    const page = await visits.open(gateway, '#/admin/branding');
    const link = page.getByRole('link', { name: 'Help: Branding' });
    const { tab, problems } = await openedBy(page, () => link.click());
    expect(tab.url()).toBe(`${gateway.url}/help/configuration.html#branding`);
    await tab.getByRole('heading', { name: 'Branding' }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe('The command palette', () => {
  it('finds headings of the manual', async () => {
    const page = await visits.open(gateway, '#/');
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('help jump hosts');
    await page.getByRole('option', { name: /^Help: Connect through jump hosts/ }).waitFor();
    const { tab } = await openedBy(page, () => page.keyboard.press('Enter'));
    expect(tab.url()).toBe(`${gateway.url}/help/servers.html#connect-through-jump-hosts`);
  });

  it('opens About', async () => {
    const page = await visits.open(gateway, '#/');
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('about sally');
    await page.getByRole('option', { name: /^About Sallyport/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'About Sallyport' }).waitFor();
  });
});

describe('About', () => {
  it('says version, build, license and what changed', async () => {
    const page = await visits.open(gateway, '#/');
    await openFromMenu(page, 'About Sallyport');
    const dialog = page.getByRole('dialog', { name: 'About Sallyport' });
    await dialog.getByText(version, { exact: true }).waitFor();
    await dialog.getByText(/^[0-9a-f]{12}$/).waitFor();
    await dialog.getByRole('heading', { name: `What changed in ${version}` }).waitFor();
    expect(await dialog.getByRole('listitem').count()).toBeGreaterThan(5);
    const links = await dialog
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links.filter((href) => !/^(http:\/\/[^/]+\/ops\/help\/|https:)/.test(href ?? ''))).toEqual([]);
    expect(await visits.accessibility()).toEqual([]);
    const license = dialog.getByRole('link', { name: 'MIT' });
    const { tab } = await openedBy(page, () => license.click());
    await tab.getByText('Permission is hereby granted').waitFor();
  });

  it('is in the menu beside the help', async () => {
    const page = await visits.open(gateway, '#/');
    const { tab } = await openedBy(page, () => openFromMenu(page, 'Help'));
    await tab.getByRole('heading', { name: 'Sallyport documentation' }).waitFor();
    expect(tab.url()).toBe(`${gateway.url}/help/`);
  });
});
