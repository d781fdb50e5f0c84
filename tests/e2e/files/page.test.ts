import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { oldCopyName } from '#core/policy/old-copy.ts';
import {
  fileRow,
  listIn,
  onHost,
  openFiles,
  untilCurrent,
  untilListed,
  untilSelected,
} from '../../support/browser/file-pages.ts';
import {
  intercept,
  pick,
  terminalText,
  untilDescribed,
  untilFocused,
  untilTyped,
  useVisits,
} from '../../support/browser/pages.ts';
import { openFilesOn, openTerminalOn } from '../../support/browser/rail.ts';
import { migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  await addHost(gateway, { name: 'harbor', sshd });
  await addHost(gateway, { name: 'mirror', sshd });
  await addHost(gateway, { name: 'museum', sshd, sftp_read_only: true });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});
beforeEach(async () => {
  await onHost(
    sshd,
    'chmod -R u+rwx . && rm -rf ./* && rm -f .sallyport-*.old && mkdir -p docs logs/old && echo one > a.txt',
  );
  await onHost(sshd, 'printf 12345 > b.txt; echo three > c.log; echo deep > logs/old/report-7.txt');
});

const SOON = { timeout: 60_000 };
const ALL = ['docs', 'logs', 'a.txt', 'b.txt', 'c.log'];

async function open(server = 'harbor'): Promise<{ page: Page; grid: Locator }> {
  const page = await visits.open(gateway, '#/');
  return { page, grid: await openFiles(page, server, sshd.folder) };
}

const exists = (path: string) => onHost(sshd, `test -e '${path}' && echo yes || echo no`);
const modeOf = (path: string) => onHost(sshd, `stat -c %a '${path}'`);

describe('A typed path', () => {
  async function type(page: Page, path: string): Promise<void> {
    await page.keyboard.press('Control+l');
    await page.getByRole('combobox', { name: 'Path' }).fill(path);
    await page.keyboard.press('Enter');
  }

  it('is relative to this directory, or with ~ to the home directory, which also has a button', async () => {
    const { page } = await open();
    await type(page, 'logs/old');
    await untilListed(await listIn(page, `${sshd.folder}/logs/old`), ['report-7.txt']);
    await type(page, '../../docs');
    await listIn(page, `${sshd.folder}/docs`);
    await type(page, '~');
    await listIn(page, sshd.home);
    await type(page, `~/..`);
    await listIn(page, dirname(sshd.home));
    await page.getByRole('button', { name: 'Home directory' }).click();
    await listIn(page, sshd.home);
  });

  it('that is long leaves its end in view', async () => {
    const deep = 'a-rather-long-name/another-rather-long-name';
    await onHost(sshd, `mkdir -p logs/${deep}`);
    const { page } = await open();
    await type(page, `logs/${deep}`);
    await listIn(page, `${sshd.folder}/logs/${deep}`);
    const path = page.getByRole('navigation', { name: 'Path' });
    const end = (locator: Locator) =>
      locator.evaluate((element) => Math.floor(element.getBoundingClientRect().right));
    const last = path.getByRole('button', { name: 'another-rather-long-name' });
    expect(await end(last)).toBeLessThanOrEqual(await end(path));
  });

  it('can open a file', async () => {
    const { page } = await open();
    await type(page, 'a.txt');
    await page.getByRole('button', { name: 'Open the file' }).click();
    await page
      .getByRole('textbox', { name: `${sshd.folder}/a.txt` })
      .getByText('one')
      .waitFor();
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await untilCurrent(await listIn(page, sshd.folder), 'a.txt');
  });
});

