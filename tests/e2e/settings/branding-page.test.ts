import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Branding } from '#core/model/settings/branding.ts';
import { goTo, keepPicture, speakSpanish, useVisits } from '../../support/browser/pages.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { dataUrl, plainImage } from '../../support/pictures.ts';

const SOON = { timeout: 60_000 };
const SIGN_IN_BYTES = 150 * 1024;
const HARBOR = {
  app_name: 'Harbor Access',
  tagline: 'The way into the fleet',
  colors: { accent: '#8a1c4a', background: '#f6f1ea', surface: '#fffdf9', text: '#2a1d16' },
  colors_dark: { accent: '#ffb3cf', background: '#1d1416', surface: '#261b1e', text: '#f6e9ec' },
};

const visits = useVisits();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { SERVICE_ROOT_PATH: '/ops' } });
  await gateway.addServer({ name: 'lighthouse' });
});
afterAll(() => gateway?.close());
afterEach(() => gateway.admin.call('DELETE', '/api/branding'));

const stored = async () => (await gateway.anonymous.call<Branding>('GET', '/api/branding')).body;
const save = (input: object) => gateway.admin.call('PUT', '/api/branding', input);

async function open(): Promise<Page> {
  const page = await visits.open(gateway, '#/admin/branding');
  await page.getByRole('heading', { name: 'Branding' }).waitFor();
  return page;
}

const colorOf = (page: Page, selector: string, name: 'color' | 'backgroundColor') =>
  page
    .locator(selector)
    .first()
    .evaluate((element, property) => getComputedStyle(element)[property], name);

async function pick(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const file = { name: 'picture.png', mimeType: 'image/png', buffer: Buffer.from(bytes) };
  await page.locator(`input[type="file"][aria-label="Choose file: ${name}"]`).setInputFiles(file);
}

