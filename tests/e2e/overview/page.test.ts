import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readVersion } from '#server/version.ts';
import { keepPicture, useVisits } from '../../support/browser/pages.ts';
import { addHost, openingTerminal } from '../../support/features/chain.ts';
import { seedSamples } from '../../support/features/samples.ts';
import { OFFLINE, ONLINE, saveStatus } from '../../support/features/statuses.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { startSshd } from '../../support/hosts/sshd.ts';

let gateway: TestGateway;
const visits = useVisits();

const DAY_OF = 288;

/** A day with traffic around noon, a server that is offline for two hours, and failed sign-ins. */
function eventful(name: string, step: number): number {
  const busy = Math.max(0, Math.sin((step / DAY_OF) * Math.PI));
  const wave = busy * (1 + Math.sin(step / 7) / 4 + Math.sin(step / 3) / 6);
  const is_away = step > 120 && step < 145;
  const values: Record<string, number> = {
    servers_online: is_away ? 6 : 7,
    servers_offline: is_away ? 2 : 1,
    servers_unchecked: 1,
    sessions: Math.round(9 * wave),
    uploads: Math.round(3 * wave),
    downloads: Math.round(6 * wave),
    copies: Math.round(2 * wave),
    bytes_up: Math.round(40 * 2 ** 20 * wave),
    bytes_down: Math.round(90 * 2 ** 20 * wave),
    bytes_copied: Math.round(25 * 2 ** 20 * wave),
    failed_logins: step === 200 ? 37 : 0,
    logins: Math.round(3 * wave),
  };
  return values[name] ?? 0;
}

/** As many servers as the samples count. */
async function addServers(): Promise<void> {
  for (const name of ['lighthouse', 'pier', 'buoy', 'anchor', 'mast', 'keel', 'ferry', 'beacon']) {
    const { id } = await gateway.addServer({ name });
    await saveStatus(gateway, id, name === 'ferry' ? OFFLINE : ONLINE);
  }
}

beforeAll(async () => {
  gateway = await startGateway({ env: { SERVICE_INSTANCE_ID: 'north' } });
  await gateway.addServer({ name: 'harbor' });
  await gateway.user({ username: 'pilot' });
});
afterAll(() => gateway?.close());

const chart = (page: Page, name: string) => page.getByRole('slider', { name, exact: true });
const textOf = (page: Page, name: string) => chart(page, name).getAttribute('aria-valuetext');