describe('The file list', () => {
  it('creates a directory and moves the cursor to it', async () => {
    const { page, grid } = await open();
    await page.keyboard.press('F7');
    const dialog = page.getByRole('dialog', { name: 'New directory' });
    await dialog.getByLabel('Name').fill('docs');
    await dialog.getByText('An item with this name already exists.').waitFor();
    await dialog.getByLabel('Name').fill('drafts');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await untilListed(grid, ['docs', 'drafts', 'logs', 'a.txt', 'b.txt', 'c.log']);
    await untilCurrent(grid, 'drafts');
    expect(await exists('drafts')).toBe('yes\n');
  });

  it('creates a file once it is saved', async () => {
    const { page, grid } = await open();
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByRole('menuitem', { name: 'New file…' }).click();
    const dialog = page.getByRole('dialog', { name: 'New file' });
    await dialog.getByLabel('Name').fill('ideas.txt');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'ideas.txt' }).waitFor();
    await page.keyboard.type('first idea');
    expect(await exists('ideas.txt')).toBe('no\n');
    await page.keyboard.press('Control+s');
    await expect.poll(() => exists('ideas.txt'), SOON).toBe('yes\n');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await untilListed(grid, ['docs', 'logs', 'a.txt', 'b.txt', 'c.log', 'ideas.txt']);
  });

  it('renames in place with F2, and shows errors at the name', async () => {
    const { page, grid } = await open();
    await page.keyboard.type('a');
    await untilCurrent(grid, 'a.txt');
    await page.keyboard.press('F2');
    await page.keyboard.type('b');
    await grid.getByText('An item with this name already exists.').waitFor();
    await page.keyboard.type('old');
    await page.keyboard.press('Enter');
    await untilListed(grid, ['docs', 'logs', 'b.txt', 'bold.txt', 'c.log']);
    await untilCurrent(grid, 'bold.txt');
    await untilFocused(grid);
    await page.keyboard.press('F2');
    await page.keyboard.type('nothing');
    await page.keyboard.press('Escape');
    await untilFocused(grid);
    await page.keyboard.press('ArrowDown');
    await untilCurrent(grid, 'c.log');
    expect(await onHost(sshd, 'ls')).toBe('b.txt\nbold.txt\nc.log\ndocs\nlogs\n');
  });

  it('renames in place from the menu of a file', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'a.txt').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await untilFocused(page.getByRole('textbox', { name: 'New name for a.txt' }));
    await page.keyboard.type('z');
    await page.keyboard.press('Enter');
    await untilListed(grid, ['docs', 'logs', 'b.txt', 'c.log', 'z.txt']);
  });

  it('shows owner, group and link target, and filters names', async () => {
    await onHost(sshd, 'ln -s a.txt z-link');
    const { page, grid } = await open();
    const link = fileRow(grid, 'z-link');
    expect(await link.locator('.file-target').textContent()).toBe('→ a.txt');
    const owner = await onHost(sshd, 'stat -c %U:%G a.txt');
    const cells = fileRow(grid, 'a.txt').locator('.file-owner, .file-group');
    expect((await cells.allTextContents()).join(':')).toBe(owner.trim());
    await page.keyboard.press('/');
    await page.keyboard.type('.TXT');
    await untilListed(grid, ['a.txt', 'b.txt']);
    await page.keyboard.press('Enter');
    await untilFocused(grid);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await untilListed(grid, [...ALL, 'z-link']);
  });

  it('selects with Shift, Ctrl, Space and Ctrl+A, shows count and size, and clears with Escape', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'a.txt').locator('.file-modified').click();
    await fileRow(grid, 'c.log')
      .locator('.file-size')
      .click({ modifiers: ['Shift'] });
    await untilSelected(grid, ['a.txt', 'b.txt', 'c.log']);
    await page.getByText('3 selected, 15 B').waitFor();
    await fileRow(grid, 'b.txt')
      .locator('.file-open')
      .click({ modifiers: ['ControlOrMeta'] });
    await untilSelected(grid, ['a.txt', 'c.log']);
    await page.keyboard.press('Control+ArrowUp');
    await page.keyboard.press('Control+ArrowUp');
    await page.keyboard.press('Space');
    await untilSelected(grid, ['logs', 'a.txt', 'c.log']);
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowDown');
    await untilSelected(grid, ['docs', 'logs']);
    await page.keyboard.press('Control+a');
    await untilSelected(grid, ALL);
    await page.keyboard.press('Escape');
    await untilSelected(grid, []);
  });

  it('deletes the selection after listing it, and moves the cursor to the next row', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'logs').locator('.file-modified').click();
    await fileRow(grid, 'a.txt')
      .locator('.file-size')
      .click({ modifiers: ['ControlOrMeta'] });
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 2 items?' });
    await dialog.getByText('Directories are deleted with everything in them.').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['logs/', 'a.txt']);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilListed(grid, ['docs', 'b.txt', 'c.log']);
    await untilCurrent(grid, 'b.txt');
    await untilFocused(grid);
    await page.keyboard.press('ArrowDown');
    await untilCurrent(grid, 'c.log');
    expect(await onHost(sshd, 'ls')).toBe('b.txt\nc.log\ndocs\n');
  });

  it('shows names that are not UTF-8, and opens, renames, downloads and deletes them', async () => {
    const script = String.raw`deep=$(printf 'd\377'); mkdir $deep; echo x > $deep/$(printf '\376')`;
    await onHost(sshd, script);
    await onHost(
      sshd,
      String.raw`echo 1234 > $(printf 'caf\351.txt'); echo 12345678 > $(printf 'caf\350.txt')`,
    );
    const { page, grid } = await open();
    const deep = fileRow(grid, 'd\ufffd');
    await deep.locator('[title="d\ufffd (not valid UTF-8: \ufffd stands for other bytes)"]').waitFor();
    await deep.dblclick();
    const below = await listIn(page, `bytes:${sshd.folder}/d%FF`);
    await untilListed(below, ['\ufffd']);
    await page.keyboard.press('F2');
    await page.keyboard.type('100% plain');
    await page.keyboard.press('Enter');
    await untilListed(below, ['100% plain']);
    await page.keyboard.press('Backspace');
    await untilCurrent(await listIn(page, sshd.folder), 'd\ufffd');
    const small = fileRow(grid, 'caf\ufffd.txt').filter({ hasText: '5 B' });
    expect(await small.locator('.file-spelled').textContent()).toBe('caf%E9.txt'); // the other one shows caf%E8.txt
    const downloading = page.waitForEvent('download');
    await small.getByRole('button', { name: 'Download' }).click();
    const file = await downloading;
    expect([file.suggestedFilename(), String(await readFile(await file.path()))]).toEqual([
      'caf%E9.txt',
      '1234\n',
    ]);
    await small.locator('.file-modified').click();
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilListed(grid, ['docs', 'd\ufffd', 'logs', 'a.txt', 'b.txt', 'c.log', 'caf\ufffd.txt']);
    expect(await onHost(sshd, 'LC_ALL=C ls -b . d?')).toContain('caf\\350.txt');
    expect(await onHost(sshd, 'LC_ALL=C ls -b d?')).toBe('100%\\ plain\n');
  });

  it('lists the items that could not be deleted, with the reasons', async () => {
    await onHost(sshd, 'mkdir locked && echo kept > locked/kept.txt && chmod 500 locked');
    const { page, grid } = await open();
    await fileRow(grid, 'locked').locator('.file-modified').click();
    await fileRow(grid, 'a.txt')
      .locator('.file-size')
      .click({ modifiers: ['ControlOrMeta'] });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('1 of 2 not deleted').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'locked' }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await untilListed(grid, ['docs', 'locked', 'logs', 'b.txt', 'c.log']);
  });

  it('changes permissions with checkboxes or an octal number, also recursively', async () => {
    await onHost(sshd, 'chmod 644 a.txt; chmod 700 logs logs/old; chmod 600 logs/old/report-7.txt');
    const { page, grid } = await open();
    await fileRow(grid, 'a.txt').locator('.file-modified').click();
    await page.getByRole('button', { name: 'Permissions…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Permissions of a.txt' });
    await dialog.getByRole('checkbox', { name: 'Group: Write' }).check();
    await dialog.getByRole('checkbox', { name: 'Others: Read' }).uncheck();
    expect(await dialog.getByLabel('Octal').inputValue()).toBe('660');
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Set permissions' }).click();
    await dialog.waitFor({ state: 'detached' });
    await fileRow(grid, 'a.txt').getByText('-rw-rw----').waitFor();
    expect(await modeOf('a.txt')).toBe('660\n');

    await fileRow(grid, 'logs').locator('.file-modified').click();
    await page.getByRole('button', { name: 'Permissions…' }).click();
    const second = page.getByRole('dialog', { name: 'Permissions of logs' });
    await second.getByLabel('Octal').fill('750');
    await second.getByText('Apply to everything inside').click();
    await second.getByRole('button', { name: 'Set permissions' }).click();
    await second.waitFor({ state: 'detached' });
    expect([await modeOf('logs'), await modeOf('logs/old/report-7.txt')]).toEqual(['750\n', '750\n']);
  });

  it('searches subdirectories, and opens the directory of a result', async () => {
    const { page } = await open();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('report');
    await page.keyboard.press('Enter');
    await page.getByText('1 found', { exact: true }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Show report-7.txt in its directory' }).click();
    const below = await listIn(page, `${sshd.folder}/logs/old`);
    await untilCurrent(below, 'report-7.txt');
  });

  it('downloads several items as one ZIP archive', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'logs').locator('.file-modified').click();
    await fileRow(grid, 'b.txt')
      .locator('.file-size')
      .click({ modifiers: ['ControlOrMeta'] });
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe('files.zip');
    const bytes = await readFile(await file.path());
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    expect(bytes.includes('logs/old/report-7.txt')).toBe(true);
    expect(file.url()).not.toContain('token=');
  });

  it('opens a context menu by right-click and Shift+F10, and copies a path', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'b.txt').locator('.file-modified').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Properties' }).click();
    const dialog = page.getByRole('dialog', { name: 'Properties' });
    await dialog.getByText(join(sshd.folder, 'b.txt')).waitFor();
    await page.keyboard.press('Escape');
    await untilFocused(grid);
    await page.keyboard.press('ArrowDown');
    await untilCurrent(grid, 'c.log');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menu').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('menuitem', { name: 'Copy path' }).click();
    await page.getByText('1 path copied').waitFor();
    await untilFocused(grid);
    await page.keyboard.press('ArrowUp');
    await untilCurrent(grid, 'b.txt');
  });

  it('is worked on from the palette, which also opens what creates something elsewhere', async () => {
    const { page, grid } = await open();
    const option = page.getByRole('option').first();
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command palette' }).fill(text);
      return option.textContent();
    };
    await fileRow(grid, 'a.txt').getByRole('checkbox').click();
    expect(await find('rename')).toBe('Renamea.txt');
    await page.keyboard.press('Enter');
    const name = grid.getByRole('textbox');
    await untilFocused(name);
    await name.fill('z.txt');
    await name.press('Enter');
    await untilListed(grid, ['docs', 'logs', 'b.txt', 'c.log', 'z.txt']);
    await untilFocused(grid);
    expect(await find('upload folder')).toBe(`Upload folder…${sshd.folder}`);
    await page.keyboard.press('Escape');
    expect(await find('create key')).toBe('Create keyAPI keys');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create key' }).waitFor();
  });

  it('opens a terminal with the way to a directory at its prompt, and the files of where a shell is', async () => {
    const odd = `${sshd.folder}/it's $here`;
    await onHost(sshd, `mkdir "it's \\$here"`);
    const { page, grid } = await open();
    await fileRow(grid, "it's $here").locator('.file-modified').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open terminal here' }).click();
    const typed = async () => (await terminalText(page)).replaceAll('\n', '').replace(/\s+/g, ' ').trimEnd();
    await expect.poll(typed, SOON).toMatch(/\$ cd -- '\/.*it'"'"'s \$here'$/);
    await page.keyboard.press('Enter');
    await page.keyboard.type(`printf '\\033]7;file://harbor%s\\007' "$(pwd | sed "s/ /%20/")"; echo to"ld"`);
    await page.keyboard.press('Enter');
    await untilTyped(page, /^told/m);
    await page.locator('.panel:not([hidden])').getByRole('button', { name: 'Files on this server' }).click();
    await listIn(page, odd);
  });

  it('leaves a menu open that was opened while the list was loading', async () => {
    const page = await visits.open(gateway, '#/');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, '**/ls?*', (route) => held.then(() => route.continue()));
    await openFilesOn(page, 'harbor');
    await page.getByRole('button', { name: 'New', exact: true }).click();
    const menu = page.getByRole('menu');
    await expect.poll(() => menu.evaluate((it) => it.contains(document.activeElement)), SOON).toBe(true);
    release();
    await page.getByRole('grid', { name: 'Files in /' }).last().waitFor();
    await page.evaluate(
      'new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done))))',
    );
    await menu.getByRole('menuitem', { name: 'New file' }).click();
    await page.getByRole('dialog', { name: 'New file' }).waitFor();
  });

  it('completes a typed path with Tab', async () => {
    const { page } = await open();
    await page.keyboard.press('Control+l');
    const box = page.getByRole('combobox', { name: 'Path' });
    await box.fill(`${sshd.folder}/lo`);
    await page.getByRole('option', { name: `${sshd.folder}/logs/` }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await page.keyboard.press('Tab');
    await page.getByRole('option', { name: `${sshd.folder}/logs/old/` }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await box.inputValue()).toBe(`${sshd.folder}/logs/old/`);
    await page.keyboard.press('Enter');
    await untilListed(await listIn(page, `${sshd.folder}/logs/old`), ['report-7.txt']);
  });
});

