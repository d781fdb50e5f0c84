import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  choose,
  goTo,
  terminalText,
  untilDescribed,
  untilTypable,
  untilTyped,
  useVisits,
} from '../../support/browser/pages.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SOON = { timeout: 60_000 };

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;
let page: Page;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  await addHost(gateway, { name: 'harbor', sshd });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

beforeEach(async () => {
  page = await visits.open(gateway, '#/?renderer=dom');
  await openTerminalOn(page, 'harbor');
  await untilTypable(page);
});

const screen = () => page.locator('.screen');
const terminal = () => page.locator('.panel:not([hidden]) .xterm');
const rows = () => page.locator('.panel .xterm-rows');
const fontOf = () => rows().evaluate((element) => getComputedStyle(element).fontFamily);
const iconFonts = () =>
  page.evaluate(
    () => performance.getEntriesByType('resource').filter(({ name }) => /PureNerdFont/.test(name)).length,
  );

async function commandFromPalette(name: string): Promise<void> {
  await page.keyboard.press('Control+Shift+P');
  const field = page.getByRole('combobox', { name: 'Command palette' });
  await field.fill(name);
  await page
    .getByRole('option', { name: new RegExp(`^${name}`) })
    .first()
    .waitFor();
  await field.press('Enter');
  await field.waitFor({ state: 'hidden' });
}

describe('The typeface of a terminal', () => {
  it('has icons, which are fetched once the first one is printed', async () => {
    expect(await iconFonts()).toBe(0);
    await page.keyboard.type(`printf '\\356\\202\\240 main\\n'\n`);
    await untilTyped(page, /\ue0a0 main/);
    await expect.poll(fontOf, SOON).toContain('Sallyport Icons');
    expect(await iconFonts()).toBe(1);
  });

  it('can be a font of this computer, if that is one and is monospaced', async () => {
    await goTo(page, '#/account/preferences');
    await choose(screen(), 'Typeface', 'A font of this computer');
    const name = screen().getByRole('combobox', { name: 'Name of the font' });
    for (const [font, answer] of [
      ['No Such Mono', 'This computer has no font named No Such Mono.'],
      ['DejaVu Sans', 'DejaVu Sans is not monospaced'],
    ] as const) {
      await name.fill(font);
      await name.press('Enter');
      await untilDescribed(name, answer);
    }
    expect(await visits.accessibility()).toEqual([]);
    await name.fill('DejaVu Sans Mono');
    await screen().getByRole('button', { name: 'Use this font' }).click();
    await expect.poll(fontOf, SOON).toMatch(/^"DejaVu Sans Mono"/);
    await page.reload();
    await expect.poll(fontOf, SOON).toMatch(/^"DejaVu Sans Mono"/);
  });

  it('can have taller lines, and signs that are drawn as one', async () => {
    const lines = () => page.locator('.panel .xterm-rows > div').count();
    const before = await lines();
    await goTo(page, '#/account/preferences');
    await choose(screen(), 'Line height', '1.5');
    await screen().getByText('Ligatures', { exact: true }).click();
    await page.getByRole('tab', { name: 'Terminal: harbor' }).click();
    await expect.poll(lines, SOON).toBeLessThan(before);
    await page.keyboard.type('echo "a -> b"\n');
    await expect.poll(() => rows().locator('span', { hasText: /^->$/ }).count(), SOON).toBeGreaterThan(0);
    expect(await terminal().evaluate((element) => getComputedStyle(element).fontVariantLigatures)).toBe(
      'normal',
    );
  });
});

describe('The text of a terminal', () => {
  const FILE = /^harbor-\d{4}-\d\d-\d\d-\d{6}\.txt$/;

  it('is copied with its colors, saved as a file and cleared from the palette', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: gateway.url });
    await page.keyboard.type(`PS1='> '; clear; seq 300; printf '\\033[31m%s<\\033[m\\n' crim''son\n`);
    await untilTyped(page, /crimson</);
    const word = await rows().getByText('crimson<').last().boundingBox();
    await page.mouse.dblclick((word?.x ?? 0) + 20, (word?.y ?? 0) + 5);
    await commandFromPalette('Copy as HTML');
    const copied = () =>
      page.evaluate(async () => {
        const [item] = await navigator.clipboard.read();
        return item?.types.includes('text/html') ? (await item.getType('text/html')).text() : '';
      });
    await expect.poll(copied, SOON).toMatch(/color: (#|rgb)[^>]*>crimson/i);

    const download = page.waitForEvent('download');
    await commandFromPalette('Save output as text');
    const file = await download;
    expect(file.suggestedFilename()).toMatch(FILE);
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^1\n2\n3\n.*\n300\ncrimson<\n>\s*$/ms);

    await commandFromPalette('Clear');
    await expect.poll(() => terminalText(page), SOON).not.toMatch(/crimson/);
  });

  it('says how its links are followed', async () => {
    await page.keyboard.type(`echo https://exam''ple.com/a\n`);
    await untilTyped(page, /https:\/\/example\.com\/a/);
    const box = await rows().getByText('https://example.com/a').last().boundingBox();
    await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 5);
    await page.locator('.terminal-host[title="Follow link (Ctrl+click)"]').waitFor();
  });
});

describe('A bell', () => {
  it('notifies from a terminal out of sight, and the page says if the browser does not allow it', async () => {
    await goTo(page, '#/account/preferences');
    await screen().getByText('Notify when a bell rings').click();
    await screen().getByText('The browser does not allow notifications from this page').waitFor();
    await page.getByText('so only the tab and the title are marked').waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });
});

describe('A phone', () => {
  it('has Paste among the first keys, and no shortcuts in menus', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const keys = page.getByRole('toolbar', { name: 'Extra keys' }).getByRole('button');
    expect((await keys.allTextContents()).slice(0, 5)).toEqual(['Ctrl', 'Alt', 'Esc', 'Tab', 'Paste']);
    await page.getByRole('button', { name: 'Terminal tools for harbor' }).click();
    await page.getByRole('menuitem', { name: 'Notify when it finishes' }).waitFor();
    expect(await page.locator('.menu kbd:visible').count()).toBe(0);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('gives a terminal the room of the rail and the status line when it is turned sideways', async () => {
    await page.setViewportSize({ width: 844, height: 390 });
    await page.getByRole('complementary', { name: 'Servers' }).waitFor({ state: 'hidden' });
    await page.locator('.status-line').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Show or hide servers' }).click();
    await page.getByRole('dialog').getByRole('searchbox', { name: 'Search servers' }).waitFor();
  });
});
