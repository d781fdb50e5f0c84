import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, keepPictures, untilFocused, useVisits, type Visits } from '../../support/browser/pages.ts';
import { ask, queryBar, spaceAbove } from '../../support/browser/query-bar.ts';
import { openTerminalOn, serverInRail } from '../../support/browser/rail.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { codeAt } from '../../support/features/totp.ts';
import { logIn, startGateway, type TestGateway, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  const { port, username, password } = sshd;
  await gateway.user({ username: 'chief', is_admin: true });
  await gateway.addServer({ name: 'harbor', group: 'production', port, username, password });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

const open = () => visits.enter(gateway.url);

async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function openAsAdmin(hash: string, from: Pick<Visits, 'enter'> = visits): Promise<Page> {
  const { token } = await gateway.signIn('chief', USER_PASSWORD);
  const page = await from.enter(gateway.url, token);
  await page.getByRole('button', { name: /^Account/ }).waitFor();
  await goTo(page, hash);
  return page;
}

async function enterCode(page: Page, code: string, button: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Code' }).fill(code);
  await page.getByRole('button', { name: button }).click();
}

function focusIsIn(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((place) => document.activeElement?.closest(place) !== null, selector);
}

describe('Two-factor in the browser', () => {
  it('is set up with a code, required at sign-in, and can be passed with a recovery code', async () => {
    await gateway.user({ username: 'careful' });
    const page = await open();
    await signIn(page, 'careful', USER_PASSWORD);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Account', exact: true }).click();
    await page.getByRole('link', { name: 'Two-factor' }).click();
    await page.getByRole('button', { name: 'Set up two-factor authentication' }).click();
    await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    await enterCode(page, '000000', 'Confirm code');
    await page.getByText('Invalid 2FA code').waitFor();
    await enterCode(page, codeAt(secret), 'Confirm code');
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
    const codes = await page
      .getByRole('list', { name: 'Recovery codes' })
      .getByRole('listitem')
      .allInnerTexts();
    expect(codes).toHaveLength(10);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download codes' }).click();
    expect(await readFile(await (await saving).path(), 'utf8')).toContain(codes[9]);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('Have you saved your recovery codes?').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('I have saved them').click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('10 recovery codes left.').waitFor();
    expect(await visits.accessibility()).toEqual([]);

    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signIn(page, 'careful', USER_PASSWORD);
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('eyJ');
    await page.getByRole('textbox', { name: 'Code' }).waitFor();
    await keepPictures(page, 'second-factor');
    await enterCode(page, '000000', 'Sign in');
    await page.getByText(/This code is wrong/).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    expect(await page.getByText(/This code is wrong/).count()).toBe(0);
    expect(await page.getByLabel('Recovery code').inputValue()).toBe('');
    await enterCode(page, 'not-a-code', 'Sign in');
    await page.getByText(/This recovery code is wrong/).waitFor();
    await enterCode(page, codes[0] ?? '', 'Sign in');
    await page.getByRole('button', { name: /^Account/ }).waitFor();
  });
});

describe('API keys in the browser', () => {
  it('are shown once, work, and stop working when revoked', async () => {
    const page = await openAsAdmin('#/account/api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Key name').fill('pipeline');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByRole('textbox', { name: 'Key pipeline' }).inputValue();
    const list = () => gateway.actor(key).call('GET', '/api/servers');
    expect((await list()).status).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke key pipeline' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(async () => (await list()).body['code']).toBe('invalid_api_key');
  });
});

describe('Sessions in the browser', () => {
  it('are listed and can all be ended except this one', async () => {
    const { body } = await logIn(gateway.anonymous, 'chief', USER_PASSWORD);
    const elsewhere = gateway.actor(body.access_token);
    const page = await openAsAdmin('#/account/sessions');
    await page.getByText('This session').waitFor();
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByText(/^[1-9]\d* sessions? will end/).waitFor();
    await page.getByRole('alertdialog').getByRole('button').last().click();
    await expect.poll(async () => (await elsewhere.call('GET', '/api/auth/me')).status).toBe(401);
    await page.getByText('This session').waitFor();
  });
});

describe('Administration in the browser', () => {
  it('creates a user who sees only servers of their group and must change the password', async () => {
    const page = await openAsAdmin('#/admin/users');
    await page.getByRole('button', { name: 'Create user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').fill('berta');
    await dialog.getByRole('button', { name: 'Generate password' }).click();
    const password = await dialog.getByLabel('Initial password').inputValue();
    const groups = dialog.getByRole('combobox', { name: 'Groups' });
    await groups.fill('prodcution');
    await page.keyboard.press('Enter');
    await dialog.getByText('No server is in “prodcution”.').waitFor();
    await dialog.getByRole('button', { name: 'Did you mean “production”?' }).click();
    await dialog.getByRole('button', { name: 'Remove production' }).waitFor();
    expect(await dialog.getByText('No server is in').count()).toBe(0);
    await groups.focus();
    await expect.poll(() => dialog.getByRole('listbox').count()).toBe(0); // it would cover the buttons
    await groups.press('ArrowDown');
    await dialog.getByRole('option', { name: 'production' }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Remove production' }).waitFor({ state: 'detached' });
    await groups.fill('prod');
    await dialog.getByRole('option', { name: 'production' }).click();
    await dialog.getByRole('button', { name: 'Remove production' }).waitFor();
    await expect.poll(() => dialog.getByRole('listbox').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await page.getByRole('row', { name: /berta/ }).getByText('production').waitFor();
    expect(await page.getByRole('textbox', { name: 'Password' }).inputValue()).toBe(password);
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Dismiss' }).click();

    const created = gateway.actor((await logIn(gateway.anonymous, 'berta', password)).body.access_token);
    const changed = { new_password: 'an own password' };
    expect((await created.call('GET', '/api/servers')).body['code']).toBe('password_change_required');
    await created.call('POST', '/api/auth/change-password', changed);
    expect((await created.call<object[]>('GET', '/api/servers')).body).toMatchObject([{ name: 'harbor' }]);
  });

  it('sorts users, disables the selected ones at once, and hides a column', async () => {
    for (const username of ['many-1', 'many-2', 'many-10']) await gateway.user({ username });
    const page = await openAsAdmin('#/admin/users');
    await page.getByRole('row', { name: /many-10/ }).waitFor();
    const names = async () =>
      (await page.getByRole('rowheader').allTextContents()).filter((name) => name.startsWith('many-'));
    const sort = page.getByRole('columnheader', { name: 'Username' }).getByRole('button');
    await sort.click();
    await sort.click();
    await expect.poll(names).toEqual(['many-10', 'many-2', 'many-1']);
    for (const name of ['many-10', 'many-2'])
      await page
        .getByRole('row', { name: new RegExp(name) })
        .getByRole('checkbox')
        .check();
    const bar = page.getByRole('region', { name: 'Actions on the selection' });
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Disable…' }).click();
    const question = page.getByRole('dialog', { name: 'Disable 2 users?' });
    await question.getByRole('button', { name: 'Disable', exact: true }).click();
    await question.getByText('Done: 2 of 2.').waitFor();
    await question.getByRole('button', { name: 'Close' }).last().click();
    const { body } = await gateway.admin.call<{ username: string; disabled: boolean }[]>(
      'GET',
      '/api/auth/users',
    );
    const disabled = body.filter((user) => user.disabled).map(({ username }) => username);
    expect(disabled.filter((name) => name.startsWith('many-')).sort()).toEqual(['many-10', 'many-2']);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Groups' }).click();
    await page.getByRole('columnheader', { name: 'Groups' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('columnheader', { name: 'Username' }).count()).toBe(1);
  });

  it('lists when each user last signed in, the second factor and the source', async () => {
    const careful = await gateway.user({ username: 'twofold' });
    const { body } = await careful.call<{ secret: string }>('POST', '/api/auth/totp/setup');
    await careful.call('POST', '/api/auth/totp/verify', { code: codeAt(body.secret) });
    await gateway.admin.call('POST', '/api/auth/users', { username: 'newcomer', password: USER_PASSWORD });
    const page = await openAsAdmin('#/admin/users');
    const cells = async (name: RegExp) =>
      await page.getByRole('row', { name }).getByRole('cell').allInnerTexts();
    await page.getByRole('row', { name: /newcomer/ }).waitFor();
    expect(await cells(/newcomer/)).toEqual(expect.arrayContaining(['Never', 'Off', 'Local']));
    expect(await cells(/twofold/)).toEqual(expect.arrayContaining(['On', 'Local']));
    expect(await cells(/twofold/)).not.toContain('Never');
  });

  it('resets a password, shows the new one once, and clears the form with the focus in place', async () => {
    await gateway.user({ username: 'forgetful' });
    const page = await openAsAdmin('#/admin/users');
    await page.getByRole('button', { name: 'Manage forgetful' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('list', { name: 'Sessions' }).waitFor();
    await dialog.getByRole('button', { name: 'Reset password' }).click();
    expect(await dialog.getByRole('button', { name: 'Copy password' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Generate password' }).click();
    const password = await dialog.getByLabel('New password', { exact: true }).inputValue();
    await dialog.getByRole('button', { name: 'Reset password' }).press('Enter');
    await dialog.getByText('forgetful has a new password.').waitFor();
    await dialog.getByText('No active sessions.').waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Password' }).inputValue()).toBe(password);
    expect(await focusIsIn(page, '[role="dialog"]')).toBe(true);
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Dismiss' }).press('Enter');
    expect(await focusIsIn(page, '[role="dialog"]')).toBe(true);

    await dialog.getByRole('switch', { name: 'Administrator' }).press('Space');
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await dialog.getByText('Saved.').waitFor();
    expect(await focusIsIn(page, '[role="dialog"]')).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const { body } = await gateway.admin.call<{ username: string }[]>('GET', '/api/auth/users');
    const saved = body.find(({ username }) => username === 'forgetful');
    expect(saved).toMatchObject({ is_admin: true, must_change_password: true });
  });

  it('unlocks a locked-out user, and deletes a user after typing the name and Enter', async () => {
    await gateway.user({ username: 'clumsy' });
    for (let attempt = 0; attempt < 10; attempt += 1) await logIn(gateway.anonymous, 'clumsy', 'wrong');
    const page = await openAsAdmin('#/admin/users');
    await page
      .getByRole('row', { name: /clumsy/ })
      .getByText('locked')
      .waitFor();
    await page.getByRole('button', { name: 'Manage clumsy' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Locked until/).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Unlock' }).press('Enter');
    await dialog.getByText(/^Locked until/).waitFor({ state: 'detached' });
    expect(await focusIsIn(page, '[role="dialog"]')).toBe(true);
    expect((await logIn(gateway.anonymous, 'clumsy', USER_PASSWORD)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Delete user' }).click();
    await page.getByLabel('Type clumsy to confirm').fill('clumsy');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /clumsy/ }).waitFor({ state: 'detached' });
  });

  it('keeps the other columns visible next to a very long name', async () => {
    const username = 'n'.repeat(150);
    await gateway.user({ username });
    const page = await openAsAdmin('#/admin/users');
    for (const [hash, row] of [
      ['#/admin/users', page.getByRole('button', { name: `Manage ${username}` })],
      ['#/admin/audit', page.getByRole('cell', { name: 'chief', exact: true }).first()],
    ] as const) {
      await goTo(page, hash);
      await row.waitFor();
      const hidden = await page
        .locator('.table-place')
        .evaluate((place) => place.scrollWidth - place.clientWidth);
      expect({ hash, hidden }).toEqual({ hash, hidden: 0 });
    }
  });

  it('closes for a user who is no longer an administrator', async () => {
    const chief = await gateway.user({ username: 'former', is_admin: true });
    const { body: me } = await chief.call<{ id: number }>('GET', '/api/auth/me');
    const page = await open();
    await signIn(page, 'former', USER_PASSWORD);
    await serverInRail(page, 'harbor').waitFor();
    await goTo(page, '#/admin/users');
    await page.getByRole('button', { name: 'Manage former' }).waitFor();
    await gateway.admin.call('PATCH', `/api/auth/users/${me.id}`, { is_admin: false });
    await page.getByRole('button', { name: 'Manage former' }).waitFor({ state: 'detached' });
    await page.getByText('You do not have access to any servers yet').first().waitFor();
    await gateway.admin.call('DELETE', `/api/auth/users/${me.id}/sessions`);
    await page.evaluate(() => dispatchEvent(new Event('focus'))); // as when the user returns to the window
    await page.getByText('Your session has ended').waitFor();
  });

  it('ends the shell of a user who loses the group', async () => {
    const victim = await gateway.user({ username: 'victim', allowed_groups: ['production'] });
    const { body: me } = await victim.call<{ id: number }>('GET', '/api/auth/me');
    const page = await open();
    await signIn(page, 'victim', USER_PASSWORD);
    await openTerminalOn(page, 'harbor');
    await page.getByText('Connected').waitFor();
    await gateway.admin.call('PUT', `/api/auth/users/${me.id}/groups`, { allowed_groups: [] });
    await page.getByText('This terminal was ended').waitFor();
  });

  it('lists audit entries, searches, exports and verifies them', async () => {
    await logIn(gateway.anonymous, 'mallory', 'wrong');
    const page = await openAsAdmin('#/admin/audit');
    const table = page.getByRole('table', { name: 'Audit log' });
    await queryBar(page).fill('MALLORY');
    await expect.poll(() => table.getByRole('row').count()).toBe(2);
    await table.getByText('Sign-in failed').waitFor();
    await page.reload();
    await expect.poll(() => queryBar(page).inputValue()).toBe('MALLORY');
    const tool = async (name: string) => {
      await page.getByRole('button', { name: 'More actions for the audit log' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const saving = page.waitForEvent('download');
    await tool('Export CSV');
    const csv = await readFile(await (await saving).path(), 'utf8');
    expect(csv.split('\r\n')[1]).toMatch(/,mallory,login_failed,unknown name,/);
    await tool('Verify audit log');
    await page.getByText(/Audit log verified/).waitFor();
    await page.getByText(/^Verified up to entry/).waitFor();
    await tool('Verify new entries');
    await page.getByText(/^[\d,]+ audit entr(y|ies) verified\. Not read again: /).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await untilFocused(queryBar(page));
    await expect.poll(() => table.getByRole('row').count()).toBeGreaterThan(3);
    await keepPictures(page, 'audit');
  });

  it('asks the audit log by tokens, which the address and the back button keep', async () => {
    await logIn(gateway.anonymous, 'trudy', 'wrong');
    const page = await openAsAdmin('#/admin/audit');
    const table = page.getByRole('table', { name: 'Audit log' });
    const chip = (name: string) => page.getByRole('button', { name: `Edit ${name}`, exact: true });
    await queryBar(page).fill('sign-in fail');
    await page.getByRole('option', { name: /Sign-in failed/ }).waitFor();
    await queryBar(page).fill('action:fail');
    await page.getByRole('option', { name: /Sign-in failed/ }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await queryBar(page).press('Enter');
    await chip('action: Sign-in failed').waitFor();
    await queryBar(page).pressSequentially('user:trudy ');
    await chip('user: trudy').waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBe(2);
    expect(new URL(page.url()).hash).toMatch(/[?&]q=action/);
    await page.goBack();
    await chip('user: trudy').waitFor({ state: 'detached' });
    await page.goForward();
    await chip('user: trudy').waitFor();

    await queryBar(page).press('Backspace');
    await chip('user: trudy').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove action: Sign-in failed' }).click();
    await ask(page, 'nobody:x since:soon');
    await page.getByText('“nobody:x” is not applied').waitFor();
    await page.getByText('“since:soon” is not applied').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await ask(page, 'via:api');
    await page.getByText('No matching entries').waitFor();
    await chip('via: API').click();
    expect(await queryBar(page).inputValue()).toBe('via:api');
    await ask(page, 'via:page since:today');
    await table.getByRole('cell', { name: 'Page', exact: true }).first().waitFor();

    await queryBar(page).fill('until:');
    await page.getByRole('option', { name: 'Choose a day…' }).click();
    await page.getByLabel('Choose a day…').fill('9998-11-20');
    await chip('until: 9998-11-20').waitFor();
    await untilFocused(queryBar(page));
    await queryBar(page).press('Backspace');
    await page.getByRole('button', { name: 'Saved searches' }).click();
    await page.getByRole('menuitem', { name: 'Save this search…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Today at the page');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Saved searches' }).click();
    await page.getByRole('menuitem', { name: 'Today at the page' }).click();
    await chip('since: Today').waitFor();
    await page.getByRole('button', { name: 'Saved searches' }).click();
    await page.getByRole('menuitem', { name: 'Remove “Today at the page”' }).click();
    await page.getByRole('button', { name: 'Saved searches' }).click();
    await page.getByText('No saved searches yet').waitFor();
  });

  it('shows files that were uploaded in one go as one row of the audit log', async () => {
    const instance = await auditInstance(gateway.store);
    for (let file = 0; file < 20; file += 1)
      await instance.append(
        auditRecord({ username: 'ana', action: 'sftp_upload', detail: `box (#7): /srv/www/${file}.html` }),
      );
    const page = await openAsAdmin('#/admin/audit?q=user:ana');
    const table = page.getByRole('table', { name: 'Audit log' });
    const group = table.getByRole('button', { name: '20 files uploaded' });
    await group.waitFor();
    await table.getByRole('cell', { name: 'box (#7): /srv/www', exact: true }).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    await group.click();
    await expect.poll(() => table.getByRole('row').count()).toBe(22);
    await table.getByRole('rowheader').first().getByRole('button').click();
    const details = page.getByRole('complementary', { name: /^Details of / });
    await details.getByText('box (#7): /srv/www', { exact: true }).waitFor();
    for (const name of ['Detail', 'Address', 'Via'])
      await table.getByRole('columnheader', { name, exact: true }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });

  it.each([1280, 390])('begins its lists right below their titles, %i pixels wide', async (width) => {
    const page = await openAsAdmin('#/admin/users');
    await page.setViewportSize({ width, height: 800 });
    await expectListsBelowTitles(page);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('asks the list of users for states and groups, and leaves some out', async () => {
    await gateway.user({ username: 'ursula', allowed_groups: ['lab'] });
    const ulrich = await gateway.user({ username: 'ulrich', allowed_groups: ['lab'] });
    const { body: me } = await ulrich.call<{ id: number }>('GET', '/api/auth/me');
    await gateway.admin.call('PATCH', `/api/auth/users/${me.id}`, { disabled: true });
    const page = await openAsAdmin('#/admin/users');
    const names = () => page.getByRole('rowheader').allTextContents();
    await queryBar(page).fill('group:la');
    await page.getByRole('option', { name: /lab/ }).click();
    await expect.poll(names).toEqual(['ulrich', 'ursula']);
    await ask(page, '-is:disabled');
    await expect.poll(names).toEqual(['ursula']);
    await page.getByRole('button', { name: 'Edit -is: Disabled' }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.goBack();
    await expect.poll(names).toEqual(['ulrich', 'ursula']);
  });

  it('is hidden from users who are not administrators', async () => {
    await gateway.user({ username: 'plain' });
    const page = await open();
    await signIn(page, 'plain', USER_PASSWORD);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Account', exact: true }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Administration' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
  });
});

describe('The account menu', () => {
  it('says who is signed in, and has theme and language in a row that the arrow keys move in', async () => {
    const page = await openAsAdmin('#/');
    await page.getByRole('button', { name: /^Account/ }).focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('menu');
    await menu.getByText('chief').waitFor();
    await menu.getByText('Administrator').waitFor();
    const items = ['Account', 'Administration', 'Help', 'About Sallyport', 'Sign out'];
    expect(await menu.getByRole('menuitem').allTextContents()).toEqual(items);
    expect(await visits.accessibility()).toEqual([]);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    const dark = menu.getByRole('menuitemradio', { name: 'Dark' });
    await untilFocused(dark);
    await page.keyboard.press('Enter');
    await expect.poll(() => dark.getAttribute('aria-checked')).toBe('true');
  });

  it('is not needed to find Administration', async () => {
    const page = await openAsAdmin('#/');
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.getByRole('navigation', { name: 'Administration' }).waitFor();
  });
});

async function expectListsBelowTitles(page: Page): Promise<void> {
  for (const [section, title] of [
    ['users', 'Users'],
    ['servers', 'Servers'],
    ['terminals', 'Open terminals'],
    ['recordings', 'Recordings'],
    ['audit', 'Audit log'],
  ] as const) {
    await goTo(page, `#/admin/${section}`);
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    const first = page.locator('.screen-body').locator('.table, .empty').first();
    await first.waitFor();
    const space = await spaceAbove(page, title, first);
    expect([section, space, space <= 52]).toEqual([section, space, true]);
  }
}

describe('Accounts on a phone', () => {
  const small = useVisits({ viewport: { width: 360, height: 740 }, colorScheme: 'dark', hasTouch: true });

  it('begin lists right below their titles', async () => {
    await expectListsBelowTitles(await openAsAdmin('#/admin/users', small));
  });

  it('fit the screen in the dark theme without serious axe findings', async () => {
    const page = await openAsAdmin('#/admin/users', small);
    for (const hash of [
      ...['#/admin/users', '#/admin/audit', '#/account/two-factor', '#/account/api-keys'],
      ...['#/account/password', '#/account/host-keys'],
    ]) {
      await goTo(page, hash);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      expect({ hash, found: await small.accessibility() }).toEqual({ hash, found: [] });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect({ hash, overflow: Math.max(0, overflow) }).toEqual({ hash, overflow: 0 });
    }
  });
});

describe('The colors of the system', () => {
  const SCREENS = [
    ...['#/admin/overview', '#/admin/servers', '#/admin/users', '#/admin/terminals', '#/admin/audit'],
    ...['#/admin/webhooks', '#/admin/settings', '#/admin/branding', '#/admin/backup', '#/admin/agent'],
    ...['#/admin/embedding', '#/account/recordings', '#/account/preferences', '#/account/sessions', '#/'],
  ];

  it('keep every screen readable', async () => {
    const page = await openAsAdmin('#/account/snippets');
    for (const hash of SCREENS) {
      await goTo(page, hash);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      expect({ hash, found: await visits.forcedColors() }).toEqual({ hash, found: [] });
    }
  });

  it('tell apart what is pressed, switched on, selected or in a state', async () => {
    const page = await openAsAdmin('#/admin/overview');
    await page.emulateMedia({ forcedColors: 'active' });
    const background = (place: Locator) =>
      place.evaluate((element) => getComputedStyle(element).backgroundColor);
    const day = page.getByRole('button', { name: '24 hours' });
    await day.waitFor();
    const chosen = await background(day);
    expect(chosen).not.toBe(await background(page.getByRole('button', { name: '7 days' })));
    const here = page.getByRole('link', { name: 'Overview', exact: true });
    expect(await background(here)).toBe(chosen);
    // Otherwise the text has a backplate of its own color.
    const adjust = (element: Element) => getComputedStyle(element).getPropertyValue('forced-color-adjust');
    expect([await here.evaluate(adjust), await day.evaluate(adjust)]).toEqual(['none', 'none']);
    await goTo(page, '#/account/preferences');
    const tracks = page.locator('.switch-control');
    await tracks.first().waitFor();
    expect(
      new Set(await tracks.evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor)))
        .size,
    ).toBe(2);
    await goTo(page, '#/');
    await openTerminalOn(page, 'harbor');
    await page.getByText('Connected', { exact: true }).waitFor();
    const dot = page.locator('.status-state .dot');
    expect(await background(dot)).not.toBe(await background(page.locator('body')));
  });
});

describe('The navigation of a screen', () => {
  const small = useVisits({ viewport: { width: 360, height: 740 }, hasTouch: true });

  it('takes the rail’s place, says where one is, and leads back to the workspace', async () => {
    const page = await openAsAdmin('#/');
    await page.getByRole('link', { name: 'Snippets' }).click();
    const account = page.getByRole('navigation', { name: 'Account' });
    expect(await account.getByRole('link', { name: 'Snippets' }).getAttribute('aria-current')).toBe('page');
    expect(await page.getByRole('complementary', { name: 'Servers' }).count()).toBe(0);
    await account.getByRole('link', { name: 'Administration' }).click();
    const admin = page.getByRole('navigation', { name: 'Administration' });
    const groups = await admin
      .getByRole('list')
      .evaluateAll((lists) =>
        lists.map((list) => document.getElementById(list.getAttribute('aria-labelledby') ?? '')?.textContent),
      );
    expect(groups).toEqual(['Fleet', 'People', 'System']);
    await admin.getByRole('button', { name: 'Back to workspace' }).click();
    await page.getByRole('complementary', { name: 'Servers' }).waitFor();
  });

  it('is a sheet on a phone', async () => {
    const page = await openAsAdmin('#/admin/users', small);
    await page.getByRole('button', { name: 'Administration · Users' }).click();
    expect(await small.accessibility()).toEqual([]);
    await page.getByRole('dialog').getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Administration · Audit log' }).waitFor();
  });
});

describe('Demo mode in the browser', () => {
  it('signs anyone in with one click, and opens a terminal without a ticket', async () => {
    const demo = await startGateway({ env: { SERVICE_DEMO_MODE: 'true' }, untouched: true });
    const { db, tables } = demo.store;
    const { port, username } = sshd;
    await db.update(tables.servers).set({ port, username, hostname: '127.0.0.1' });
    const page = await visits.enter(demo.url);
    await page.getByRole('button', { name: /Sign in as demo/ }).click();
    await page.getByText('Sample inner server').waitFor();
    await openTerminalOn(page, 'Sample server');
    // Demo mode refuses tickets, because they are writes. The socket opened anyway: the error comes from the host.
    await page.getByText('Could not connect').waitFor();
    await page
      .getByText(/Authentication/)
      .first()
      .waitFor();

    await goTo(page, '#/account/api-keys');
    const create = page.getByRole('button', { name: 'Create key' });
    await create.and(page.getByTitle('Changes are disabled in this demo.')).waitFor();
    await create.focus(); // the reason is reachable by keyboard
    expect(await create.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await create.isDisabled()).toBe(true);
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: /Sign in as demo/ }).waitFor();
    await demo.close();
  });
});