describe('Dragging', () => {
  it('moves the selection into a listed directory, and can be undone', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'a.txt').locator('.file-modified').click();
    await fileRow(grid, 'c.log')
      .locator('.file-modified')
      .click({ modifiers: ['ControlOrMeta'] });
    await fileRow(grid, 'a.txt').dragTo(fileRow(grid, 'docs'));
    await untilListed(grid, ['docs', 'logs', 'b.txt']);
    expect(await onHost(sshd, 'ls docs')).toBe('a.txt\nc.log\n');
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilListed(grid, ALL);
    expect(await onHost(sshd, 'ls docs')).toBe('');
  });

  it('reports items whose name is taken, and replaces them on request', async () => {
    await onHost(sshd, 'echo before > docs/a.txt');
    const { page, grid } = await open();
    await fileRow(grid, 'a.txt').dragTo(fileRow(grid, 'docs'));
    await page.getByText('1 of 1 not moved').waitFor();
    await page.getByRole('button', { name: 'Replace existing items' }).click();
    await untilListed(grid, ['docs', 'logs', 'b.txt', 'c.log']);
    expect(await onHost(sshd, 'cat docs/a.txt')).toBe('one\n');
  });

  it('moves into a directory of the path bar', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'logs').locator('.file-open').click();
    const below = await listIn(page, `${sshd.folder}/logs`);
    const crumb = page.getByRole('navigation', { name: 'Path' }).getByRole('button', { name: 'files' });
    await fileRow(below, 'old').dragTo(crumb);
    await untilListed(below, []);
    expect(await exists('old/report-7.txt')).toBe('yes\n');
  });
});

