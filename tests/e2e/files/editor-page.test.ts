import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readFile,
  stat,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { WHOLE_BROWSER } from '../../support/browser/browser.ts';
import { choose, intercept, signInAsAdmin, untilFocused, useVisits } from '../../support/browser/pages.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SOON = { timeout: 60_000 };
const HEAD_BYTES = 44;
const RATE = 88_200;
const SOUND_SECONDS = 1000;
const SOUND_BYTES = SOUND_SECONDS * RATE * 2;
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let sshd: Sshd;
let gateway: TestGateway;
let harbor: Server;
let museum: Server;
let lodge: Server;
const visits = useVisits();

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  const { port, username, password } = sshd;
  harbor = await gateway.addServer({ name: 'harbor', port, username, password });
  museum = await gateway.addServer({ name: 'museum', port, username, password, sftp_read_only: true });
  lodge = await gateway.addServer({ name: 'lodge', port, username, auth_method: 'prompt' });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});
beforeEach(() => put({ 'notes.txt': 'first line\nsecond line\n' }));

const onHost = (name: string) => join(sshd.folder, name);
const read = (name: string) => readFile(onHost(name), 'utf8');

/** Writes files on the host, owned by its account. */
async function put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await writeFile(onHost(name), content, { mode: 0o666 });
    await chown(onHost(name), sshd.uid, sshd.uid);
  }
}

/** Opens a file from the list of its directory. */
async function openFile(name: string, server = harbor, { open } = visits): Promise<Page> {
  const page = await open(gateway, `#/servers/${server.id}/files?path=${sshd.folder}`);
  await openFromList(page, name);
  return page;
}

async function openFromList(page: Page, name: string): Promise<void> {
  const grid = page.getByRole('grid', { name: `Files in ${sshd.folder}` });
  await grid.getByText(name, { exact: true }).dblclick();
}

const editorOf = (page: Page, name: string): Locator =>
  page.getByRole('textbox', { name: onHost(name), exact: true });

/** Opens a file and waits until its editor is focused. */
async function editFile(name: string, server = harbor): Promise<Page> {
  const page = await openFile(name, server);
  await editorOf(page, name).waitFor();
  await expect.poll(() => hasKeys(editorOf(page, name)), SOON).toBe(true);
  return page;
}

const hasKeys = (place: Locator) => place.evaluate((element) => element === document.activeElement);

/** Types at the very beginning of the file. */
async function typeFirst(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+Home');
  await page.keyboard.type(text);
}

async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s');
  await page.getByRole('status').getByText('Saved.').waitFor();
}

