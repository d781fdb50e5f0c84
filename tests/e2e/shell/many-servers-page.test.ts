import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onHost, openFiles } from '../../support/browser/file-pages.ts';
import { untilFocused, useVisits } from '../../support/browser/pages.ts';
import { serverInRail } from '../../support/browser/rail.ts';
import { addHost } from '../../support/features/chain.ts';
import { OFFLINE, saveStatus } from '../../support/features/statuses.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SOON = { timeout: 60_000 };
const NAMES = ['web-1', 'web-2', 'web-3', 'web-4', 'web-5'];

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  for (const name of NAMES) {
    const { id } = await addHost(gateway, { name, sshd, group: 'web' });
    if (name === 'web-2') await saveStatus(gateway, id, OFFLINE);
  }
  await addHost(gateway, { name: 'vault', sshd, group: 'safe', ssh_enabled: false });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

const tree = (page: Page) => page.getByRole('tree', { name: 'Servers' });
const bar = (page: Page) => page.getByRole('region', { name: 'Actions on the selection' });
const shown = (page: Page) => page.locator('.panel:not([hidden])');
const terminals = (page: Page) => page.locator('.panel:not([hidden]) .xterm-rows');
const tabNames = (page: Page) =>
  page.getByRole('tab').evaluateAll((all) => all.map((tab) => tab.ariaLabel ?? ''));

function untilSelected(page: Page, names: readonly string[]): Promise<void> {
  const selected = page.locator('[role="treeitem"][aria-selected="true"] .rail-name');
  return expect.poll(() => selected.allTextContents(), SOON).toEqual(names);
}

/** How many of the terminals in sight show this. */
function untilShownIn(page: Page, text: string, count: number): Promise<void> {
  const texts = () => terminals(page).allTextContents();
  return expect
    .poll(async () => (await texts()).filter((one) => one.includes(text)).length, SOON)
    .toBe(count);
}

async function openRail(): Promise<Page> {
  const page = await visits.open(gateway, '#/');
  await serverInRail(page, 'web-1').waitFor();
  return page;
}

const range = { modifiers: ['Shift'] } satisfies Parameters<Locator['click']>[0];
const more = { modifiers: ['ControlOrMeta'] } satisfies Parameters<Locator['click']>[0];

describe('Several servers', () => {
  it('are opened side by side with three clicks, and a click without a key still opens one', async () => {
    const page = await openRail();
    await serverInRail(page, 'web-1').click(more);
    await serverInRail(page, 'web-5').click(range);
    await untilSelected(page, NAMES);
    expect(await tree(page).getAttribute('aria-multiselectable')).toBe('true');
    await page.getByRole('status').getByText('5 servers selected').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await bar(page).getByRole('button', { name: 'Open side by side' }).click();
    await expect.poll(() => shown(page).count(), SOON).toBe(5);
    expect((await tabNames(page)).sort()).toEqual(NAMES.map((name) => `Terminal: ${name}`));
    await untilShownIn(page, '$', 5);
    await expect.poll(() => bar(page).count()).toBe(0);
    expect(await visits.accessibility()).toEqual([]);
    await serverInRail(page, 'web-2').click();
    await expect.poll(() => page.getByRole('tab').count(), SOON).toBe(6);
  });

  it('are selected by the keys of a list, and by the menu with its boxes', async () => {
    const page = await openRail();
    await tree(page).focus();
    await page.keyboard.press('End');
    for (const key of ['Control+Space', 'ArrowUp', 'Space']) await page.keyboard.press(key);
    await untilSelected(page, ['web-4', 'web-5']);
    await page.keyboard.press('Shift+ArrowUp');
    await untilSelected(page, ['web-3', 'web-4']);
    await page.keyboard.press('Escape');
    await untilSelected(page, []);
    await page.keyboard.press('Control+a');
    await untilSelected(page, ['vault', ...NAMES]);
    await bar(page).getByRole('button', { name: 'Clear selection' }).click();
    await untilFocused(tree(page));
    await serverInRail(page, 'web-2').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Select Ctrl+Space' }).click();
    await serverInRail(page, 'web-4').locator('.rail-tick').click();
    await untilSelected(page, ['web-2', 'web-4']);
    await page.getByRole('treeitem', { name: /^web \d/ }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Select all in this group' }).click();
    await untilSelected(page, NAMES);
  });

  it('say which of them are left out, and what cannot be done with them', async () => {
    const page = await openRail();
    await serverInRail(page, 'vault').click(more);
    const terminal = bar(page).getByRole('button', { name: 'Open side by side' });
    expect(await terminal.getAttribute('aria-disabled')).toBe('true');
    expect(await terminal.getAttribute('title')).toBe('None of the selected servers has terminals');
    await serverInRail(page, 'web-1').click(more);
    await bar(page).getByText('Without a terminal: vault').waitFor();
    await bar(page).getByRole('button', { name: 'Files side by side' }).click();
    await page.getByRole('tab', { name: 'Files: vault' }).waitFor();
    await expect.poll(() => shown(page).count(), SOON).toBe(2);
  });

  it('get a snippet once it was shown where it goes, and what is offline', async () => {
    await gateway.admin.call('POST', '/api/snippets', { name: 'sum', command: 'echo {word}-$((6 * 7))' });
    const page = await openRail();
    await serverInRail(page, 'web-1').click(more);
    await serverInRail(page, 'web-3').click(range);
    await bar(page).getByRole('button', { name: 'Run a snippet…' }).click();
    await page.getByRole('option', { name: /^sum/ }).click();
    await page.getByLabel('word', { exact: true }).fill('all');
    await page.getByRole('button', { name: 'Continue' }).click();
    const question = page.getByRole('alertdialog', { name: 'Send sum?' });
    await question.getByText('echo all-$((6 * 7))').waitFor();
    const places = question.getByRole('listitem');
    await expect.poll(() => places.allTextContents(), SOON).toEqual(['web-1', 'web-2 Offline', 'web-3']);
    expect(await visits.accessibility()).toEqual([]);
    await question.getByRole('button', { name: 'Open and send' }).click();
    await untilShownIn(page, 'all-42', 3);
    await untilFocused(page.locator('.xterm-helper-textarea:focus'));
  });

  it('show one of their files side by side', async () => {
    const path = join(sshd.folder, 'app.conf');
    await writeFile(path, 'port 80\n');
    const page = await openRail();
    await serverInRail(page, 'web-1').click(more);
    const compare = bar(page).getByRole('button', { name: 'Compare a file…' });
    expect(await compare.getAttribute('title')).toBe('Select exactly two servers with files');
    await serverInRail(page, 'web-2').click(more);
    await compare.click();
    const dialog = page.getByRole('dialog', { name: 'Compare a file' });
    await dialog.getByLabel('Path').fill('etc/hostname');
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a whole path').waitFor();
    await dialog.getByLabel('Path').fill(path);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Comparison: app.conf · web-1 ↔ web-2' }).waitFor();
    await page.getByText('The files are identical.').waitFor();
  });
});

describe('The tabs of the view', () => {
  it('become tiles, and go back to where they were', async () => {
    const page = await openRail();
    for (const name of ['web-1', 'web-2', 'web-3']) {
      await serverInRail(page, name).click();
      await page.getByRole('tab', { name: new RegExp(name) }).waitFor();
    }
    await page.getByRole('tab').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Tile all tabs' }).click();
    await expect.poll(() => shown(page).count(), SOON).toBe(3);
    await untilShownIn(page, '$', 3);
    await page.keyboard.press('Control+Shift+P');
    await untilFocused(page.getByRole('combobox', { name: 'Command palette' }));
    await page.keyboard.type('untile');
    await page.keyboard.press('Enter');
    await expect.poll(() => shown(page).count(), SOON).toBe(1);
    expect(await tabNames(page)).toEqual(['web-1', 'web-2', 'web-3'].map((name) => `Terminal: ${name}`));
  });
});

describe('Several servers under a finger', () => {
  const small = useVisits({ viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true });

  it('are ticked, and opened one behind the other', async () => {
    const page = await small.open(gateway, '#/');
    await page.getByRole('button', { name: 'Show servers' }).tap();
    await serverInRail(page, 'web-1').getByRole('button', { name: 'More about web-1' }).tap();
    await page.getByRole('menuitem', { name: 'Select', exact: true }).tap();
    await serverInRail(page, 'web-2').tap();
    await untilSelected(page, ['web-1', 'web-2']);
    expect(await small.accessibility()).toEqual([]);
    await bar(page).getByRole('button', { name: 'Open terminals' }).tap();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('tab').count(), SOON).toBe(2);
    expect(await shown(page).count()).toBe(1);
  });
});