describe('Another server', () => {
  it('receives a copy through the dialog, without a mouse', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'logs').locator('.file-modified').click();
    await page.getByRole('button', { name: 'Copy or move to…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy or move logs' });
    const directory = dialog.getByRole('combobox', { name: 'Destination directory' });
    await directory.fill(`${sshd.folder}/docs`);
    const server = dialog.getByRole('combobox', { name: 'Destination server' });
    await server.fill('mirr');
    await server.press('Enter');
    await expect.poll(() => server.inputValue(), SOON).toBe('mirror');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    expect(await directory.inputValue()).toBe(`${sshd.folder}/docs`);
    await directory.fill(`${sshd.folder}/doc`);
    await directory.fill(`${sshd.folder}/docs`);
    await dialog.getByRole('option', { name: `${sshd.folder}/docs/` }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => exists('docs/logs/old/report-7.txt'), SOON).toBe('yes\n');
    expect(await exists('logs/old/report-7.txt')).toBe('yes\n');
  });

  it('receives a copy in its home directory unless another one is typed, and is named if that fails', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'logs').locator('.file-modified').click();
    await page.getByRole('button', { name: 'Copy or move to…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy or move logs' });
    const directory = dialog.getByRole('combobox', { name: 'Destination directory' });
    expect(await directory.inputValue()).toBe(`${sshd.folder}/`);
    await pick(dialog, 'Destination server', 'mirror');
    await expect.poll(() => directory.inputValue(), SOON).toBe(`${sshd.home}/`);
    await pick(dialog, 'Destination server', 'harbor');
    await expect.poll(() => directory.inputValue(), SOON).toBe(`${sshd.folder}/`);
    await pick(dialog, 'Destination server', 'mirror');
    await directory.fill('/proc');
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Details', { exact: true }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: `${sshd.folder}/logs to mirror:/proc` })
      .first()
      .waitFor();
  });

  it('is rejected as a destination if its files are read-only, with the reason', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'logs').locator('.file-modified').click();
    await page.getByRole('button', { name: 'Copy or move to…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy or move logs' });
    const server = dialog.getByRole('combobox', { name: 'Destination server' });
    await server.click();
    const names = () => dialog.getByRole('option').allTextContents();
    await expect.poll(names, SOON).toEqual(['harbor', 'mirror', 'museum']);
    await server.fill('muse');
    await expect.poll(names, SOON).toContain('museum');
    await server.press('Enter');
    await dialog.getByText('Files on the destination server are read-only.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Copy', exact: true }).isDisabled()).toBe(true);
  });
});

