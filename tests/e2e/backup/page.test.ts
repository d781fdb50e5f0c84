import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  intercept,
  keepPictures,
  untilDescribed,
  untilFocused,
  useVisits,
} from '../../support/browser/pages.ts';
import { quickFolder } from '../../support/databases/quick-folder.ts';
import { auditRows } from '../../support/features/audit.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const PASSPHRASE = 'five quiet boats at dawn';

let old: TestGateway;
let fresh: TestGateway;
const folder = quickFolder('sallyport-backup-');
/** The old gateway's backup, as the browser saved it. */
const path = join(folder, 'backup.json');
const visits = useVisits();

beforeAll(async () => {
  old = await startGateway();
  fresh = await startGateway();
  await old.addServer({ name: 'harbor', password: 'of harbor' });
  await old.addServer({ name: 'lighthouse', password: 'of lighthouse' });
  await old.user({ username: 'ada', allowed_groups: ['lab'] });
  await fresh.addServer({ name: 'buoy' });
});
afterAll(async () => {
  await old?.close();
  await fresh?.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(gateway: TestGateway): Promise<Page> {
  const page = await visits.open(gateway, '#/admin/backup');
  await page.getByRole('heading', { name: 'Backup', exact: true }).waitFor();
  return page;
}

const exporting = (page: Page) => page.getByRole('form', { name: 'Export' });
const restoring = (page: Page) => page.getByRole('region', { name: 'Restore', exact: true });

async function choose(page: Page, content: string): Promise<void> {
  const file = { name: 'backup.json', mimeType: 'application/json', buffer: Buffer.from(content) };
  await page.locator('input[type="file"]').setInputFiles(file);
}

async function look(page: Page, passphrase: string): Promise<Locator> {
  await page.getByLabel('Backup passphrase').fill(passphrase);
  await page.getByRole('button', { name: 'Preview changes' }).click();
  return restoring(page).getByRole('table');
}

/** The rows of a report, including the header. */
async function rowsOf(table: Locator): Promise<string[]> {
  const rows = await table.getByRole('row').all();
  return Promise.all(rows.map(async (row) => (await row.locator('th, td').allTextContents()).join(' ')));
}

async function namesOn(gateway: TestGateway): Promise<string[]> {
  const { body } = await gateway.admin.call<{ name: string }[]>('GET', '/api/servers');
  return body.map(({ name }) => name).sort();
}

const storedIn = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));

describe('An export', () => {
  it('requires a long enough passphrase, typed twice', async () => {
    const page = await open(old);
    const [first, again] = [
      exporting(page).getByLabel('Passphrase', { exact: true }),
      page.getByLabel('Repeat passphrase'),
    ];
    await first.fill('too short');
    await exporting(page).getByRole('button', { name: 'Export and download' }).click();
    await untilDescribed(first, 'Use at least 12 characters');
    await first.fill(PASSPHRASE);
    await untilDescribed(first, 'Long enough to resist guessing');
    await again.fill(PASSPHRASE.toUpperCase());
    await untilDescribed(again, 'The passphrases do not match');
    expect(await visits.accessibility()).toEqual([]);
  });

  it('is downloaded encrypted with the passphrase, which is stored nowhere', async () => {
    const page = await open(old);
    await exporting(page).getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await page.getByLabel('Repeat passphrase').fill(PASSPHRASE);
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(download.suggestedFilename()).toMatch(/^sallyport-backup-\d{4}-\d\d-\d\d\.json$/);
    await download.saveAs(path);
    const content = await readFile(path, 'utf8');
    expect(JSON.parse(content)).toMatchObject({ format: 'sallyport-backup', counts: { servers: 2 } });
    expect(content).not.toContain('of harbor');
    await exporting(page).getByText('The passphrase was not stored').waitFor();
    expect(await exporting(page).getByLabel('Passphrase', { exact: true }).inputValue()).toBe('');
    expect(await storedIn(page)).not.toContain(PASSPHRASE);
  });
});