describe('A text file', () => {
  it('is edited, and saved with Ctrl+S to the host with its mode preserved', async () => {
    const page = await editFile('notes.txt');
    const { mode } = await stat(onHost('notes.txt'));
    await typeFirst(page, 'typed: ');
    await page.getByText('Unsaved').first().waitFor();
    await save(page);
    expect(await read('notes.txt')).toBe('typed: first line\nsecond line\n');
    expect((await stat(onHost('notes.txt'))).mode).toBe(mode);
    await page.keyboard.type('again ');
    await save(page);
    expect(await read('notes.txt')).toBe('typed: again first line\nsecond line\n');
    expect(await visits.accessibility()).toEqual([]);
  });

  it('of root keeps its owner when the account may write it, and says which bit of its mode was lost', async () => {
    await chown(onHost('notes.txt'), 0, 0);
    await chmod(onHost('notes.txt'), 0o4666);
    const page = await editFile('notes.txt');
    await typeFirst(page, 'typed: ');
    await page.keyboard.press('Control+s');
    await page.getByText('The host removed the set-user-ID or set-group-ID bit').waitFor();
    const { uid, mode } = await stat(onHost('notes.txt'));
    expect([uid, mode & 0o7777]).toEqual([0, 0o666]);
    expect(await read('notes.txt')).toBe('typed: first line\nsecond line\n');
    await chmod(onHost('notes.txt'), 0o644);
    await page.keyboard.type('refused ');
    await page.keyboard.press('Control+s');
    await page.getByText(`${sshd.username} may not write notes.txt (root, rw-r--r--).`).waitFor();
    await page.getByText('Unsaved').first().waitFor();
    expect(await read('notes.txt')).toBe('typed: first line\nsecond line\n');
    await chmod(onHost('notes.txt'), 0o666);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('status').getByText('Saved.').waitFor();
    expect(await read('notes.txt')).toBe('typed: refused first line\nsecond line\n');
    await unlink(onHost('notes.txt'));
  });

  it('that the account may not write opens with a lock, and can be saved to another path', async () => {
    await put({ 'locked.conf': 'port 80\n' });
    await chown(onHost('locked.conf'), 0, 0);
    await chmod(onHost('locked.conf'), 0o644);
    const page = await editFile('locked.conf');
    await page.getByText(`Read-only for ${sshd.username}`).waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    await typeFirst(page, '# ');
    await page.getByText(`${sshd.username} may not write locked.conf (root, rw-r--r--).`).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Save to another path' });
    await dialog.getByLabel('Path').fill(onHost('notes.txt'));
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('Another file has this path.').waitFor();
    expect(await read('notes.txt')).toBe('first line\nsecond line\n');
    await dialog.getByLabel('Path').fill(onHost('mine.conf'));
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`Saved to ${onHost('mine.conf')}.`).waitFor();
    await editorOf(page, 'locked.conf').focus();
    await page.keyboard.type('more');
    await page.getByText(`An earlier version is saved in ${onHost('mine.conf')}.`).waitFor();
    expect(await read('mine.conf')).toBe('# port 80\n');
    expect(await read('locked.conf')).toBe('port 80\n');
    await unlink(onHost('mine.conf'));
  });

  it('that the account may not write can be copied by root at a prompt, and nothing is run', async () => {
    await put({ "it's.conf": 'port 80\n' });
    await chown(onHost("it's.conf"), 0, 0);
    await chmod(onHost("it's.conf"), 0o644);
    const page = await editFile("it's.conf");
    await typeFirst(page, '# ');
    await page.getByRole('button', { name: 'Put a sudo cp at a prompt' }).click();
    const screen = page.locator('.xterm-rows').last();
    await expect.poll(() => screen.textContent(), SOON).toContain('sudo cp -- ');
    const home = await gateway.admin.call<{ path: string }>('GET', `/api/files/${harbor.id}/home`);
    const copy = join(home.body.path, "it's.conf.edited");
    expect(await readFile(copy, 'utf8')).toBe('# port 80\n');
    expect((await stat(copy)).mode & 0o777).toBe(0o600); // the original may be secret to others
    expect(await read("it's.conf")).toBe('port 80\n');
    await unlink(copy);
    await unlink(onHost("it's.conf"));
  });

  it('says why no copy of it could be saved, and asks for another path', async () => {
    const { port, username, password } = sshd;
    const sealed = onHost('sealed');
    await mkdir(sealed); // of root, as the test is
    await writeFile(join(sealed, 'sealed.conf'), 'port 80\n', { mode: 0o644 });
    const rules = { sftp_allowed_paths: [sealed] };
    const { id } = await gateway.addServer({ name: 'sealed', port, username, password, ...rules });
    const page = await visits.open(gateway, `#/servers/${id}/files?path=${sealed}`);
    const grid = page.getByRole('grid', { name: `Files in ${sealed}` });
    await grid.getByText('sealed.conf', { exact: true }).dblclick();
    const editor = page.getByRole('textbox', { name: join(sealed, 'sealed.conf'), exact: true });
    await expect.poll(() => hasKeys(editor), SOON).toBe(true);
    await typeFirst(page, '# ');
    await page.getByRole('button', { name: 'Put a sudo cp at a prompt' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save to another path' });
    await dialog.getByText('Could not save sealed.conf. Your text is still here').waitFor();
    expect(await page.getByRole('tab', { name: /^Terminal/ }).count()).toBe(0);
  });

  it('keeps CRLF and a byte order mark through a save', async () => {
    await put({ 'dos.ini': '\uFEFF[a]\r\nb=1\r\n' });
    const page = await editFile('dos.ini');
    await page.getByText('UTF-8 with BOM').waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('c=2\n');
    await save(page);
    expect(await read('dos.ini')).toBe('\uFEFF[a]\r\nb=1\r\nc=2\r\n');
  });

  it('keeps mixed line endings, and normalizes them on request', async () => {
    await put({ 'mixed.txt': 'one\r\ntwo\nthree\r\n' });
    const page = await editFile('mixed.txt');
    await typeFirst(page, 'x');
    await save(page);
    expect(await read('mixed.txt')).toBe('xone\r\ntwo\nthree\r\n');
    await choose(page.locator('body'), 'Line endings', 'LF');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => read('mixed.txt'), SOON).toBe('xone\ntwo\nthree\n');
  });

  it('is highlighted by language, and shows how the language was detected', async () => {
    await put({ 'nginx.conf.j2': 'server {\n  listen 80;\n}\n', 'thing.xyz': 'x\n' });
    const page = await editFile('nginx.conf.j2');
    await page.getByText('Detected from the inner file name: nginx.conf').waitFor();
    await page.locator('.tok-keyword, .tok-variableName2').first().waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await openFromList(page, 'thing.xyz');
    await page.getByText('Plain text: no known language uses .xyz').waitFor();
    const language = page.getByRole('combobox', { name: 'Language' });
    await language.fill('yam');
    await page.getByRole('option', { name: 'YAML' }).click();
    await page.getByText('Chosen by you').waitFor();
  });

  it('can be left with Escape and Tab, and searched with Ctrl+F', async () => {
    const page = await editFile('notes.txt');
    await page.keyboard.press('Tab');
    expect(await hasKeys(editorOf(page, 'notes.txt'))).toBe(true);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await hasKeys(editorOf(page, 'notes.txt'))).toBe(false);
    await editorOf(page, 'notes.txt').focus();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('second');
    await expect.poll(() => page.locator('.cm-find-marks i').count(), SOON).toBe(1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.cm-find-marks i').count(), SOON).toBe(0);
    await page.getByText('Line 2, column').waitFor();
    await page.keyboard.type('2nd');
    await save(page);
    expect(await read('notes.txt')).toBe('first line\n2nd line\n');
  });

  it('on a read-only server cannot be changed, and says why', async () => {
    const page = await editFile('notes.txt', museum);
    await page.getByText('Read-only: this server is read-only').waitFor();
    await typeFirst(page, 'no');
    expect(await editorOf(page, 'notes.txt').textContent()).not.toContain('no' + 'first');
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  });
});

