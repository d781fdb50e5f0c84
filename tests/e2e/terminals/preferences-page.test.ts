import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  choose,
  goTo,
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