async function open(): Promise<Page> {
  const page = await visits.open(gateway, '#/admin/overview');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** `--good` in each theme, as canvas pixels. */
const GOOD = { light: '23 105 58', dark: '99 197 139' };

/** The colors of a chart's pixels. */
function colorsOf(page: Page, name: string): Promise<string[]> {
  return chart(page, name)
    .locator('canvas')
    .evaluate((canvas) => {
      if (!(canvas instanceof HTMLCanvasElement)) return [];
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {
        data: [],
      };
      const colors = new Set<string>();
      for (let i = 0; i < data.length; i += 4) colors.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
      return [...colors];
    });
}

describe('The overview', () => {
  it('is the first administration page, and shows the current state before there are samples', async () => {
    await gateway.store.db.delete(gateway.store.tables.samples);
    const page = await visits.open(gateway, '#/admin');
    await page.getByText('The gateway measures once a minute').waitFor();
    await page.getByRole('link', { name: 'Servers 1', exact: true }).waitFor();
    await page.getByRole('link', { name: '1 not checked' }).waitFor();
    await page.getByText('north', { exact: true }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });

  it('draws the samples in the colors of the theme', async () => {
    await addServers();
    await seedSamples(gateway, 250, (name, step) => eventful(name, step + 38));
    const page = await open();
    await expect.poll(() => colorsOf(page, 'Servers by status')).toContain(GOOD.light);
    expect(await visits.accessibility()).toEqual([]);
    await keepPicture(page, 'overview-light.png');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => colorsOf(page, 'Servers by status')).toContain(GOOD.dark);
    expect(await visits.accessibility()).toEqual([]);
    await keepPicture(page, 'overview-dark.png');
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'light')); // as the preferences do
    await expect.poll(() => colorsOf(page, 'Servers by status')).not.toContain(GOOD.dark);
  });

  it('links its numbers to filtered lists, which a reload keeps', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Failed sign-ins (24 hours) 37' }).click();
    await page.getByRole('button', { name: 'Edit action: Sign-in failed' }).waitFor();
    const chip = page.getByRole('button', { name: /^Edit since: / });
    const typed = /since: (.*)/.exec((await chip.getAttribute('aria-label')) ?? '')?.[1] ?? '';
    const day_ms = Date.now() - (await page.evaluate((local) => new Date(local).getTime(), typed));
    expect(Math.round(day_ms / 3_600_000)).toBe(24);
    await page.goBack();
    await page.getByRole('link', { name: '1 offline' }).click();
    const names = () => page.getByRole('rowheader').allTextContents();
    await expect.poll(names).toEqual(['ferry']);
    await page.reload();
    await expect.poll(names).toEqual(['ferry']);
    await page.getByRole('button', { name: 'Remove is: Offline' }).click();
    await expect.poll(async () => (await names()).length).toBeGreaterThan(5);
  });

  it('links each number to a list of so many rows', async () => {
    const sshd = await startSshd();
    try {
      const harbor = await addHost(gateway, { name: 'pontoon', sshd });
      const shells = [1, 2].map(() => openingTerminal(gateway, harbor.id));
      for (const shell of shells) await shell.frame('session');
      await saveStatus(gateway, harbor.id, ONLINE);
      await expect
        .poll(async () => (await gateway.admin.call('GET', '/api/overview?hours=24')).body['sessions'])
        .toBe(2);
      const page = await open();
      const counts = page.locator('.overview-tiles a');
      await page.getByRole('link', { name: 'Terminals 2' }).waitFor();
      const names = (await counts.allTextContents()).filter((name) => !name.startsWith('Failed'));
      expect(names).toHaveLength(6);
      for (const name of names) {
        await counts.filter({ hasText: name }).click();
        const rows = page.getByRole('rowheader');
        await expect.poll(() => rows.count(), { message: name }).toBe(Number(/\d+/.exec(name)?.[0]));
        await page.goBack();
        await page.getByRole('heading', { name: 'Overview' }).waitFor();
      }
      for (const shell of shells) shell.raw.terminate();
    } finally {
      await sshd.stop();
    }
  });

  it('says which machine has a wrong clock, and which runs another version', async () => {
    const { db, tables } = gateway.store;
    await db.insert(tables.instances).values({
      ...{
        run_id: 'south',
        instance_id: 'south',
        machine: 'pier',
        url: '',
        proof: '',
        version: '0.7.9',
        clock_skew_ms: -21_400,
      },
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    });
    const page = await open();
    const [north, south] = ['north', 'south'].map((name) =>
      page.getByRole('listitem').filter({ hasText: name }),
    );
    await south?.getByText('Its clock is 21 s behind the database.').waitFor();
    await south?.getByText('version 0.7.9').waitFor();
    await north?.getByText(`version ${readVersion()}`).waitFor();
    expect(await north?.getByText('Its clock').count()).toBe(0);
  });

  it('draws a bar an hour, and labels the highest', async () => {
    const page = await open();
    await page
      .locator('.chart', { has: chart(page, 'Failed sign-ins') })
      .getByText('37')
      .nth(1)
      .waitFor();
    expect(Number(await chart(page, 'Failed sign-ins').getAttribute('aria-valuemax'))).toBeLessThanOrEqual(
      24,
    );
  });

  it('shows the values under the pointer, and hides them when it leaves', async () => {
    const page = await open();
    await chart(page, 'Failed sign-ins').hover();
    const tip = page.locator('.chart-tip');
    await tip.getByText('Failed').waitFor();
    await page.getByRole('heading', { name: 'Overview' }).hover();
    await tip.waitFor({ state: 'detached' });
  });

  it('shows values by keyboard, and marks missing samples', async () => {
    const page = await open();
    await chart(page, 'Servers by status').focus();
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
    expect(await textOf(page, 'Servers by status')).toMatch(/Online: 7, Not checked: 1, Offline: 1$/);
    await page.locator('.chart-tip').getByText('Not checked').waitFor();
    await page.keyboard.press('Home');
    expect(await textOf(page, 'Servers by status')).toMatch(/Online: not measured, .*Offline: not measured$/);
    await page.keyboard.press('Escape');
    await page.locator('.chart-tip').waitFor({ state: 'detached' });
  });

  it('shows a chart as a table, newest first, without missing samples', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Failed sign-ins as a table' }).click();
    const table = page.getByRole('table', { name: 'Failed sign-ins' });
    await expect.poll(() => table.getByRole('row').count()).toBeGreaterThan(20);
    expect(await table.getByRole('row').count()).toBeLessThan(24);
    expect(await table.getByRole('cell').allTextContents()).toContain('37');
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Failed sign-ins as a table' }).click();
    await chart(page, 'Failed sign-ins').waitFor();
  });

  it('covers 24 hours, 7 days or 30 days, and keeps the choice in the URL', async () => {
    const page = await open();
    await page.getByRole('button', { name: '30 days' }).click();
    await expect.poll(() => chart(page, 'Sign-ins').getAttribute('aria-valuemax')).toMatch(/^(29|30)$/);
    await page.reload();
    await expect.poll(() => chart(page, 'Sign-ins').getAttribute('aria-valuemax')).toMatch(/^(29|30)$/);
    expect(await page.getByRole('button', { name: '30 days' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('fits a phone and grows with the window', async () => {
    const page = await open();
    await page.setViewportSize({ width: 360, height: 740 });
    const width = () =>
      chart(page, 'Terminals').evaluate((found) => found.querySelector('canvas')?.clientWidth ?? 0);
    await expect.poll(width).toBeLessThan(330);
    expect(
      await page.evaluate(() => document.querySelector('.screen-body')?.scrollWidth),
    ).toBeLessThanOrEqual(360);
    expect(await visits.accessibility()).toEqual([]);
    await page.setViewportSize({ width: 800, height: 740 });
    await expect.poll(width).toBeGreaterThan(330);
  });

  it('says since when there was nothing, instead of an empty chart', async () => {
    await seedSamples(gateway, 2, (name) => (name === 'servers_online' ? 1 : 0));
    const page = await open();
    await page
      .locator('.chart', { hasText: 'Files transferred' })
      .getByText(/^None since/)
      .waitFor();
    await chart(page, 'Servers by status').waitFor();
    expect(await chart(page, 'Files transferred').count()).toBe(0);
    expect(await visits.accessibility()).toEqual([]);
  });
});
