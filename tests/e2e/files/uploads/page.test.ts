import { createHash, randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { dropFromDesktop, limitUploads } from '../../../support/browser/drops.ts';
import { goTo, useVisits } from '../../../support/browser/pages.ts';
import { serverInRail } from '../../../support/browser/rail.ts';
import { addHost } from '../../../support/features/chain.ts';
import {
  ADMIN_PASSWORD,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';

const SLOW = 1_500_000; // bytes per second: slow enough to act during a transfer
const LARGE = 6 * 1024 * 1024;
const SOON = { timeout: 60_000 };

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;
let server: Server;
let desk: string;

beforeAll(async () => {
  desk = await mkdtemp(join(tmpdir(), 'sallyport-desk-'));
  [sshd, gateway] = await Promise.all([startSshd(), startGateway()]);
  server = await addHost(gateway, { name: 'harbor', sshd });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
  await rm(desk, { recursive: true, force: true });
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const isPart = (name: string) => name.startsWith('.') && name.includes('sallyport');

/** Creates a directory on the host and opens it in the page. */
async function openFolder(name: string): Promise<{ page: Page; remote: string; list: Locator }> {
  const remote = join(sshd.folder, name);
  await mkdir(remote);
  await chown(remote, sshd.uid, sshd.uid);
  const page = await visits.open(gateway, '#/');
  await withoutPickers(page);
  await page.evaluate(
    (hash) => {
      location.hash = hash;
    },
    `#/servers/${server.id}/files?path=${encodeURIComponent(remote)}`,
  );
  const list = page.getByRole('grid');
  await page.getByText(/^[\d,]+ entr(y|ies)/).waitFor(SOON);
  return { page, remote, list };
}

/** Emulates browsers without file handles: only their file choosers can be driven from here. */
async function withoutPickers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    for (const name of ['showOpenFilePicker', 'showDirectoryPicker']) Reflect.deleteProperty(window, name);
  });
  await page.reload();
}

async function localFile(name: string, content: Buffer | string): Promise<string> {
  const path = join(desk, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
}

const tray = (page: Page) => page.getByRole('region', { name: 'Transfers' });
const lineOf = (page: Page, name: string) => tray(page).getByRole('listitem', { name, exact: true });
const untilDone = (page: Page, name: string) => lineOf(page, name).getByText(/^Done/).waitFor(SOON);
const percentOf = async (page: Page, name: string) =>
  Number(await lineOf(page, name).getByRole('progressbar').getAttribute('aria-valuenow'));
const untilAbove = (page: Page, name: string, percent: number) =>
  expect.poll(() => percentOf(page, name), SOON).toBeGreaterThan(percent);

async function chooseFiles(page: Page, files: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: 'Upload' }).click();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('menuitem', { name: 'Upload files…' }).click(),
  ]);
  await chooser.setFiles([...files]);
}

/** For a transfer that is waiting after a reload. */
async function chooseAgain(page: Page, { name, path, what = 'file' }: Choice): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    lineOf(page, name)
      .getByRole('button', { name: `Choose the ${what} again…` })
      .click(),
  ]);
  await chooser.setFiles(path);
}

interface Choice {
  readonly name: string;
  readonly path: string;
  readonly what?: 'file' | 'folder';
}

describe('A drop from the desktop', () => {
  it('uploads a folder with its contents and lists it', async () => {
    const { page, remote, list } = await openFolder('drop');
    const files = {
      'site/index.html': '<h1>hi</h1>',
      'site/img/a.bin': randomBytes(300_000),
      'site/leer.txt': '',
    };
    for (const [name, content] of Object.entries(files)) await localFile(name, content);
    await mkdir(join(desk, 'site/empty'));
    await dropFromDesktop(page, list, [join(desk, 'site')]);
    await untilDone(page, 'site');
    for (const name of Object.keys(files))
      expect(sha256(await readFile(join(remote, name)))).toBe(sha256(await readFile(join(desk, name))));
    expect(await readdir(join(remote, 'site/empty'))).toEqual([]);
    await list.getByRole('row').filter({ hasText: 'site' }).waitFor();
    await lineOf(page, 'site').getByText('3 files').waitFor();
  });
});

