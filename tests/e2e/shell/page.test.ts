import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { intercept, keepPictures, untilTypable, useVisits } from '../../support/browser/pages.ts';
import { openFilesOn, openTerminalOn, serverInRail } from '../../support/browser/rail.ts';
import {
  ADMIN_PASSWORD,
  FIRST_PASSWORD,
  startGateway,
  type TestGateway,
} from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const BLOB = randomBytes(2_500_003);

const visits = useVisits({ reducedMotion: 'no-preference' });
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  await mkdir(join(sshd.folder, 'reports'));
  await writeFile(join(sshd.folder, 'blob.bin'), BLOB);
  await writeFile(join(sshd.folder, 'notes.txt'), 'The quick brown fox\n');
  await writeFile(join(sshd.folder, 'reports', 'q3.csv'), 'month,total\njuly,1\n');
});
afterAll(() => sshd?.stop());

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const terminalText = async (page: Page) =>
  (await page.locator('.panel:not([hidden]) .xterm-rows > div').allTextContents()).join('\n');

/** Opens a directory by its path, in the active file tab. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.getByRole('button', { name: 'Enter a path' }).click();
  await page.getByRole('combobox', { name: 'Path' }).fill(path);
  await page.keyboard.press('Enter');
  await page.getByRole('grid', { name: `Files in ${path}` }).waitFor();
}

describe('A new administrator', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ untouched: true });
  });
  afterAll(() => gateway?.close());

  it('signs in, adds a server, types in a real shell, and lists and downloads real files', async () => {
    const page = await visits.enter(gateway.url);

    await signIn(page, 'not the password');
    await page.getByText('The username or password is wrong.').waitFor();
    await signIn(page, FIRST_PASSWORD);
    await page.getByLabel('New password', { exact: true }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByLabel('New password', { exact: true }).fill(ADMIN_PASSWORD);
    await page.getByLabel('Repeat new password').fill(ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();

    await page.getByRole('button', { name: 'Add your first server' }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Add your first server' }).click();
    await page.getByLabel('Name', { exact: true }).fill('harbor');
    await page.getByLabel('Hostname or IP address').fill('127.0.0.1');
    await page.getByLabel('Port').fill(String(sshd.port));
    await page.getByLabel('SSH username').fill(sshd.username);
    await page.getByLabel('SSH password').fill(sshd.password);
    await page.getByRole('button', { name: 'Save and test' }).click();
    await page.getByText('Connection successful').waitFor();
    await page.getByRole('button', { name: 'Open terminal', exact: true }).click();
    await untilTypable(page);
    await page.keyboard.type('id; echo $((6 * 7))-here\n'); // typed into the page: the terminal has the focus
    await expect.poll(() => terminalText(page), { timeout: 60_000 }).toMatch(/42-here/);
    expect(await terminalText(page)).toMatch(new RegExp(`uid=\\d+\\(${sshd.username}\\)`));

    await openFilesOn(page, 'harbor');
    await page.getByRole('grid', { name: /^Files in \/\w/ }).waitFor();
    await goTo(page, sshd.folder);
    await page.getByText('reports').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download blob.bin' }).click();
    const file = await downloading;
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    expect(file.suggestedFilename()).toBe('blob.bin');
    expect(sha256(readFileSync(await file.path()))).toBe(sha256(BLOB));
    expect(file.url()).not.toContain('token=');
  });
});

describe('The page', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ env: { SERVICE_ROOT_PATH: '/ops' } });
    const { port, username, password } = sshd;
    const fields = { port, username, password, group: 'production', tags: ['eu'] };
    await gateway.addServer({ ...fields, name: 'harbor' });
    await gateway.addServer({ ...fields, name: 'lighthouse', group: 'staging' });
  });
  afterAll(() => gateway?.close());

  let page: Page;
  beforeEach(async () => {
    page = await visits.enter(gateway.url, (await gateway.signIn('admin', ADMIN_PASSWORD)).token);
    await serverInRail(page, 'harbor').waitFor();
  });

  it('says that the gateway was updated when a part of it is gone, and works again after a reload', async () => {
    const gone = '**/assets/admin-*.js';
    await intercept(page, gone, (route) => route.fulfill({ status: 404 }));
    await page.evaluate(() => {
      location.hash = '#/admin/users';
    });
    const notice = page.getByRole('alert').filter({ hasText: 'The gateway was updated.' });
    await notice.waitFor();
    await page.unroute(gone);
    await notice.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('button', { name: 'Manage admin' }).waitFor();
    expect(await notice.count()).toBe(0);
  });

  it('offers a part again that did not come because of the network, and does not speak of an update', async () => {
    const part = '**/assets/admin-*.js';
    await intercept(page, part, (route) =>
      route.request().method() === 'HEAD' ? route.continue() : route.abort(),
    );
    await page.evaluate(() => {
      location.hash = '#/admin/users';
    });
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    expect(await page.getByText('The gateway was updated.').count()).toBe(0);
    await page.unroute(part);
    await again.click();
    await page.getByRole('button', { name: 'Manage admin' }).waitFor();
  });

  it('shows the outline of the workspace in the chosen theme before its script has come', async () => {
    await page.evaluate(() => {
      const { pathname } = new URL('.', location.href);
      localStorage.setItem(`sallyport:${pathname}:preferences`, JSON.stringify({ theme: 'dark' }));
    });
    const script = '**/assets/index-*.js';
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, script, async (route) => {
      await held;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    const frame = page.locator('#frame');
    await frame.getByText('Sallyport').waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
    expect(await visits.accessibility()).toEqual([]);
    const places = ['.frame-rail', '.frame-top', '.frame-middle', '.frame-status'];
    const boxesOf = (all: readonly string[]) =>
      Promise.all(all.map((place) => page.locator(place).first().boundingBox()));
    const before = await boxesOf(places);
    release();
    await serverInRail(page, 'harbor').waitFor();
    expect(await frame.count()).toBe(0);
    const after = await boxesOf(['.rail-place', '.top-bar', '.middle', '.status-line']);
    expect(after).toEqual(before); // nothing jumps
  });

  it('fits the terminal to its pane, and shows how a shell ended', async () => {
    await openTerminalOn(page, 'harbor');
    await untilTypable(page);
    await page.keyboard.type('stty size; exit 3\n');
    await page.getByText('The shell ended with exit code 3').waitFor();
    const [, rows, cols] = /(\d+) (\d+)\s/.exec(await terminalText(page)) ?? [];
    expect(Number(rows)).toBeGreaterThan(24);
    expect(Number(cols)).toBeGreaterThan(80);
    await page.getByRole('button', { name: 'Open again' }).click();
    await untilTypable(page);
    await page.keyboard.type('echo $((20 + 3))-again\n');
    await expect.poll(() => terminalText(page), { timeout: 60_000 }).toMatch(/23-again/);
  });

  it('shows at which stage and why a connection failed', async () => {
    const broken = await gateway.addServer({
      name: 'broken',
      port: sshd.port,
      username: 'nobody',
      password: 'wrong',
    });
    await page.reload();
    await openTerminalOn(page, 'broken');
    await page.getByText('Stage: Authentication').waitFor();
    await gateway.admin.call('DELETE', `/api/servers/${broken.id}`);
  });

  it('shows a text file, and offers a binary file as a download', async () => {
    await openFilesOn(page, 'harbor');
    await page.getByRole('grid', { name: /^Files in \/\w/ }).waitFor();
    await goTo(page, sshd.folder);
    await page.getByText('notes.txt').dblclick();
    await page.getByText('The quick brown fox').waitFor();
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.getByText('blob.bin').dblclick();
    await page.getByText('This file is not text').waitFor();
  });

  it('begins with what to continue and what was opened last, and with first steps until they are dismissed', async () => {
    await openTerminalOn(page, 'harbor');
    await untilTypable(page);
    await openFilesOn(page, 'lighthouse');
    await page.getByRole('grid', { name: /^Files in \/\w/ }).waitFor();
    await page.evaluate(() => {
      location.hash = '#/';
    });
    const home = page.getByRole('region', { name: 'Home' });
    const recent = home.getByRole('region', { name: 'Recent' });
    await recent.getByRole('button', { name: 'lighthouse' }).first().waitFor();
    const running = home.getByRole('region', { name: 'Continue' });
    await running.getByRole('button', { name: 'Go to tab: harbor' }).first().waitFor();
    const steps = home.getByRole('region', { name: 'First steps' });
    await steps.getByText('Add a server').waitFor();
    expect(await steps.getByText('(done)').count()).toBe(1);
    expect(await visits.accessibility()).toEqual([]);
    await steps.getByRole('button', { name: 'Do not show again' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await recent.getByRole('button', { name: 'Files of lighthouse' }).waitFor();
    expect(await steps.count()).toBe(0);
    await recent.getByRole('button', { name: 'Files of harbor' }).click();
    await page.getByRole('tab', { name: 'Files: harbor' }).waitFor();
  });

  it('asks for a new sign-in when the session has ended, and keeps the tabs', async () => {
    await openFilesOn(page, 'harbor');
    await page.getByRole('grid', { name: /^Files in \/\w/ }).waitFor();
    await gateway.store.db.delete(gateway.store.tables.sessions);
    await page.evaluate(() => dispatchEvent(new Event('focus'))); // as when the user returns to the window
    await page.getByText('Your session has ended').waitFor();
    await signIn(page, ADMIN_PASSWORD);
    await page.getByRole('tab', { name: 'Files: harbor' }).waitFor();
  });

  it('has no serious axe findings, in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await visits.accessibility()).toEqual([]);
      await openFilesOn(page, 'harbor');
      await page.getByRole('grid', { name: /^Files in \/\w/ }).waitFor();
      expect(await visits.accessibility()).toEqual([]);
      await page.getByRole('button', { name: 'Add server' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await visits.accessibility()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });

  it('works at a width of 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    await page.getByRole('button', { name: 'Show servers' }).click();
    await openTerminalOn(page, 'harbor');
    await page.getByText('Connected').waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
  });

  it('is captured in both themes', async () => {
    await openTerminalOn(page, 'harbor');
    await untilTypable(page);
    await page.keyboard.type("PS1='deploy@harbor:\\w\\$ '; cd /etc; clear; ls -l --color | head -12\n");
    await expect.poll(() => terminalText(page), { timeout: 60_000 }).toMatch(/root +root/);
    await keepPictures(page, 'workspace');
  });
});

describe('The API reference', () => {
  it('has an example, a command and every refusal of an operation, at an address of its own', async () => {
    const gateway = await startGateway();
    const page = await visits.enter(gateway.url);
    await page.goto(`${gateway.url}/docs#files.extract`);
    await page.getByRole('heading', { name: 'Extract a ZIP archive on its host' }).waitFor();
    await page.getByText(`${gateway.url}/api/files/1/extract`).waitFor();
    await page.getByRole('row', { name: '413 archive_too_large An archive can have' }).waitFor();
    await page.getByRole('row', { name: '401 not_authenticated The request has no token' }).waitFor();
    await keepPictures(page, 'reference');
    expect(await visits.accessibility()).toEqual([]);

    await page.keyboard.press('/');
    await page.keyboard.type('ws terminal {server_id}');
    await page.keyboard.press('ArrowDown');
    for (let nth = 0; nth < 2; nth += 1) await page.keyboard.press('ArrowDown'); // after the overview and the codes
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Open a shell on a registered server (WebSocket)' }).waitFor();
    await page.getByRole('row', { name: '408 idle_timeout 4010' }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await gateway.close();
  });
});
