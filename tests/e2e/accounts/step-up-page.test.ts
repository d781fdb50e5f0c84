import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, untilDescribed, useVisits } from '../../support/browser/pages.ts';
import { makeStale } from '../../support/features/accounts.ts';
import { enrol } from '../../support/features/totp.ts';
import { type Actor, startGateway, type TestGateway, USER_PASSWORD } from '../../support/gateway/gateway.ts';

const PASSPHRASE = 'five quiet boats at dawn';

const visits = useVisits();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

const question = (page: Page) => page.getByRole('dialog', { name: 'Confirm it’s you' });

async function confirm(page: Page, password: string): Promise<void> {
  await question(page).getByLabel('Password', { exact: true }).fill(password);
  await question(page).getByRole('button', { name: 'Confirm' }).click();
}

/** The page of a session that was signed in to long ago. */
async function openStale(user: Actor, hash: string): Promise<Page> {
  const { token } = await makeStale(gateway, user);
  const page = await visits.enter(gateway.url, token);
  await page.getByRole('button', { name: /^Account/ }).waitFor();
  await goTo(page, hash);
  return page;
}

async function createKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Key name').fill('pipeline');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
}

describe('A stale session in the browser', () => {
  it('exports a backup once the password is confirmed', async () => {
    const user = await gateway.user({ username: 'chief', is_admin: true });
    const page = await openStale(user, '#/admin/backup');
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await page.getByLabel('Repeat passphrase').fill(PASSPHRASE);
    await page.keyboard.press('Enter');
    const saving = page.waitForEvent('download');
    await confirm(page, USER_PASSWORD);
    const content = await readFile(await (await saving).path(), 'utf8');
    expect(JSON.parse(content)).toMatchObject({ format: 'sallyport-backup' });
  });

  it('keeps the form when the question is canceled, and creates the API key after a wrong password', async () => {
    const page = await openStale(await gateway.user({ username: 'ann' }), '#/account/api-keys');
    await createKey(page);
    await question(page).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.keyboard.press('Control+k');
    expect(await page.getByRole('combobox', { name: 'Command palette' }).count()).toBe(0);
    await question(page).getByRole('button', { name: 'Cancel' }).click();
    await question(page).waitFor({ state: 'detached' });
    const form = page.getByRole('dialog', { name: 'Create key' });
    expect(await form.getByLabel('Key name').inputValue()).toBe('pipeline');
    expect((await form.getByRole('alert').allInnerTexts()).join('')).toBe('');
    await form.getByRole('button', { name: 'Create key' }).click();
    await confirm(page, 'wrong');
    await untilDescribed(question(page).getByLabel('Password', { exact: true }), 'This password is wrong.');
    await confirm(page, USER_PASSWORD);
    await page.getByRole('textbox', { name: 'Key pipeline' }).waitFor();
  });

  it('takes the password that is typed right after the click on a form in another dialog', async () => {
    const page = await openStale(await gateway.user({ username: 'swift' }), '#/account/api-keys');
    await createKey(page);
    await question(page).waitFor();
    await page.keyboard.type(USER_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Key pipeline' }).waitFor();
  });

  it('also asks for a code when two-factor is on', async () => {
    const user = await gateway.user({ username: 'careful' });
    const factor = await enrol(user);
    const page = await openStale(user, '#/account/api-keys');
    await createKey(page);
    await question(page).getByRole('textbox', { name: 'Code' }).fill('000000');
    await confirm(page, USER_PASSWORD);
    await question(page)
      .getByText('Invalid 2FA code')
      .or(question(page).getByText(/This code is wrong/))
      .waitFor();
    await question(page).getByRole('textbox', { name: 'Code' }).fill(factor.nextCode());
    await confirm(page, USER_PASSWORD);
    await page.getByRole('textbox', { name: 'Key pipeline' }).waitFor();
  });
});