describe('Files from the desktop', () => {
  it('are uploaded into the directory they are dropped on', async () => {
    const { page, grid } = await open();
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['from the desktop'], 'note.txt'));
      return transfer;
    });
    const target = fileRow(grid, 'docs');
    await target.dispatchEvent('dragover', { dataTransfer: data });
    await expect.poll(() => grid.locator('tr.file-drop .file-open').allTextContents()).toEqual(['docs']);
    await target.dispatchEvent('drop', { dataTransfer: data });
    await expect.poll(() => exists('docs/note.txt'), SOON).toBe('yes\n');
    expect(await onHost(sshd, 'cat docs/note.txt')).toBe('from the desktop');
  });
});

describe('Panes', () => {
  it('are side by side, and files can be dragged between them', async () => {
    const { page } = await open();
    await page.keyboard.press('Control+Shift+E');
    const panels = page.locator('.panel:not([hidden])');
    await expect.poll(() => panels.count()).toBe(2);
    const [first, second] = [panels.first().getByRole('grid'), panels.last().getByRole('grid')];
    await untilListed(second, ALL);
    await fileRow(second, 'docs').locator('.file-open').click();
    const docs = await listIn(page, `${sshd.folder}/docs`);
    await fileRow(first, 'b.txt').dragTo(docs);
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('menuitem', { name: 'Copy here' }).click();
    await untilListed(docs, ['b.txt']);
    await fileRow(first, 'a.txt').dragTo(docs);
    await page.getByRole('menuitem', { name: 'Move here' }).click();
    await untilListed(docs, ['a.txt', 'b.txt']);
    await untilListed(first, ['docs', 'logs', 'b.txt', 'c.log']);
    expect(await onHost(sshd, 'ls docs')).toBe('a.txt\nb.txt\n');
  });

  it('keep a shell running when its tab is dragged to another pane, and keep the layout after a reload', async () => {
    const { page } = await open();
    await openTerminalOn(page, 'harbor');
    await page.getByText('Connected').waitFor();
    await page.keyboard.type('mark=still; echo $((40 + 2))-here\n');
    await untilTyped(page, /42-here/);
    const panel = page.locator('.panel:not([hidden])');
    const box = await panel.boundingBox();
    const targetPosition = { x: (box?.width ?? 0) - 30, y: (box?.height ?? 0) / 2 };
    await page
      .getByRole('tab', { name: 'Terminal: harbor' })
      .dragTo(page.locator('main'), { targetPosition });
    await expect.poll(() => page.locator('.panel:not([hidden])').count()).toBe(2);
    await page.keyboard.type('echo $mark-running\n'); // typed into the page: the pane has the focus
    await untilTyped(page, /still-running/);
    await page.keyboard.press('Control+F6');
    await untilFocused(page.getByRole('grid'));
    await page.keyboard.press('End');
    await untilCurrent(page.getByRole('grid'), 'c.log');
    await page.reload();
    await expect.poll(() => page.locator('.panel:not([hidden])').count()).toBe(2);
    await untilFocused(page.getByRole('grid')); // it takes the focus once it is listed
    await page.getByRole('tab', { name: 'Terminal: harbor' }).press('Delete');
    await expect.poll(() => page.getByRole('tablist').count()).toBe(1);
  });
});