describe('A file', () => {
  it('is compared with the same file on another server in three clicks, also from the editor', async () => {
    await onHost(sshd, 'echo port 1 > same.conf');
    const page = await visits.open(gateway, '#/');
    const grid = await openFiles(page, 'web-1', sshd.folder);
    await grid.getByText('same.conf', { exact: true }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Compare with the same file on…' }).click();
    expect((await page.getByRole('option').allTextContents()).join()).not.toContain('web-1');
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('option', { name: /web-2/ }).click();
    await page.getByRole('tab', { name: 'Comparison: same.conf · web-1 ↔ web-2' }).waitFor();
    await page.getByText('The files are identical.').waitFor();
    await page.getByRole('tab', { name: 'Files: web-1' }).click();
    await grid.getByRole('button', { name: 'same.conf', exact: true }).click();
    await page.getByRole('tab', { name: 'File: same.conf' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Compare with the same file on…' }).click();
    await page.getByRole('option', { name: /web-3/ }).click();
    await page.getByRole('tab', { name: 'Comparison: same.conf · web-1 ↔ web-3' }).waitFor();
  });

  it('is stepped through by its differences', async () => {
    await onHost(sshd, 'seq 60 > one.txt; sed "s/^3$/three/; s/^40$/forty/" one.txt > two.txt');
    const page = await visits.open(gateway, '#/');
    const grid = await openFiles(page, 'web-1', sshd.folder);
    await grid.getByRole('checkbox', { name: 'Select one.txt' }).click();
    await grid.getByRole('checkbox', { name: 'Select two.txt' }).click();
    await grid.getByText('two.txt', { exact: true }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Compare the two files' }).click();
    await page.getByText('2 differences').waitFor();
    const right = page.locator('.cm-merge-b');
    await untilFocused(right.getByRole('textbox'));
    const line = () => right.locator('.cm-activeLineGutter').first().textContent();
    await page.keyboard.press('F7');
    await expect.poll(line, SOON).toBe('3');
    await page.getByRole('button', { name: 'Next difference' }).click();
    await expect.poll(line, SOON).toBe('40');
    await page.keyboard.press('Shift+F7');
    await expect.poll(line, SOON).toBe('3');
    expect(await visits.accessibility()).toEqual([]);
  });
});
