import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fileRow, listIn, onHost, openFiles, untilListed } from '../../support/browser/file-pages.ts';
import { choose, untilFocused, useVisits } from '../../support/browser/pages.ts';
import { addHost } from '../../support/features/chain.ts';
import { zipOf } from '../../support/features/zip-files.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SOON = { timeout: 60_000 };
const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;

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
  await onHost(sshd, 'rm -rf ./*');
  const members = [
    { name: 'docs/', content: '' },
    { name: 'docs/guide.txt', content: 'how it works' },
    { name: 'docs/link', content: '/etc/passwd', mode: 0o120777 },
    { name: 'read me.txt', content: 'at the top' },
  ];
  await writeFile(join(sshd.folder, 'site.zip'), zipOf(members));
});

async function open(): Promise<{ page: Page; grid: Locator }> {
  const page = await visits.open(gateway, '#/');
  return { page, grid: await openFiles(page, 'harbor', sshd.folder) };
}

async function chooseFor(page: Page, grid: Locator, item: string): Promise<void> {
  await fileRow(grid, 'site.zip').click({ button: 'right' });
  await page.getByRole('menuitem', { name: item }).click();
}

const tray = (page: Page) => page.getByRole('region', { name: 'Transfers' });
const read = (path: string) => onHost(sshd, `cat '${path}'`);

describe('A ZIP archive', () => {
  it('opens as directories, with the keyboard alone, and shows a text in it', async () => {
    const { page, grid } = await open();
    await grid.press('Enter');
    const archive = page.getByRole('region', { name: 'Archive site.zip' });
    await archive.getByRole('button', { name: 'docs', exact: true }).focus();
    await page.keyboard.press('Enter');
    const link = archive.getByRole('button', { name: 'link' });
    expect(await link.getAttribute('aria-disabled')).toBe('true');
    await archive.getByRole('button', { name: 'guide.txt' }).focus();
    await page.keyboard.press('Enter');
    await archive.getByText('how it works').waitFor();
    await page.keyboard.press('Escape');
    await archive.getByRole('button', { name: 'site.zip' }).click();
    await archive.getByRole('button', { name: 'read me.txt' }).waitFor();
  });

  it('is extracted beside itself, asks before it replaces, and lists what it left out', async () => {
    await onHost(sshd, 'echo mine > "read me.txt"');
    const { page, grid } = await open();
    await chooseFor(page, grid, 'Extract here');
    const question = page.getByRole('dialog', { name: 'Replace existing files?' });
    await question.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await tray(page).waitFor({ state: 'detached' });
    expect(await onHost(sshd, 'ls')).toBe('read me.txt\nsite.zip\n');
    await chooseFor(page, grid, 'Extract here');
    await question.getByText('Your answer applies to all of them.').waitFor();
    expect(await question.getByRole('checkbox').count()).toBe(0);
    await question.getByRole('button', { name: 'Keep both' }).click();
    await tray(page).getByText('Done · 2 files · 22 B · 1 skipped').waitFor();
    await tray(page).getByText('Details').click();
    await tray(page).getByText('docs/link').waitFor();
    await untilListed(await listIn(page, sshd.folder), [
      'docs',
      'read me (2).txt',
      'read me.txt',
      'site.zip',
    ]);
    expect(await read('read me.txt')).toBe('mine\n');
    expect(await read('docs/guide.txt')).toBe('how it works');
  });

  it('gives only the selected members, with their folders, to a folder of choice', async () => {
    const { page, grid } = await open();
    await grid.press('Enter');
    const members = page.getByRole('grid', { name: 'Archive site.zip' });
    await untilFocused(members);
    await page.keyboard.press('Space'); // docs
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+Space'); // read me.txt
    await page.getByText('2 selected', { exact: true }).waitFor();
    await members.getByRole('checkbox', { name: 'Select read me.txt' }).click();
    await page.getByText('1 selected', { exact: true }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Extract selected to folder…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Extract 1 selected from site.zip' });
    await dialog.getByRole('button', { name: 'Extract' }).click();
    await tray(page).getByText('Done · 1 file · 12 B · 1 skipped').waitFor();
    expect(await onHost(sshd, 'find site -type f')).toBe('site/docs/guide.txt\n');
  });

  it('is extracted to a folder of its own name, from its view', async () => {
    const { page, grid } = await open();
    await grid.press('Enter');
    await page.getByText('3 files', { exact: true }).waitFor();
    await page.getByText('Extract to folder…', { exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Extract' }).click();
    await tray(page).getByText(/^Done/).waitFor();
    await expect.poll(() => read('site/docs/guide.txt'), SOON).toBe('how it works');
  });

  it('shows and extracts its names in the encoding that is chosen', async () => {
    const name = Buffer.from([0x83, 0x65, 0x2e, 0x74, 0x78, 0x74]); // テ.txt in Shift_JIS, ƒe.txt in windows-1252
    await writeFile(join(sshd.folder, 'site.zip'), zipOf([{ name, content: 'found', made_by: 0 }]));
    const { page, grid } = await open();
    await grid.press('Enter');
    const archive = page.getByRole('region', { name: 'Archive site.zip' });
    await choose(archive, 'Encoding of names', 'windows-1252 (Western)');
    await archive.getByRole('button', { name: 'ƒe.txt' }).waitFor();
    await choose(archive, 'Encoding of names', 'Shift_JIS (Japanese)');
    await archive.getByRole('button', { name: 'テ.txt' }).click();
    await archive.getByText('found').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Extract to folder…', { exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Such as: テ.txt').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Extract' }).click();
    await expect.poll(() => read('site/テ.txt'), SOON).toBe('found');
  });
});