describe('A conflict', () => {
  async function conflict(): Promise<Page> {
    const page = await editFile('notes.txt');
    await typeFirst(page, 'mine: ');
    await put({ 'notes.txt': 'theirs\nsecond line\n' });
    await page.keyboard.press('Control+s');
    await page.getByText('notes.txt was changed by someone else.').waitFor();
    expect(await read('notes.txt')).toBe('theirs\nsecond line\n');
    return page;
  }

  it('is resolved by overwriting', async () => {
    const page = await conflict();
    await page.getByRole('button', { name: 'Overwrite' }).click();
    await expect.poll(() => read('notes.txt'), SOON).toBe('mine: first line\nsecond line\n');
    await page.getByText('Saved.').first().waitFor();
  });

  it('is resolved by reloading, which can be undone', async () => {
    const page = await conflict();
    await page.getByRole('button', { name: 'Reload' }).click();
    await editorOf(page, 'notes.txt').getByText('theirs').waitFor();
    expect(await page.getByText('Unsaved').count()).toBe(0);
    await editorOf(page, 'notes.txt').focus();
    await page.keyboard.press('Control+z');
    await editorOf(page, 'notes.txt').getByText('mine: first line').waitFor();
    await save(page);
    expect(await read('notes.txt')).toBe('mine: first line\nsecond line\n');
  });

  it('is resolved by comparing side by side, merging and editing', async () => {
    const page = await conflict();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('textbox', { name: 'Version on the server' }).getByText('theirs').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Use the version on the server' }).press('Enter');
    const mine = page.getByRole('textbox', { name: 'Your version' });
    await mine.getByText('theirs').waitFor();
    await mine.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('both\n');
    await page.getByRole('button', { name: 'Back to the editor' }).click();
    await editorOf(page, 'notes.txt').getByText('both').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Save my version' }).click();
    await expect.poll(() => read('notes.txt'), SOON).toBe('theirs\nsecond line\nboth\n');
    await editorOf(page, 'notes.txt').getByText('both').waitFor();
  });

  it('with a deletion is reported, and resolved by saving a new file', async () => {
    const page = await editFile('notes.txt');
    await typeFirst(page, 'mine: ');
    await unlink(onHost('notes.txt'));
    await page.keyboard.press('Control+s');
    await page.getByText('notes.txt no longer exists.').waitFor();
    await page.getByRole('button', { name: 'Save as a new file' }).click();
    await expect.poll(() => read('notes.txt').catch(() => ''), SOON).toBe('mine: first line\nsecond line\n');
  });
});

