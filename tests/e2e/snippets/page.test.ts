import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, visit } from '../../support/browser/browser.ts';
import { choose, goTo, pick, terminalText, untilFocused, untilTyped } from '../../support/browser/pages.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let gateway: TestGateway;
let sshd: Sshd;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  await addHost(gateway, { name: 'harbor', sshd });
  await addHost(gateway, { name: 'lighthouse', sshd });
  browser = await visit(gateway.url, gateway.admin.token);
  page = browser.page;
});
afterAll(async () => {
  const problems = browser?.problems();
  await browser?.close();
  await gateway?.close();
  await sshd?.stop();
  expect(problems).toEqual([]);
});

const inFront = () => page.locator('.panel:not([hidden])');

async function openTerminal(name: string): Promise<void> {
  await openTerminalOn(page, name);
  await page.getByText('Connected', { exact: true }).waitFor();
}

async function fill(label: string, text: string): Promise<void> {
  await page.getByRole('dialog').getByLabel(label, { exact: true }).fill(text);
}

function widthsOf(...selectors: string[]): Promise<number[]> {
  return Promise.all(
    selectors.map((one) =>
      inFront()
        .locator(one)
        .evaluate((found) => found.clientWidth),
    ),
  );
}

/** Pastes into the active terminal. */
function pasteLines(): Promise<void> {
  return page.locator(':focus').evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'one\ntwo\n');
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
}

describe('Snippets', () => {
  it('are created, changed and deleted under the account', async () => {
    await goTo(page, '#/account/snippets');
    await page.getByText('No snippets yet. Save the commands you type often').waitFor();
    await page.getByRole('button', { name: 'Create snippet' }).click();
    await fill('Name', 'greet');
    await fill('Command', 'echo {greeting} {name}');
    await page.getByText('Asks for: greeting, name').waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit greet' }).click();
    await fill('Command', 'echo "{greeting}-{name}" $((6 * 7))');
    await page.getByText('Confirm before sending').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('echo "{greeting}-{name}"').waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await gateway.admin.call('POST', '/api/snippets', { name: 'spare', command: 'true' });
    await page.reload();
    await page.getByRole('button', { name: 'Delete spare' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete spare' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Back to workspace' }).click();
  });

  it('ask for each placeholder, confirm command and server if configured, and are typed', async () => {
    await openTerminal('harbor');
    await page.keyboard.press('Control+Shift+S');
    await page.keyboard.type('gre\n');
    await untilFocused(page.getByLabel('greeting', { exact: true }));
    await page.keyboard.type('hello\nworld\n'); // Enter moves to the next field, then sends
    const question = page.getByRole('alertdialog', { name: 'Send greet?' });
    await question.getByText('The command goes to harbor.').waitFor();
    await question.getByText('echo "hello-world" $((6 * 7))').waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await question.getByRole('button', { name: 'Send' }).click();
    await untilTyped(page, /hello-world 42/);
    await page.keyboard.type('echo $((6 * 8))-focus\n'); // the terminal has the focus again
    await untilTyped(page, /48-focus/);
  });

  it('are found by name in the palette, and show their command before it is sent', async () => {
    await gateway.admin.call('POST', '/api/snippets', { name: 'count up', command: 'echo $((6 * 9))-up' });
    await page.keyboard.press('Control+Shift+P');
    await untilFocused(page.getByRole('combobox', { name: 'Command palette' }));
    await page.keyboard.type('count');
    await page.getByRole('option', { name: 'count up Snippets' }).waitFor();
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Send count up?' });
    await question.getByText('echo $((6 * 9))-up').waitFor();
    await question.getByRole('button', { name: 'Send' }).click();
    await untilTyped(page, /54-up/);
  });
});

