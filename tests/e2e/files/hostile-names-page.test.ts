import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileRow, openFiles } from '../../support/browser/file-pages.ts';
import { useVisits } from '../../support/browser/pages.ts';
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
});