describe('A file that is open', () => {
  const renameInList = async (page: Page, to: string) => {
    await page.getByRole('button', { name: 'Back to the list' }).click();
    const grid = page.getByRole('grid', { name: `Files in ${sshd.folder}` });
    await untilFocused(grid); // with the cursor on the file
    await page.keyboard.press('F2');
    await page.keyboard.press('Control+a');
    await page.keyboard.type(to);
    await page.keyboard.press('Enter');
    await grid.getByText(to, { exact: true }).waitFor();
  };

  it('is followed with its unsaved text when it is renamed in the list, and said to be deleted there', async () => {
    const page = await editFile('notes.txt');
    await typeFirst(page, 'kept ');
    await renameInList(page, 'memo.txt');
    await page.getByRole('tab', { name: 'File: memo.txt' }).click();
    await untilFocused(editorOf(page, 'memo.txt'));
    await save(page);
    expect(await read('memo.txt')).toBe('kept first line\nsecond line\n');
    await expect(read('notes.txt')).rejects.toThrow('ENOENT');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await untilFocused(page.getByRole('grid', { name: `Files in ${sshd.folder}` }));
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => read('memo.txt').catch(() => 'gone'), SOON).toBe('gone');
    await page.getByRole('tab', { name: 'File: memo.txt' }).click();
    await page.getByText('memo.txt no longer exists.').waitFor();
    await page.getByRole('button', { name: 'Save as a new file' }).click();
    await expect.poll(() => read('memo.txt').catch(() => ''), SOON).toBe('kept first line\nsecond line\n');
  });
});