describe('The server of a tab', () => {
  const whole = (all: Element[]) =>
    all
      .filter((one) => one.checkVisibility() && one.scrollWidth <= one.clientWidth)
      .map((one) => one.textContent);

  it('is named beside its directory at once, in tabs of files with the same name, and in panes of any width', async () => {
    const { page, grid } = await open();
    await fileRow(grid, 'a.txt').locator('.file-open').click();
    await page.getByRole('tab', { name: 'File: a.txt', exact: true }).waitFor();
    await openFilesOn(page, 'mirror');
    await page.getByRole('tab', { name: `Files: mirror ${basename(sshd.home)}` }).waitFor();
    await page.keyboard.press('Control+l');
    await page.getByRole('combobox', { name: 'Path' }).fill(sshd.folder);
    await page.keyboard.press('Enter');
    const mirror = await listIn(page, sshd.folder);
    await fileRow(mirror, 'a.txt').locator('.file-open').click();
    await page.getByRole('tab', { name: 'File: a.txt · mirror' }).waitFor();
    await page.getByRole('tab', { name: 'File: a.txt · harbor' }).waitFor();

    await page.getByRole('button', { name: 'Move to a new pane on the right' }).click();
    const panels = page.locator('.panel:not([hidden])');
    await expect.poll(() => panels.count()).toBe(2);
    for (const width of [1280, 1000, 740]) {
      await page.setViewportSize({ width, height: 800 });
      const seen = async () => [width, ...(await panels.locator('.pane-server').evaluateAll(whole))];
      await expect.poll(seen).toEqual([width, 'mirror', 'mirror']);
    }
    await page.getByRole('button', { name: 'More actions for a.txt · mirror' }).click();
    await page.getByRole('menuitem', { name: 'Go to line' }).waitFor();
    const again = page.getByRole('menuitem', { name: 'Move to a new pane on the right' });
    expect(await again.getAttribute('title')).toBe('It is the only tab in this pane.');
  });
});