const NEXT = {
  backup_unreadable: 'Download the backup again, or choose another file.',
  backup_too_large: '',
  backup_overtaken: 'Preview the changes again, then restore.',
  backup_busy: 'Wait until it has finished, then try again.',
};

describe('A restore', () => {
  it('summarizes the file before uploading it, and rejects a file that is not a backup', async () => {
    const page = await open(fresh);
    await choose(page, '{"servers": []}');
    await restoring(page).getByText('This file is not a gateway backup.').waitFor();
    await choose(page, await readFile(path, 'utf8'));
    await restoring(page).getByText('Servers 2').waitFor();
    await restoring(page).getByText('Users 2').waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });

  it('reports a wrong passphrase at its field', async () => {
    const page = await open(fresh);
    await choose(page, await readFile(path, 'utf8'));
    await look(page, 'not the passphrase');
    await untilDescribed(page.getByLabel('Backup passphrase'), 'The passphrase is wrong');
    expect(await visits.accessibility()).toEqual([]);
  });

  it('explains that a newer backup needs a newer gateway', async () => {
    const page = await open(fresh);
    await choose(page, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), version: 1000 }));
    await look(page, PASSPHRASE);
    await restoring(page).getByText('Update this gateway first.').waitFor();
  });

  it('shows why it was refused, and what to do next', async () => {
    const page = await open(fresh);
    await choose(page, await readFile(path, 'utf8'));
    for (const [code, next] of Object.entries(NEXT)) {
      await intercept(page, '**/api/backup/restore', (route) =>
        route.fulfill({ status: 409, json: { code, detail: `Refused: ${code}` } }),
      );
      await look(page, PASSPHRASE);
      await restoring(page).getByRole('alert').getByText(`Refused: ${code}`).waitFor();
      if (next) await restoring(page).getByText(next).waitFor();
    }
  });

  it('previews the changes, then reports what was restored', async () => {
    const page = await open(fresh);
    await choose(page, await readFile(path, 'utf8'));
    const table = await look(page, PASSPHRASE);
    await untilFocused(page.getByRole('heading', { name: 'What will change' }));
    expect(await rowsOf(table)).toContain('Servers 2 0');
    expect(await visits.accessibility()).toEqual([]);
    expect(await namesOn(fresh)).toEqual(['buoy']);
    await keepPictures(page, 'backup');
    await page.getByRole('button', { name: 'Restore now' }).click();
    await untilFocused(page.getByRole('heading', { name: 'Restored', exact: true }));
    expect(await rowsOf(table)).toContain('Servers 2 0');
    expect(await namesOn(fresh)).toEqual(['buoy', 'harbor', 'lighthouse']);
    expect(await storedIn(page)).not.toContain(PASSPHRASE);
  });

  it('drops the preview when the mode changes', async () => {
    const page = await open(fresh);
    await choose(page, await readFile(path, 'utf8'));
    await look(page, PASSPHRASE);
    await page.getByRole('heading', { name: 'Nothing will change' }).waitFor();
    await page.getByLabel('Replace').check();
    await page.getByRole('heading', { name: 'Nothing will change' }).waitFor({ state: 'detached' });
  });

  it('replaces everything after the word is typed', async () => {
    const page = await open(fresh);
    await page.setViewportSize({ width: 360, height: 740 });
    await choose(page, await readFile(path, 'utf8'));
    await page.getByLabel('Replace').check();
    await look(page, PASSPHRASE);
    await page.getByRole('button', { name: 'Replace everything…' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Replace everything on this gateway?' });
    expect(await dialog.getByRole('button', { name: 'Replace' }).isDisabled()).toBe(true);
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByLabel('Type “replace” to continue').fill('replace');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Restored', exact: true }).waitFor();
    expect(await namesOn(fresh)).toEqual(['harbor', 'lighthouse']);
    const rows = await auditRows(fresh.store);
    const restores = rows.filter(({ action }) => action === 'backup_restore').map(({ detail }) => detail);
    expect(restores.filter((detail) => /^(merge|replace): /.test(detail))).toHaveLength(2);
  });
});