describe('Unsaved changes', () => {
  it('survive a failed save, which shows the reason and can be retried', async () => {
    const page = await editFile('notes.txt');
    await typeFirst(page, 'kept ');
    await intercept(page, '**/write', (route) => route.abort());
    await page.keyboard.press('Control+s');
    await page.getByText('Could not save notes.txt').waitFor();
    await page.getByText('Cannot reach the gateway').waitFor();
    await page.unroute('**/write');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => read('notes.txt'), SOON).toBe('kept first line\nsecond line\n');
  });

  it('stay in their tab beside the list, and prompt before the tab closes', async () => {
    const page = await editFile('notes.txt');
    await typeFirst(page, 'x');
    const tab = page.getByRole('tab', { name: 'File: notes.txt' });
    const grid = page.getByRole('grid', { name: `Files in ${sshd.folder}` });
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await untilFocused(grid);
    await openFromList(page, 'notes.txt'); // activates its tab
    await untilFocused(editorOf(page, 'notes.txt'));
    expect(await page.getByRole('tab').count()).toBe(2);
    const question = page.getByRole('alertdialog', { name: 'Save changes to notes.txt?' });
    await tab.press('Delete');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await tab.press('Delete');
    await question.getByRole('button', { name: 'Save' }).click();
    await question.waitFor({ state: 'detached' });
    await untilFocused(grid);
    expect(await read('notes.txt')).toBe('xfirst line\nsecond line\n');
    await openFromList(page, 'notes.txt');
    await untilFocused(editorOf(page, 'notes.txt'));
    await typeFirst(page, 'y');
    await tab.press('Delete');
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await untilFocused(grid);
    expect(await tab.count()).toBe(0);
    expect(await read('notes.txt')).toBe('xfirst line\nsecond line\n');
  });

  it('are still there after a reload, and conflict with a file that was changed in between', async () => {
    const page = await editFile('notes.txt');
    await typeFirst(page, 'draft ');
    await page.getByText('Unsaved').first().waitFor();
    await put({ 'notes.txt': 'theirs\n' });
    const asking = page.waitForEvent('dialog'); // the browser's own dialog
    const reloading = page.reload();
    const question = await asking;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await reloading;
    await editorOf(page, 'notes.txt').getByText('draft first line').waitFor();
    await page.getByText('notes.txt was changed by someone else.').waitFor();
    await page.getByRole('button', { name: 'Overwrite' }).click();
    await expect.poll(() => read('notes.txt'), SOON).toBe('draft first line\nsecond line\n');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.getByRole('grid', { name: `Files in ${sshd.folder}` }).waitFor();
    expect(await page.getByText('has unsaved changes from').count()).toBe(0);
  });
});