describe('A forbidden action', () => {
  it('outside the allowed directories is labelled, not offered', async () => {
    await addHost(gateway, { name: 'cell', sshd, sftp_allowed_paths: [`${sshd.folder}/logs`] });
    const page = await visits.open(gateway, '#/');
    await openFilesOn(page, 'cell');
    await untilListed(await listIn(page, `${sshd.folder}/logs`), ['old']);
    const path = page.getByRole('navigation', { name: 'Path' });
    await path.getByTitle('This is outside the allowed directories of this server.').first().waitFor();
    expect(await path.getByRole('button').allTextContents()).toEqual(['logs']);
    await page.keyboard.press('Control+l');
    await page.getByRole('combobox', { name: 'Path' }).fill('/etc');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Go to ${sshd.folder}/logs` }).click();
    await untilListed(await listIn(page, `${sshd.folder}/logs`), ['old']);
  });

  it('is disabled with a reason, which is also announced when its key is pressed', async () => {
    const { page, grid } = await open('museum');
    const rename = page.getByRole('button', { name: 'Rename' });
    await fileRow(grid, 'docs').locator('.file-modified').click();
    expect(await rename.getAttribute('aria-disabled')).toBe('true');
    await untilDescribed(rename, 'Files on this server are read-only.');
    await page.keyboard.press('F2');
    await page.getByRole('status').getByText('Files on this server are read-only.').waitFor();
    const download = page.getByRole('button', { name: 'Download', exact: true });
    expect(await download.getAttribute('aria-disabled')).toBe('false');
    for (const name of ['New', 'Upload']) {
      const button = page.getByRole('button', { name, exact: true });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await untilDescribed(button, 'Files on this server are read-only.');
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command palette' }).fill(sshd.folder);
    await page.getByRole('option', { name: /^Refresh/ }).waitFor();
    expect(await page.getByRole('option', { name: /^(Upload|New)/ }).count()).toBe(0);
  });

  it('refuses on a read-only server F7, the menu of an empty directory, and drops', async () => {
    const { page, grid } = await open('museum');
    const said = page.getByRole('status').getByText('Files on this server are read-only.');
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['from the desktop'], 'note.txt'));
      return transfer;
    });
    await fileRow(grid, 'docs').dispatchEvent('dragover', { dataTransfer: data });
    await said.waitFor();
    expect(await grid.locator('tr.file-drop').count()).toBe(0);
    await fileRow(grid, 'docs').dispatchEvent('drop', { dataTransfer: data });
    await fileRow(grid, 'docs').getByRole('button', { name: 'docs' }).dblclick();
    const empty = await listIn(page, `${sshd.folder}/docs`);
    await untilFocused(empty);
    await page.keyboard.press('F7');
    await said.waitFor();
    await page.keyboard.press('Shift+F10');
    const menu = page.getByRole('menu');
    await menu.getByText('Files on this server are read-only.').waitFor();
    for (const name of ['New directory…', 'New file…'])
      expect(await menu.getByRole('menuitem', { name }).getAttribute('aria-disabled')).toBe('true');
    expect(await onHost(sshd, 'ls docs')).toBe('');
  });
});

describe('The controls of a list', () => {
  it('have tools for the selection only while there is one, without moving the others', async () => {
    const { page, grid } = await open();
    const others = ['New', 'Upload', 'Search in subdirectories'].map((name) =>
      page.getByRole('button', { name, exact: true }),
    );
    const places = () => Promise.all(others.map((other) => other.boundingBox()));
    const rename = page.getByRole('button', { name: 'Rename' });
    const before = await places();
    expect(await rename.count()).toBe(0);
    await fileRow(grid, 'b.txt').locator('.file-modified').click();
    await rename.waitFor();
    expect(await places()).toEqual(before);
    await page.keyboard.press('Escape');
    await rename.waitFor({ state: 'detached' });
  });

  it('share one row at any width, and are all in a menu where it is narrow', async () => {
    const { page, grid } = await open();
    const bar = page.locator('.panel:not([hidden]) .files-bar');
    const rows = async () => {
      const boxes = await bar.locator('button:not(.crumb):visible, input:visible').evaluateAll((all) =>
        all.map((one) => {
          const { top, height, left, right } = one.getBoundingClientRect();
          return { middle: Math.round((top + height / 2) / 4), is_in: left >= 0 && right <= innerWidth };
        }),
      );
      return {
        rows: new Set(boxes.map(({ middle }) => middle)).size,
        is_in: boxes.every(({ is_in }) => is_in),
      };
    };
    for (const width of [1280, 900, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const seen = async () => ({ width, ...(await rows()) });
      await expect.poll(seen).toEqual({ width, rows: 1, is_in: true });
    }
    await fileRow(grid, 'b.txt').locator('.file-name').click();
    await page.getByRole('button', { name: 'File actions' }).click();
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('menuitem', { name: 'Permissions' }).waitFor();
    await page.getByRole('menuitem', { name: 'Home directory' }).click();
    await listIn(page, sshd.home);
  });
});

describe('The changes of a file', () => {
  async function changed(): Promise<string> {
    const path = `${sshd.folder}/a.txt`;
    const servers = await gateway.admin.call<{ id: number; name: string }[]>('GET', '/api/servers');
    const id = servers.body.find(({ name }) => name === 'harbor')?.id;
    await gateway.admin.call('PUT', `/api/files/${id}/write`, { path, content: 'changed' });
    await onHost(sshd, `umask 077 && printf before > '${await oldCopyName(path)}'`);
    return path;
  }

  it('lead to the audit log, and what an interrupted save has left is restored', async () => {
    const path = await changed();
    const { page, grid } = await open();
    await fileRow(grid, 'a.txt').locator('.file-modified').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Who changed this…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Changes to a.txt' });
    await dialog.getByRole('button', { name: 'Restore…' }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Restore…' }).click();
    const question = page.getByRole('alertdialog', { name: 'Restore the previous content?' });
    await question.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByText('No interrupted save has left a copy').waitFor();
    expect(await onHost(sshd, "cat a.txt; ls -A | grep -c '[.]old$' || true")).toBe('before0\n');
    await dialog.getByRole('link', { name: 'Show in the audit log' }).click();
    const log = page.getByRole('main');
    await expect.poll(() => log.getByText(path).count(), SOON).toBeGreaterThanOrEqual(2);
  });

  it('open from the tab of the file, where its copy is compared with it', async () => {
    const path = await changed();
    const { page, grid } = await open();
    await fileRow(grid, 'a.txt').locator('.file-open').click();
    await untilFocused(page.getByRole('textbox', { name: path, exact: true })); // it would close the menu
    await page.getByRole('tab', { name: 'File: a.txt', exact: true }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Who changed this…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Changes to a.txt' });
    await dialog.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.cm-mergeView').getByText('before').waitFor();
    await page.locator('.cm-mergeView').getByText('changed').waitFor();
  });
});

describe('Demo mode', () => {
  it('downloads one directory as an archive without a ticket, and explains why several are not possible', async () => {
    const database = await migratedDatabaseUrl('sqlite');
    onTestFinished(database.cleanup);
    const before = await startGateway({ database_url: database.url });
    await addHost(before, { name: 'exhibit', sshd, group: 'demo' });
    await before.close();
    const env = { SERVICE_DEMO_MODE: 'true' };
    const demo = await startGateway({ database_url: database.url, env, untouched: true });
    onTestFinished(demo.close);
    const page = await visits.enter(demo.url);
    await page.getByRole('button', { name: /Sign in as demo/ }).click();
    const grid = await openFiles(page, 'exhibit', sshd.folder);
    await fileRow(grid, 'logs').locator('.file-modified').click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    expect((await downloading).suggestedFilename()).toBe('logs.zip');
    await page.keyboard.press('Control+a');
    const download = page.getByRole('button', { name: 'Download', exact: true });
    await untilDescribed(download, 'In this demo you can download only one item at a time.');
    await untilDescribed(
      page.getByRole('button', { name: 'Delete', exact: true }),
      'Changes are disabled in this demo.',
    );
  });
});
