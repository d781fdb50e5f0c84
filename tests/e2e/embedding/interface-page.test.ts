import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebSession } from '#core/model/accounts/web-session.ts';
import { type Browser, visit } from '../../support/browser/browser.ts';
import { keepPicture } from '../../support/browser/pages.ts';
import { type Portal, type PortalScene, startPortalScene } from '../../support/browser/portal.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { eventually } from '../../support/eventually.ts';
import { ADMIN_PASSWORD, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
let scene: PortalScene;
let gateway: TestGateway;
let portal: Portal;
let browser: Browser;

beforeAll(async () => {
  sshd = await startSshd();
  scene = await startPortalScene(sshd, { is_trusted: false });
  ({ gateway, portal } = scene);
});
afterEach(() => browser?.close());
afterAll(async () => {
  await scene?.stop();
  await sshd?.stop();
});

/** The page of another site with the whole interface in it. */
async function open(options: object = {}): Promise<Page> {
  browser = await visit(portal.url);
  const given = { language: 'en', theme: 'light', renderer: 'dom', ...options };
  // A string, because the test runner rewrites `import()`.
  await browser.page.evaluate(`(async () => {
    const place = Object.assign(document.createElement('div'), { id: 'place' });
    place.style.height = '640px';
    document.querySelector('sallyport-terminal').replaceWith(place);
    const { mount } = await import('${gateway.url}/embed/sallyport.js');
    window.dispose = mount(place, ${JSON.stringify(given)});
  })()`);
  return browser.page;
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account/ }).waitFor();
}

const problems = () => browser.problems().filter((one) => !one.startsWith('outside request'));
const sessions = async () =>
  (await gateway.admin.call<WebSession[]>('GET', '/api/auth/sessions')).body.length;
const dispose = (page: Page) => page.evaluate(() => (Reflect.get(window, 'dispose') as () => void)());

describe('The interface in a page of another site', () => {
  it('signs in, opens a terminal, and leaves the page as it was', async () => {
    const page = await open();
    const before = await sessions();
    await signIn(page);
    await openTerminalOn(page, 'box');
    const rows = page.locator('.xterm-rows');
    await rows.getByText('~$').first().waitFor();
    await page.keyboard.type('echo seen-$((1 + 1))\n');
    await rows.getByText('seen-2').first().waitFor();
    expect(await page.evaluate(() => document.fonts.size)).toBe(1);
    await keepPicture(page, 'embedded-light.png');
    const left = await page.evaluate(async () => ({
      title: document.title,
      address: location.href,
      history: history.state as unknown,
      stored: localStorage.length + sessionStorage.length + (await indexedDB.databases()).length,
      attributes: [...document.documentElement.attributes].map(({ name }) => name),
      font: getComputedStyle(document.querySelector('h1') ?? document.body).fontFamily,
      styles: document.querySelectorAll('style').length + document.adoptedStyleSheets.length,
    }));
    expect(left).toEqual({
      ...{ title: 'Our portal', address: `${portal.url}/#/?renderer=dom`, history: null, stored: 0 },
      ...{ attributes: ['lang'], font: 'Georgia, serif', styles: 0 },
    });
    await dispose(page);
    expect(await page.locator('#place > *').count()).toBe(0);
    await page.evaluate(() => document.querySelector('sallyport-files')?.remove()); // it uses the font, too
    expect(await page.evaluate(() => document.fonts.size)).toBe(0);
    await eventually(async () => expect(await sessions()).toBe(before));
    expect(problems()).toEqual([]);
  });

  it('signs out when the page is left', async () => {
    const page = await open();
    const before = await sessions();
    await signIn(page);
    expect(await sessions()).toBe(before + 1);
    await page.goto('about:blank');
    await eventually(async () => expect(await sessions()).toBe(before));
  });

  it('keeps its dialog when the page around it is clicked, and refuses stray files, also next to another one', async () => {
    const page = await open({ path: '/admin/users' });
    await signIn(page);
    await page.evaluate(`(async () => {
      const second = document.body.appendChild(document.createElement('div'));
      const { mount } = await import('${gateway.url}/embed/sallyport.js');
      window.disposeSecond = mount(second, { language: 'en', path: '/admin/webhooks' });
      document.body.append(Object.assign(document.createElement('p'), { textContent: 'Beside' }));
    })()`);
    const first = page.locator('#place');
    await page.locator('body > div').last().getByLabel('Username').waitFor(); // it has a session of its own
    await first.getByRole('button', { name: 'Create user' }).click();
    await first.getByRole('dialog').getByLabel('Username').fill('typed');
    await page.getByText('Beside').click();
    expect(await first.getByRole('dialog').getByLabel('Username').inputValue()).toBe('typed');
    const is_refused = await first.locator('.sallyport').evaluate((element) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'x.txt'));
      const how = { dataTransfer, bubbles: true, composed: true, cancelable: true };
      return !element.dispatchEvent(new DragEvent('drop', how));
    });
    expect(is_refused).toBe(true);
    await page.evaluate(() => (Reflect.get(window, 'disposeSecond') as () => void)());
    expect(await first.getByRole('dialog').getByLabel('Username').inputValue()).toBe('typed');
    expect(problems()).toEqual([]);
  });

  it('starts where it is told, and opens dialogs and menus inside', async () => {
    const page = await open({ path: '/admin/users', theme: 'dark' });
    await signIn(page);
    await page.getByRole('button', { name: 'Create user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await keepPicture(page, 'embedded-dark.png');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Username').waitFor();
    expect(problems()).toEqual([]);
  });
});