describe('Two files', () => {
  it('are compared side by side in a tab, which a reload keeps', async () => {
    await put({ 'one.conf': 'same\nport 1\n', 'two.conf': 'same\nport 2\n' });
    const page = await visits.open(gateway, `#/servers/${harbor.id}/files?path=${sshd.folder}`);
    const grid = page.getByRole('grid', { name: `Files in ${sshd.folder}` });
    const menuOn = async (name: string, item: string) => {
      await grid.getByText(name, { exact: true }).click({ button: 'right' });
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menuOn('one.conf', 'Compare with…');
    await page.getByText('Now choose “Compare with one.conf”').waitFor();
    await menuOn('two.conf', 'Compare with one.conf');
    const left = page.getByRole('textbox', { name: onHost('one.conf') });
    await left.getByText('port 1').waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'Comparison: one.conf ↔ two.conf' }).waitFor();
    await page
      .getByRole('textbox', { name: onHost('two.conf') })
      .getByText('port 2')
      .waitFor();
    await untilFocused(page.getByRole('textbox', { name: onHost('two.conf') }));
    await page.keyboard.type('never');
    expect(await page.getByText('never').count()).toBe(0);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('are compared from the menu of a tab, and the comparison follows a file that is renamed', async () => {
    await put({ 'one.conf': 'same\nport 1\n', 'two.conf': 'same\nport 2\n' });
    const page = await editFile('one.conf');
    await page.getByRole('tab', { name: /^Files/ }).click();
    await openFromList(page, 'two.conf');
    await editorOf(page, 'two.conf').waitFor();
    await page.getByRole('tab', { name: 'File: two.conf' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Compare with one.conf' }).click();
    await editorOf(page, 'one.conf').getByText('port 1').waitFor();
    await page.getByRole('tab', { name: /^Files/ }).click();
    await untilFocused(page.getByRole('grid')); // with the cursor on the file
    await page.keyboard.press('F2');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('second.conf');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Comparison: one.conf ↔ second.conf' }).click();
    await editorOf(page, 'second.conf').getByText('port 2').waitFor();
  });
});

describe('A new file', () => {
  it('is created by its first save, but does not overwrite a file created in between', async () => {
    const page = await visits.open(gateway, `#/servers/${harbor.id}/files?path=${sshd.folder}`);
    await page.getByRole('grid', { name: `Files in ${sshd.folder}` }).waitFor();
    await expect.poll(() => hasKeys(page.getByRole('grid')), SOON).toBe(true); // the list takes the focus once it is there
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByRole('menuitem', { name: 'New file' }).click();
    await page.keyboard.type('fresh.sh');
    await page.keyboard.press('Enter');
    await page.getByText('New file. Saving creates it').waitFor();
    await expect.poll(() => hasKeys(editorOf(page, 'fresh.sh')), SOON).toBe(true);
    await page.keyboard.type('echo mine');
    await put({ 'fresh.sh': 'echo theirs\n' });
    await page.keyboard.press('Control+s');
    await page.getByText('fresh.sh was changed by someone else.').waitFor();
    await unlink(onHost('fresh.sh'));
    await editorOf(page, 'fresh.sh').focus();
    await save(page);
    expect(await read('fresh.sh')).toBe('echo mine');
    await page.getByText('New file. Saving creates it').waitFor({ state: 'detached' });
  });
});

describe('An expired sign-in', () => {
  it('at the host is requested again, and the text is kept', async () => {
    const page = await visits.open(gateway, `#/servers/${lodge.id}/files?path=${sshd.folder}`);
    const password = page.locator('.panel:not([hidden])').getByLabel('SSH password');
    const signIn = async () => {
      await password.fill(sshd.password);
      await page.keyboard.press('Enter');
    };
    await signIn();
    await openFromList(page, 'notes.txt');
    await expect.poll(() => hasKeys(editorOf(page, 'notes.txt')), SOON).toBe(true);
    await typeFirst(page, 'kept ');
    await gateway.admin.call('PUT', `/api/servers/${lodge.id}`, { port: sshd.port }); // drops the typed credentials
    await page.keyboard.press('Control+s');
    await untilFocused(password);
    await signIn();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => read('notes.txt'), SOON).toBe('kept first line\nsecond line\n');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await untilFocused(page.getByRole('grid', { name: `Files in ${sshd.folder}` }));
  });

  it('at the gateway keeps the text until the same user signs in again', async () => {
    const page = await editFile('notes.txt');
    await typeFirst(page, 'kept ');
    await gateway.store.db.delete(gateway.store.tables.sessions);
    await page.keyboard.press('Control+s');
    await page.getByText('Your session has ended').waitFor();
    await signInAsAdmin(page);
    await editorOf(page, 'notes.txt').getByText('kept first line').waitFor();
    await expect.poll(() => hasKeys(editorOf(page, 'notes.txt')), SOON).toBe(true);
    await save(page);
    expect(await read('notes.txt')).toBe('kept first line\nsecond line\n');
  });
});

describe('A file that is not text', () => {
  it('is offered as a download, not shown as text', async () => {
    await put({ 'blob.bin': Uint8Array.from({ length: 4096 }, (_, index) => index % 256) });
    const page = await openFile('blob.bin');
    await page.getByRole('status').getByText('4 KiB').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).last().click();
    expect((await downloading).suggestedFilename()).toBe('blob.bin');
  });

  it('shows its first and last megabyte when it is too large, and follows what is written to it', async () => {
    await put({ 'large.log': `the first line\n${'x\n'.repeat(5_000_000)}the last line\n` });
    const page = await openFile('large.log');
    await page.getByText('First 1 MiB of 9.5 MiB').waitFor();
    await page.getByText('the first line').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Last', exact: true }).click();
    await page.getByText('Last 1 MiB of 9.5 MiB').waitFor();
    await page.getByText('the last line').waitFor();
    expect(await page.getByText('the first line').count()).toBe(0);
    await page.getByRole('button', { name: 'Follow', exact: true }).click();
    await page.getByText('the last line').waitFor();
    await appendFile(join(sshd.folder, 'large.log'), 'written later\n');
    await page.getByText('written later').waitFor();
    await put({ 'large.log': 'the next log\n' });
    await page.getByText('the next log').waitFor();
    expect(await page.getByText('written later').count()).toBe(0);
  });

  it('in another encoding is shown, read-only, in the encoding that is chosen', async () => {
    await put({ 'latin.txt': Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a]) });
    const page = await openFile('latin.txt');
    await page.getByText('café').waitFor();
    await choose(page.locator('body'), 'Encoding', 'iso-8859-7');
    await page.getByText('cafι').waitFor();
  });

  it('is displayed if it is an image, using a ticket instead of the token', async () => {
    await put({ 'pixel.png': PIXEL, 'broken.png': 'no picture' });
    const page = await openFile('pixel.png');
    await page.getByText('1 × 1').waitFor();
    const src = await page.getByRole('img', { name: 'pixel.png' }).getAttribute('src');
    expect(src).toMatch(/ticket=/);
    expect(src).not.toMatch(/token=/);
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await openFromList(page, 'broken.png');
    await page.getByText('Your browser cannot display this image.').waitFor();
    await page.getByRole('button', { name: 'Open as text' }).click();
    await editorOf(page, 'broken.png').getByText('no picture').waitFor();
  });

  it('is played if it is audio, with Range requests for seeking, even after its ticket expired', async () => {
    await put({ 'long.wav': waveHead(SOUND_BYTES) });
    await truncate(onHost('long.wav'), HEAD_BYTES + SOUND_BYTES); // silence
    const page = await openFile('long.wav');
    const ranges: string[] = [];
    page.on('request', (request) => ranges.push(request.headers()['range'] ?? ''));
    const player = page.locator('audio');
    await expect.poll(() => player.evaluate(durationOf), SOON).toBe(SOUND_SECONDS);
    expect(await visits.accessibility()).toEqual([]);
    await player.evaluate(seekTo, 500);
    await expect.poll(() => player.evaluate(isReadyAt, 500), SOON).toBe(true);
    expect(ranges.some((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1]) > SOUND_BYTES / 4)).toBe(true);
    await gateway.store.db.delete(gateway.store.tables.tickets);
    await player.evaluate(seekTo, 900);
    await expect.poll(() => player.evaluate(isReadyAt, 900), SOON).toBe(true);
  });

  const whole = useVisits({ executablePath: WHOLE_BROWSER });
  it('is displayed if it is a PDF, in the browser’s viewer', async () => {
    await put({ 'paper.pdf': emptyPdf() });
    const page = await openFile('paper.pdf', harbor, whole);
    await page.locator('iframe[title="paper.pdf"]').waitFor();
    await expect.poll(() => page.frames().some((frame) => frame.url().startsWith('blob:')), SOON).toBe(true);
    expect(await whole.accessibility()).toEqual([]);
  });
});

function durationOf(player: Element): number {
  return player instanceof HTMLMediaElement ? player.duration : 0;
}

function seekTo(player: Element, seconds: number): void {
  if (player instanceof HTMLMediaElement) player.currentTime = seconds;
}

function isReadyAt(player: Element, seconds: number): boolean {
  return player instanceof HTMLMediaElement && player.currentTime === seconds && player.readyState >= 2;
}

/** A PDF with one blank page. */
function emptyPdf(): string {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = String(text.length).padStart(10, '0');
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${place} 00000 n \n`;
  });
  const head = `xref\n0 ${places.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const tail = `trailer<</Size ${places.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
  return text + head + tail;
}

/** A 16-bit WAV at 88.2 kHz. */
function waveHead(bytes: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes, 40);
  return head;
}
