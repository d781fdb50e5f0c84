import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileRow, openFiles } from '../../support/browser/file-pages.ts';
import { untilFocused, useVisits } from '../../support/browser/pages.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const FILE = { raw: 'evil\u202egpj.exe', shown: 'evil⟨U+202E⟩gpj.exe' };
const SERVER = { raw: 'pay\u00adroll', shown: 'pay⟨U+00AD⟩roll' };

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  await addHost(gateway, { name: SERVER.raw, sshd });
  await writeFile(join(sshd.folder, FILE.raw), 'MZ');
  await symlink(FILE.raw, join(sshd.folder, 'latest'));
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

/** Texts, values and labels of the page in which a hidden character is left. */
function rawTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const labels = ['title', 'aria-label', 'alt', 'label', 'placeholder', 'aria-description'];
    const texts = [...document.querySelectorAll('*')].flatMap((element) => [
      ...[...element.childNodes].map((node) => (node instanceof Text ? node.data : '')),
      ...labels.map((name) => element.getAttribute(name) ?? ''),
      element instanceof HTMLInputElement ? element.value : '',
    ]);
    return [document.title, ...texts].filter((text) => /[\u202e\u00ad]/.test(text));
  });
}

/** What the browser copies when all of this is selected. */
function copied(element: Element): string {
  getSelection()?.selectAllChildren(element);
  const clipboardData = new DataTransfer();
  element.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
  return clipboardData.getData('text/plain');
}

function paste(field: Element, text: string): void {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}

describe('Names that hide or reorder their letters', () => {
  it('are shown with their code points in the list, the deletion dialog and the choice of a server', async () => {
    const page = await visits.open(gateway, '#/');
    const grid = await openFiles(page, SERVER.shown, sshd.folder);
    await fileRow(grid, FILE.shown).locator('.hidden-character', { hasText: 'U+202E' }).waitFor();
    expect(await rawTexts(page)).toEqual([]);

    await fileRow(grid, FILE.shown).locator('.file-modified').click();
    await page.keyboard.press('Delete');
    const deletion = page.getByRole('dialog', { name: /^Delete/ });
    await deletion.getByText(FILE.shown).first().waitFor();
    const title = deletion.getByRole('heading', { name: FILE.shown });
    await title.locator('.hidden-character', { hasText: 'U+202E' }).waitFor();
    expect(await title.evaluate(copied)).toContain(FILE.raw);
    expect(await rawTexts(page)).toEqual([]);
    await deletion.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Copy or move to…' }).click();
    const choice = page.getByRole('combobox', { name: 'Destination server' });
    expect(await choice.inputValue()).toBe(SERVER.shown);
    await choice.click();
    const option = page.getByRole('option', { name: SERVER.shown, exact: true });
    await option.locator('.hidden-character', { hasText: 'U+00AD' }).waitFor();
    expect(await rawTexts(page)).toEqual([]);
  });

  it('are shown with their code points in the questions about a paste, a snippet and an upload', async () => {
    await gateway.admin.call('POST', '/api/snippets', {
      ...{ name: 'clean up', command: `rm ${FILE.raw}`, confirm: true },
    });
    const page = await visits.open(gateway, '#/');
    await openTerminalOn(page, SERVER.shown);
    const terminal = page.locator('.panel:not([hidden]) .xterm-helper-textarea');
    await untilFocused(terminal);
    const question = page.getByRole('alertdialog');
    const chip = question.locator('pre .hidden-character', { hasText: 'U+202E' });
    await terminal.evaluate(paste, `cat ${FILE.raw}\ntrue\n`);
    await chip.waitFor();
    expect(await rawTexts(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('Control+Shift+S');
    await page.getByRole('option', { name: /clean up/ }).click();
    await chip.waitFor();
    expect(await rawTexts(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();

    await openFiles(page, SERVER.shown, sshd.folder);
    await page.evaluate(() => Reflect.deleteProperty(window, 'showOpenFilePicker'));
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('menuitem', { name: 'Upload files…' }).click();
    const file = { name: FILE.raw, mimeType: 'text/plain', buffer: Buffer.from('other') };
    await (await choosing).setFiles(file);
    const conflict = page.getByRole('dialog', { name: FILE.shown });
    await conflict.locator('.dialog-title .hidden-character', { hasText: 'U+202E' }).waitFor();
    expect(await rawTexts(page)).toEqual([]);
    await conflict.getByRole('button', { name: 'Skip' }).click();
  });
});