describe('Branding', () => {
  it('is previewed while editing, and applies everywhere once saved', async () => {
    const page = await open();
    await page.getByLabel('Name', { exact: true }).fill(HARBOR.app_name);
    await page.getByLabel('Tagline').fill(HARBOR.tagline);
    await page
      .getByRole('group', { name: 'Light theme colors' })
      .getByLabel('Accent', { exact: true })
      .fill('#8a1c4a');
    const preview = page.getByRole('img', { name: 'Preview, theme: Light' });
    await preview.getByText('The way into the fleet').waitFor();
    await expect
      .poll(
        () => preview.locator('.mock-button').evaluate((button) => getComputedStyle(button).backgroundColor),
        SOON,
      )
      .toBe('rgb(138, 28, 74)');
    expect(await page.title()).toBe('Administration · Sallyport');
    await pick(page, 'Logo', await plainImage('png', 64, 64));
    await pick(page, 'Favicon', await plainImage('png', 32, 32));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved. Everyone now sees').waitFor();
    expect(await page.title()).toBe('Administration · Harbor Access');
    await goTo(page, '#/');
    await page.locator('.rail .brand').getByText('Harbor Access').waitFor();
    expect(
      await page.locator('.rail .brand-logo').evaluate((logo) => logo.getBoundingClientRect().height),
    ).toBe(24);
    await goTo(page, '#/admin/branding');
    expect(await colorOf(page, '.brand-large, .branding-bar .button-primary', 'backgroundColor')).toBe(
      'rgb(138, 28, 74)',
    );
    const icon = page.locator('link[rel="icon"]');
    expect(await icon.getAttribute('href')).toContain('/ops/api/branding/images/favicon?v=');
  });

  it('is shown on the sign-in page, in both themes', async () => {
    await save({ ...HARBOR, login_image: dataUrl(await plainImage('jpeg', 900, 700), 'image/jpeg') });
    const page = await visits.enter(gateway.url);
    await page.getByText('The way into the fleet').waitFor();
    expect(await page.title()).toBe('Sign in · Harbor Access');
    await expect.poll(() => page.locator('.sign-in-picture').evaluate(isDrawn), SOON).toBe(true);
    for (const [colorScheme, surface] of [
      ['light', 'rgb(255, 253, 249)'],
      ['dark', 'rgb(38, 27, 30)'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => colorOf(page, '.sign-in-card', 'backgroundColor'), SOON).toBe(surface);
      expect(await visits.accessibility()).toEqual([]);
    }
    await page.setViewportSize({ width: 360, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.getByRole('button', { name: 'Sign in' }).scrollIntoViewIfNeeded();
  });

  it('falls back to the default when it cannot be loaded', async () => {
    const page = await visits.enter(gateway.url);
    await page.route('**/api/branding', (route) => route.fulfill({ status: 500, body: 'no' }));
    await page.reload();
    await page.locator('.sign-in-page .brand').getByText('Sallyport').waitFor();
    await page.getByLabel('Username').fill('ada');
    expect(await page.title()).toBe('Sign in · Sallyport');
  });

  it('is reset after confirmation', async () => {
    await save(HARBOR);
    const page = await open();
    await page.getByRole('button', { name: 'Reset…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reset everything' }).click();
    await expect.poll(() => page.title(), SOON).toBe('Administration · Sallyport');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Sallyport');
    expect((await stored()).colors).toEqual({});
  });

  it('keeps untouched images and removes the one that was deleted', async () => {
    await save({
      logo: dataUrl(await plainImage('png', 40, 40)),
      favicon: dataUrl(await plainImage('png', 16, 16)),
    });
    const page = await open();
    await page.getByRole('button', { name: 'Remove Logo' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved. Everyone now sees').waitFor();
    const { logo, favicon } = await stored();
    expect([logo, typeof favicon]).toEqual([null, 'string']);
  });
});

describe('Invalid branding', () => {
  it('with low contrast is reported by color pair and ratio', async () => {
    const page = await open();
    const light = page.getByRole('group', { name: 'Light theme colors' });
    await light.getByLabel('Text', { exact: true }).fill('#999999');
    await light.getByText('Text on Surface: contrast 2.84 : 1').waitFor();
    await light.getByLabel('Use default: Text, Light theme colors').click();
    await expect.poll(() => light.getByText(/contrast/).count(), SOON).toBe(0);
    await light.locator(':focus').waitFor({ state: 'attached' });
  });

  it('with a bad color or image is reported at its field', async () => {
    const page = await open();
    await page
      .getByRole('group', { name: 'Dark theme colors' })
      .getByLabel('Surface', { exact: true })
      .fill('blue');
    await page.getByText('Enter a color such as #1a2b3c.').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Discard' }).click();
    await pick(page, 'Logo', Buffer.from('no picture at all'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.branding-image', { hasText: 'Logo' }).getByText('not a supported image').waitFor();
  });
});

describe('The page', () => {
  it.each(['light', 'dark'] as const)(
    'is accessible with custom colors, also on a phone (%s)',
    async (colorScheme) => {
      await save(HARBOR);
      const page = await open();
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => page.title(), SOON).toBe('Administration · Harbor Access');
      expect(await visits.accessibility()).toEqual([]);
      await keepPicture(page, `branding-${colorScheme}.png`);
      await speakSpanish(page);
      await goTo(page, '#/admin/branding');
      await page.getByLabel('Lema').waitFor();
      await page.setViewportSize({ width: 360, height: 640 });
      expect(await page.locator('.screen-body').evaluate((body) => body.scrollWidth - body.clientWidth)).toBe(
        0,
      );
      expect(await visits.accessibility()).toEqual([]);
    },
  );

  it('loads at most 150 kB before sign-in', async () => {
    const page = await visits.enter(gateway.url);
    await page.getByLabel('Username').waitFor();
    const sizes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map((entry) =>
          /\.(js|css)$/.test(entry.name) && 'encodedBodySize' in entry ? Number(entry.encodedBodySize) : 0,
        ),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(SIGN_IN_BYTES);
  });
});

function isDrawn(image: Element): boolean {
  return image instanceof HTMLImageElement && image.complete && image.naturalWidth > 0;
}