describe('A folder', () => {
  it('continues with the remaining files after a reload, once it is chosen again', async () => {
    const { page, remote, list } = await openFolder('rest');
    const names = Array.from({ length: 6 }, (_, at) => `music/${at}.bin`);
    for (const name of names) await localFile(name, randomBytes(LARGE / 4));
    await limitUploads(page, SLOW);
    await dropFromDesktop(page, list, [join(desk, 'music')]);
    await lineOf(page, 'music')
      .getByText(/^[1-4] of 6 files/)
      .waitFor(SOON);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.evaluate(() => {
      Object.assign(FileSystemHandle.prototype, { requestPermission: async () => 'denied' });
    });
    await page.getByRole('button', { name: '1 transfer waiting' }).waitFor();
    await lineOf(page, 'music').getByRole('button', { name: 'Resume music' }).click();
    await limitUploads(page);
    const begun: string[] = [];
    page.on('request', (request) => request.url().endsWith('/uploads') && begun.push(request.method()));
    await chooseAgain(page, { name: 'music', what: 'folder', path: join(desk, 'music') });
    await untilDone(page, 'music');
    expect(begun.filter((method) => method === 'POST').length).toBeLessThan(6);
    for (const name of names)
      expect(sha256(await readFile(join(remote, name)))).toBe(sha256(await readFile(join(desk, name))));
  });
});

