import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  terminalText,
  untilFocused,
  untilTypable,
  untilTyped,
  useVisits,
} from '../../support/browser/pages.ts';
import { openFilesOn, openTerminalOn } from '../../support/browser/rail.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  await addHost(gateway, { name: 'typed', sshd, auth_method: 'prompt', password: '' });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

async function openTerminal(page: Page): Promise<Locator> {
  await openTerminalOn(page, 'typed');
  const form = page.getByRole('form', { name: 'Prompt from typed' });
  await form.waitFor();
  return form;
}

describe('A terminal of a server without stored credentials, in the browser', () => {
  it('asks for the missing credentials, again after a wrong password, and then takes the focus', async () => {
    const page = await visits.open(gateway, '#/?renderer=dom');
    const form = await openTerminal(page);
    const password = form.getByLabel('Password');
    expect(await form.getByLabel('Username').inputValue()).toBe(sshd.username);
    await untilFocused(password);
    expect(await visits.accessibility()).toEqual([]);
    await page.keyboard.type('wrong\n'); // typed into the page: the prompt has the focus
    await form.getByText('refused the password').waitFor();
    expect(await form.getByLabel('Username').count()).toBe(0);
    await untilFocused(password);
    expect(await password.inputValue()).toBe('');
    await page.keyboard.type(`${sshd.password}\n`);
    await untilTypable(page);
    await page.keyboard.type('echo $((6 * 7))-here\n');
    await untilTyped(page, /42-here/);
    expect(await terminalText(page)).not.toContain(sshd.password);
  });

  it.each([
    ['Cancel', (form: Locator) => form.getByRole('button', { name: 'Cancel' }).click()],
    ['Escape', (form: Locator) => form.getByLabel('Password').press('Escape')],
  ])('is cancelled with %s, and can be opened again', async (_key, leave) => {
    const page = await visits.open(gateway, '#/?renderer=dom');
    const form = await openTerminal(page);
    await leave(form);
    await page.getByText('Not connected: the prompt was not answered').waitFor();
    expect(await form.count()).toBe(0);
    await page.getByRole('button', { name: 'Open again' }).click();
    await form.waitFor();
  });
});

describe('Files of a server without stored credentials, in the browser', () => {
  it('are listed after a sign-in, which is repeated after a wrong password', async () => {
    const page = await visits.open(gateway, '#/');
    await openFilesOn(page, 'typed');
    const form = page.getByRole('form', { name: 'Sign in to typed' });
    const password = form.getByLabel('SSH password');
    expect(await form.getByLabel('SSH username').inputValue()).toBe(sshd.username);
    await untilFocused(password);
    expect(await visits.accessibility()).toEqual([]);
    await page.keyboard.type('wrong\n');
    await form.getByText('Could not sign in to the host').waitFor();
    await untilFocused(password);
    await page.keyboard.type(`${sshd.password}\n`);
    await page.getByRole('grid', { name: /^Files in \/\w/ }).waitFor();
  });
});
