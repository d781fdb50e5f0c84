import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { afterEach, expect } from 'vitest';
import { ADMIN_PASSWORD, logIn, type TestGateway } from '../gateway/gateway.ts';
import { type Browser, type BrowserOptions, visit } from './browser.ts';

const SOON = { timeout: 60_000 };
const PICTURES = new URL('../../pictures/', import.meta.url).pathname;

export interface Visits {
  /** Opens a hash such as `#/admin/servers` as the administrator. */
  open(gateway: TestGateway, hash: string): Promise<Page>;
  /** Opens the page signed out, or signed in with a token. */
  enter(url: string, token?: string): Promise<Page>;
  /** Serious axe findings on the current page. */
  accessibility(): Promise<string[]>;
  /** The same with the colors of the system in place of the page's. */
  forcedColors(): Promise<string[]>;
}

/** Gives each test a page with empty storage, and fails the test if the page reports problems. */
export function useVisits(options: BrowserOptions = {}): Visits {
  let browser: Browser | undefined;
  afterEach(async ({ task }) => {
    const present = browser;
    browser = undefined;
    const failure = task.result?.errors?.at(-1);
    if (failure && present) failure.message += await portraitOf(present);
    const problems = present?.problems() ?? [];
    await present?.close();
    expect(problems).toEqual([]);
  });
  async function enter(url: string, token?: string): Promise<Page> {
    browser = await visit(url, token, options);
    return browser.page;
  }
  return {
    enter,
    async open({ url, anonymous }, hash) {
      const { body } = await logIn(anonymous, 'admin', ADMIN_PASSWORD);
      const page = await enter(url, body.access_token);
      await page.getByRole('button', { name: /^Account/ }).waitFor();
      await goTo(page, hash);
      return page;
    },
    forcedColors: async () => (await browser?.forcedColors()) ?? ['no browser'],
    accessibility: async () => (await browser?.accessibility()) ?? ['no browser'],
  };
}

/** What a page shows, for the message of a test that failed. */
async function portraitOf({ page, failures }: Browser): Promise<string> {
  const focused = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200)).catch(String);
  const shown = await page.locator('body').ariaSnapshot({ timeout: 5000 }).catch(String);
  const failed = failures().slice(-20).join('\n');
  return `\n\nThe page ${page.url()}, focused: ${focused}\n${shown.slice(0, 4000)}\nFailed requests:\n${failed}\n`;
}

export async function signInAsAdmin(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account/ }).waitFor();
}

export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

const PROBE = 'is-intercepted'; // below the page

/**
 * `page.route` for a page that is open: Chromium lets such a page send its next requests past a new route, until it has
 * told its renderer.
 */
export async function intercept(page: Page, url: string, handle: (route: Route) => unknown): Promise<void> {
  await page.route(url, handle);
  await page.route(`**/${PROBE}`, (route) => route.fulfill({ status: 299 }));
  const probe = () => page.evaluate(async (path) => (await fetch(path)).status, PROBE);
  await expect.poll(probe, SOON).toBe(299);
  await page.unroute(`**/${PROBE}`);
}

/** Picks an option of a select. */
export async function choose(place: Locator, label: string, option: string): Promise<void> {
  await selectNamed(place, label).click();
  await place.getByRole('option', { name: option, exact: true }).click();
}

/** Finds an option of a combo box by typing a part of its name. */
export async function pick(place: Locator, label: string, typed: string, option = typed): Promise<void> {
  await place.getByRole('combobox', { name: label }).fill(typed);
  await place.getByRole('option', { name: option, exact: true }).click();
}

export async function speakSpanish(page: Page): Promise<void> {
  await goTo(page, '#/account/preferences');
  await choose(page.locator('.screen'), 'Language', 'Español');
}

/** A select's button; its name is the label followed by the selected option. */
export function selectNamed(place: Locator, label: string): Locator {
  return place.getByRole('button', { name: new RegExp(`^${label}`) });
}

/** Waits until the field's accessible description contains this text. */
export function untilDescribed(field: Locator, text: string): Promise<void> {
  return expect.poll(() => field.evaluate(descriptionOf), SOON).toContain(text);
}

function descriptionOf(field: Element): string {
  const ids = (field.getAttribute('aria-describedby') ?? '').split(' ');
  return ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
}

export function untilFocused(field: Locator): Promise<void> {
  return expect.poll(() => field.evaluate((element) => element === document.activeElement), SOON).toBe(true);
}

/** Waits until the one terminal in sight takes what is typed: it gets the focus some time after it has connected. */
export async function untilTypable(page: Page): Promise<void> {
  await page.getByText('Connected', { exact: true }).waitFor();
  await untilFocused(page.locator('.panel:not([hidden]) .xterm-helper-textarea'));
}

/** Waits until the active terminal shows this. */
export function untilTyped(page: Page, shown: RegExp): Promise<void> {
  return expect.poll(() => terminalText(page), SOON).toMatch(shown);
}

export async function terminalText(page: Page): Promise<string> {
  return (await page.locator('.panel:not([hidden]) .xterm-rows > div').allTextContents()).join('\n');
}

/** Stores a screenshot for the documentation, in 256 colors, with `npm run pictures` only. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (!process.env['SALLYPORT_PICTURES']) return;
  const picture = await page.screenshot();
  await mkdir(PICTURES, { recursive: true });
  await sharp(picture).png({ palette: true, effort: 10 }).toFile(join(PICTURES, name));
}

/** The same in both color schemes. */
export async function keepPictures(page: Page, name: string): Promise<void> {
  if (!process.env['SALLYPORT_PICTURES']) return;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await keepPicture(page, `${name}-${colorScheme}.png`);
  }
}