describe('An upload', () => {
  it('shows its progress, stops while paused, and resumes where it left off', async () => {
    const { page, remote } = await openFolder('pause');
    const large = randomBytes(LARGE);
    const path = await localFile('large.bin', large);
    await limitUploads(page, SLOW);
    await chooseFiles(page, [path]);
    await untilAbove(page, 'large.bin', 15);
    await page.getByRole('button', { name: /^1 transfer, \d+ %$/ }).waitFor();
    await lineOf(page, 'large.bin').getByRole('button', { name: 'Pause large.bin' }).click();
    await lineOf(page, 'large.bin')
      .getByText(/^Paused/)
      .waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await expect.poll(async () => (await readdir(remote)).some(isPart), SOON).toBe(true);
    const offsets: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset'] ?? '');
    });
    await limitUploads(page);
    await lineOf(page, 'large.bin').getByRole('button', { name: 'Resume large.bin' }).click();
    await untilDone(page, 'large.bin');
    expect(Number(offsets.at(-1))).toBeGreaterThan(100_000);
    expect(sha256(await readFile(join(remote, 'large.bin')))).toBe(sha256(large));
    expect(await readdir(remote)).toEqual(['large.bin']);
  });

  it('resumes after a reload, once the same file is chosen again', async () => {
    const { page, remote } = await openFolder('reload');
    const large = randomBytes(LARGE);
    const path = await localFile('again.bin', large);
    const other = await localFile('other.bin', large);
    await limitUploads(page, SLOW);
    await chooseFiles(page, [path]);
    await untilAbove(page, 'again.bin', 15);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('button', { name: '1 transfer waiting' }).waitFor();
    await lineOf(page, 'again.bin')
      .getByText(/of 6 MiB/)
      .waitFor();
    await chooseAgain(page, { name: 'again.bin', path: other });
    await lineOf(page, 'again.bin')
      .getByText('This is not the again.bin that the upload started with')
      .waitFor();
    const [patch] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'PATCH'),
      chooseAgain(page, { name: 'again.bin', path }),
    ]);
    expect(Number(patch.headers()['upload-offset'])).toBeGreaterThan(100_000);
    await limitUploads(page);
    await untilDone(page, 'again.bin');
    expect(sha256(await readFile(join(remote, 'again.bin')))).toBe(sha256(large));
  });

  it('from a drop resumes after a reload with a click, or by choosing the file if the browser may not read it', async () => {
    const { page, remote, list } = await openFolder('handle');
    const large = randomBytes(LARGE);
    const path = await localFile('dragged.bin', large);
    await limitUploads(page, SLOW);
    await dropFromDesktop(page, list, [path]);
    await untilAbove(page, 'dragged.bin', 15);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('button', { name: '1 transfer waiting' }).waitFor();
    await page.evaluate(() => {
      // The browser's permission prompt cannot be accepted from here, so the permission counts as denied.
      Object.assign(FileSystemHandle.prototype, { requestPermission: async () => 'denied' });
    });
    await lineOf(page, 'dragged.bin').getByRole('button', { name: 'Resume dragged.bin' }).click();
    const patch = page.waitForRequest((request) => request.method() === 'PATCH');
    await chooseAgain(page, { name: 'dragged.bin', path });
    expect(Number((await patch).headers()['upload-offset'])).toBeGreaterThan(100_000);
    await limitUploads(page);
    await untilDone(page, 'dragged.bin');
    expect(sha256(await readFile(join(remote, 'dragged.bin')))).toBe(sha256(large));
  });

  it('resumes by itself after the host dropped the connection', async () => {
    const { page, remote } = await openFolder('dropped');
    const large = randomBytes(LARGE);
    const path = await localFile('dropped.bin', large);
    await limitUploads(page, SLOW);
    await chooseFiles(page, [path]);
    await untilAbove(page, 'dropped.bin', 20);
    const resumed = page.waitForRequest((request) => request.method() === 'PATCH');
    await sshd.killSessions();
    expect(Number((await resumed).headers()['upload-offset'])).toBeGreaterThan(100_000);
    await limitUploads(page);
    await untilDone(page, 'dropped.bin');
    expect(sha256(await readFile(join(remote, 'dropped.bin')))).toBe(sha256(large));
  });

  it('is shown in only one browser tab', async () => {
    const { page } = await openFolder('tabs');
    await limitUploads(page, SLOW);
    await chooseFiles(page, [await localFile('tabs.bin', randomBytes(LARGE))]);
    await untilAbove(page, 'tabs.bin', 5);
    const other = await page.context().newPage();
    await other.goto(`${gateway.url}/`);
    await signIn(other, 'admin', ADMIN_PASSWORD);
    await serverInRail(other, 'harbor').waitFor();
    await other.evaluate(
      (name) =>
        new Promise((resolve) => {
          const channel = new BroadcastChannel(name);
          channel.onmessage = resolve; // by now the other tab has answered
          channel.postMessage('who');
        }),
      `sallyport:${gateway.url}/:uploads`,
    );
    expect(await other.getByText(/transfer/).count()).toBe(0);
    await page.bringToFront();
    await lineOf(page, 'tabs.bin').getByRole('button', { name: 'Cancel tabs.bin' }).click();
  });

  it('leaves nothing on the host when cancelled', async () => {
    const { page, remote } = await openFolder('cancel');
    const path = await localFile('cancel.bin', randomBytes(LARGE));
    await limitUploads(page, SLOW);
    await chooseFiles(page, [path]);
    await untilAbove(page, 'cancel.bin', 10);
    await lineOf(page, 'cancel.bin').getByRole('button', { name: 'Cancel cancel.bin' }).click();
    await expect.poll(() => readdir(remote), SOON).toEqual([]);
    await expect.poll(() => tray(page).count()).toBe(0);
  });

  it('folds its list when it is finished and a screen is used, whose buttons it would cover', async () => {
    const { page } = await openFolder('folded');
    await chooseFiles(page, [await localFile('folded/a.txt', 'a'), await localFile('folded/b.txt', 'b')]);
    for (const name of ['a.txt', 'b.txt']) await untilDone(page, name);
    await goTo(page, '#/admin/settings');
    const interval = page.getByLabel('Check interval', { exact: true });
    await interval.fill('30 s');
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await interval.inputValue()).toBe('1 min');
    expect(await tray(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Transfers finished' }).click();
    await tray(page).waitFor();
  });

  it('asks what to do when the name is taken, once for all conflicts if requested', async () => {
    const { page, remote } = await openFolder('taken');
    const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
    for (const path of names.map((name) => join(remote, name))) {
      await writeFile(path, 'old');
      await chown(path, sshd.uid, sshd.uid);
    }
    const paths = await Promise.all(names.map((name) => localFile(`taken/${name}`, `new ${name}`)));
    await chooseFiles(page, paths);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Existing').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    const skipped = await answer(dialog, 'Skip');
    const replaced = await answer(dialog, 'Replace', skipped);
    await dialog.getByText('Do this for all other conflicts').click();
    const doubled = await answer(dialog, 'Keep both', replaced);
    await dialog.waitFor({ state: 'detached' });
    const lines = tray(page).getByRole('listitem');
    await expect.poll(() => lines.filter({ hasText: /Done|Replaced|Skipped/ }).count(), SOON).toBe(4);
    const summary = 'Transfers finished: 1 replaced, 2 kept beside the others, 1 skipped';
    await page.getByRole('button', { name: summary }).waitFor();
    const content = (name: string) => readFile(join(remote, name), 'utf8');
    expect(await readdir(remote)).toHaveLength(6);
    expect(await Promise.all([skipped, replaced, doubled].map(content))).toEqual([
      'old',
      `new ${replaced}`,
      'old',
    ]);
    expect(await content(doubled.replace('.', ' (2).'))).toBe(`new ${doubled}`);
  });

  it('is shown only to its user, also after signing out and in again', async () => {
    await gateway.user({ username: 'bob', is_admin: true });
    const { page } = await openFolder('private');
    const path = await localFile('private.bin', randomBytes(LARGE));
    await limitUploads(page, SLOW);
    await chooseFiles(page, [path]);
    await untilAbove(page, 'private.bin', 10);
    await signOut(page);
    await signIn(page, 'bob', USER_PASSWORD);
    await serverInRail(page, 'harbor').waitFor();
    expect(await page.getByText(/transfer/).count()).toBe(0);
    await signOut(page);
    await signIn(page, 'admin', ADMIN_PASSWORD);
    await page.getByRole('button', { name: '1 transfer waiting' }).waitFor();
    await lineOf(page, 'private.bin').getByRole('button', { name: 'Cancel private.bin' }).click();
  });

  it('continues when the session expires and its user signs in again', async () => {
    const { page, remote } = await openFolder('expired');
    const large = randomBytes(LARGE);
    const path = await localFile('long.bin', large);
    await limitUploads(page, SLOW);
    await chooseFiles(page, [path]);
    await untilAbove(page, 'long.bin', 10);
    await endSessionsOfPages();
    await page.evaluate(() => window.dispatchEvent(new Event('focus'))); // as when the user returns to the window
    await limitUploads(page);
    await signIn(page, 'admin', ADMIN_PASSWORD);
    await untilDone(page, 'long.bin');
    expect(sha256(await readFile(join(remote, 'long.bin')))).toBe(sha256(large));
  });
});

async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account/ }).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
}

/** Ends every session except the one the tests use. */
async function endSessionsOfPages(): Promise<void> {
  const { body } = await gateway.admin.call<{ id: string; current: boolean }[]>('GET', '/api/auth/sessions');
  for (const { id } of body.filter(({ current }) => !current))
    await gateway.admin.call('DELETE', `/api/auth/sessions/${id}`);
}

/** Answers the next conflict dialog, and returns the file name it was about. */
async function answer(dialog: Locator, button: string, before = ''): Promise<string> {
  const heading = dialog.getByRole('heading', { name: /^Replace [a-d]\.txt\?$/ });
  await expect.poll(() => heading.textContent(), SOON).not.toContain(before || 'nothing yet');
  const name = (await heading.textContent())?.match(/[a-d]\.txt/)?.[0] ?? '';
  await dialog.getByRole('button', { name: button }).click();
  return name;
}