describe('Broadcast input', () => {
  it('begins with the visible terminals only', async () => {
    await openTerminal('lighthouse');
    await untilFocused(inFront().locator('.xterm-helper-textarea'));
    await page.keyboard.press('Control+Shift+B');
    const dialog = page.getByRole('dialog', { name: 'Broadcast input' });
    await dialog.getByText('1 selected').waitFor();
    expect(await dialog.getByRole('checkbox', { name: 'harbor' }).isChecked()).toBe(false);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Terminal: harbor' }).click();
    await untilFocused(inFront().locator('.xterm-helper-textarea'));
  });

  it('goes to all selected panes, which are framed, until it is stopped', async () => {
    await page.keyboard.press('Control+Shift+E');
    await page.locator('.panel:not([hidden]) .xterm').nth(1).waitFor();
    const menus = page.getByRole('button', { name: 'Terminal tools for harbor' });
    await expect.poll(() => menus.count()).toBe(2);
    await menus.first().click();
    await page.getByRole('menuitem', { name: 'Broadcast input…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Broadcast input' });
    await dialog.getByText('2 selected').waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Start broadcasting' }).click();
    await expect.poll(() => page.locator('.panel:not([hidden]) .broadcast-frame').count()).toBe(2);
    expect(await browser.accessibility()).toEqual([]);
    await expect.poll(() => page.getByRole('tab', { name: /, receives broadcast input/ }).count()).toBe(2);
    await untilFocused(page.locator('.xterm-helper-textarea:focus'));
    await page.keyboard.type('echo $((7 * 7))-all\n');
    const shown = () => page.locator('.panel:not([hidden]) .xterm-rows').allTextContents();
    await expect.poll(async () => (await shown()).filter((text) => text.includes('49-all')).length).toBe(2);
    await pasteLines();
    const question = page.getByRole('alertdialog', { name: 'Paste several lines?' });
    await question.getByText('The text goes to 2 terminals: harbor (1), harbor (2).').waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Stop broadcasting' }).first().click();
    await untilFocused(page.locator('.panel:not([hidden]) .xterm-helper-textarea').first());
    await page.keyboard.type('echo $((7 * 8))-one\n');
    await expect.poll(async () => (await shown()).filter((text) => text.includes('56-one')).length).toBe(1);
  });
});

describe('Quick connect', () => {
  it('parses an ssh command line, signs in with a password, and shows the pinned key once', async () => {
    await goTo(page, '#/');
    await page.keyboard.press('Control+Shift+O');
    const dialog = page.getByRole('dialog', { name: 'Quick connect' });
    await untilFocused(dialog.getByLabel('Address', { exact: true }));
    await page.keyboard.type(`ssh ${sshd.username}@127.0.0.1 -p ${sshd.port}`);
    await choose(dialog, 'Authentication', 'Password');
    await dialog.getByLabel('SSH password').fill(sshd.password);
    await dialog.getByRole('button', { name: /^More/ }).click();
    await pick(dialog, 'Terminal encoding', 'ISO-8859-1 (W', 'ISO-8859-1 (Western)');
    expect(await browser.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
    await inFront()
      .getByText(await sshd.hostFingerprint())
      .waitFor();
    await page.keyboard.type('echo $((8 * 8))-quick\n');
    await untilTyped(page, /64-quick/);
    await page.keyboard.type("printf 'caf\\351-western\\n'\n");
    await untilTyped(page, /café-western/);
    expect(
      await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
    ).not.toContain(sshd.password);
    await page.getByRole('button', { name: 'OK', exact: true }).click();
    await inFront().getByText('First connection to').waitFor({ state: 'detached' });
  });

  it('refuses a host with a changed key until exactly the new key is accepted', async () => {
    const pinned = await sshd.hostFingerprint();
    await sshd.rotateHostKey();
    await page.keyboard.type('exit\n');
    await inFront().getByRole('button', { name: 'Open again' }).click();
    await inFront().getByText('Could not connect').waitFor();
    expect(await inFront().getByText('First connection to').count()).toBe(0);
    await page.setViewportSize({ width: 1000, height: 700 });
    const share = async () => {
      const [banner = 0, text = 0] = await widthsOf('.banner', '.banner-text');
      return text / banner;
    };
    await expect.poll(share).toBeGreaterThan(0.8);
    await inFront().getByRole('button', { name: 'Accept new host key…' }).click();
    const question = page.getByRole('alertdialog');
    expect(await question.locator('dd').allTextContents()).toEqual([pinned, await sshd.hostFingerprint()]);
    await question.getByText('when someone intercepts the connection').waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await question.getByRole('button', { name: 'Accept new key' }).click();
    await inFront().getByLabel('Password').fill(sshd.password);
    await page.keyboard.press('Enter');
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(await terminalText(page)).not.toContain(sshd.password);
    expect(await inFront().getByText('First connection to').count()).toBe(0); // it was just accepted
  });
});
