import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServerExport } from '#core/model/hosts/server-transfer.ts';
import { goTo, speakSpanish, useVisits } from '../../support/browser/pages.ts';
import { serverInRail } from '../../support/browser/rail.ts';
import { detailsOf, rowOf, serversScreen } from '../../support/browser/server-pages.ts';
import { addHost } from '../../support/features/chain.ts';
import { serversOf, waysOf } from '../../support/features/imports.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { scanHost } from '../../support/hosts/known-hosts.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});
beforeEach(async () => {
  const { db, tables } = gateway.store;
  await db.update(tables.servers).set({ jump_via_id: null });
  await db.delete(tables.servers);
  await addHost(gateway, { name: 'gate', sshd });
});

async function openDialog(page: Page, button: string): Promise<Locator> {
  await serversScreen(page).getByRole('button', { name: button }).click();
  return page.getByRole('dialog', { name: button });
}

async function listed(dialog: Locator, name: string | RegExp): Promise<string[]> {
  const list = dialog.getByRole('list', { name });
  await list.waitFor();
  return list.getByRole('listitem').allTextContents();
}

describe('An import of servers in the browser', () => {
  it('is offered on the empty page, and marks what was imported before', async () => {
    await gateway.store.db.delete(gateway.store.tables.servers);
    const page = await visits.open(gateway, '#/');
    await page.getByRole('main').getByRole('button', { name: 'Import from ~/.ssh/config' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import servers' });
    await dialog.getByLabel('JSON or OpenSSH configuration').fill('Host web\n  HostName web.example.com\n');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('1 server added.').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await serverInRail(page, 'web').waitFor();
    await goTo(page, '#/admin/servers');
    const again = await openDialog(page, 'Import servers');
    await again.getByLabel('JSON or OpenSSH configuration').fill('Host web\nHost new\n');
    const hosts = await listed(again, /^OpenSSH configuration with 2 hosts\./);
    expect(hosts).toEqual(['weba server with this name already exists', 'new']);
    expect(await again.getByRole('checkbox', { name: 'web', exact: true }).isChecked()).toBe(false);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('previews a JSON text, then shows the result', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    const dialog = await openDialog(page, 'Import servers');
    const send = dialog.getByRole('button', { name: 'Import', exact: true });
    expect(await send.isDisabled()).toBe(true);
    const web = { name: 'web', hostname: 'web.example.com', username: 'deploy', jump_via_name: 'edge' };
    const edge = { name: 'edge', hostname: 'edge.example.com', username: 'jump', auth_method: 'prompt' };
    const gate = { name: 'gate', hostname: 'other.example.com', username: 'jump', auth_method: 'prompt' };
    await dialog.getByLabel('JSON or OpenSSH configuration').fill(JSON.stringify([web, edge, gate]));
    expect(await listed(dialog, 'Sallyport export with 3 servers')).toEqual([
      'web',
      'edge',
      'gatea server with this name already exists',
    ]);
    const known = dialog.getByRole('checkbox', { name: 'gate', exact: true });
    expect(await known.isChecked()).toBe(false);
    await known.press('Space');
    expect(await dialog.getByRole('checkbox', { name: 'All (3 chosen)' }).isChecked()).toBe(true);
    await send.click();
    await dialog.getByText('3 servers added.').waitFor();
    expect(await listed(dialog, 'Warnings')).toEqual([
      'There are servers of these names already: gate',
      'No credential is stored for: web',
    ]);
    expect(await listed(dialog, 'Added')).toContain('web (web.example.com)');
    await dialog.getByRole('button', { name: 'Done' }).click();
    const details = await detailsOf(page, 'web');
    await details.getByText('jump host edge').waitFor();
    await details.getByText('not stored').waitFor();
  });

  it('tells its warnings in the language of the page', async () => {
    const page = await visits.open(gateway, '#/account/preferences');
    await speakSpanish(page);
    await page.getByRole('heading', { name: 'Preferencias' }).waitFor();
    await goTo(page, '#/admin/servers');
    await page.locator('.screen').getByRole('button', { name: 'Importar servidores' }).click();
    const dialog = page.getByRole('dialog');
    const web = { name: 'web', hostname: 'web.example.com', username: 'deploy', jump_via_name: 'nowhere' };
    await dialog
      .getByRole('textbox')
      .first()
      .fill(JSON.stringify([web]));
    await dialog.getByRole('button', { name: 'Importar', exact: true }).click();
    const warnings = await listed(dialog, 'Avisos');
    expect(warnings).toEqual([
      'No hay credencial guardada para: web',
      'web: no hay ningún servidor con el nombre nowhere; se ha añadido sin host de salto',
    ]);
  });

  it('names the invalid server, adds none, and keeps the text', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    const dialog = await openDialog(page, 'Import servers');
    const right = { name: 'right', hostname: 'right.example.com', username: 'deploy' };
    const text = JSON.stringify({ servers: [right, { ...right, name: 'wrong', port: 70_000 }] });
    await dialog.getByLabel('JSON or OpenSSH configuration').fill(text);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('Nothing was imported').waitFor();
    expect(await listed(dialog, 'Problems')).toEqual([expect.stringMatching(/^wrong · port: /)]);
    expect(await dialog.getByLabel('JSON or OpenSSH configuration').inputValue()).toBe(text);
    expect(await serversOf(gateway)).toHaveLength(1);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('reads an OpenSSH configuration file into a group', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    const dialog = await openDialog(page, 'Import servers');
    const config =
      'Host web\n  HostName web.example.com\n  ProxyJump gate\n  IdentityFile ~/.ssh/id_web\nHost old\nHost *\n  User ops\n';
    const choosing = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose file…' }).click();
    await (await choosing).setFiles({ name: 'config', mimeType: 'text/plain', buffer: Buffer.from(config) });
    expect(await listed(dialog, /^OpenSSH configuration with 2 hosts\./)).toEqual(['web', 'old']);
    await dialog.getByRole('checkbox', { name: 'old', exact: true }).press('Space');
    await dialog.getByLabel('Group').fill('work');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('1 server added.').waitFor();
    expect(await listed(dialog, 'Warnings')).toContainEqual(
      expect.stringContaining('its IdentityFile is not read'),
    );
    await dialog.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'web').getByText('ops@web.example.com:22').waitFor();
    await rowOf(page, 'web').getByText('work').waitFor();
    await rowOf(page, 'web').getByText('Ask when connecting').waitFor();
    expect(await waysOf(gateway)).toEqual({ gate: null, web: 'gate' });
  });
});

describe('An import of known_hosts in the browser', () => {
  it('pins the keys of a scan, and lists them', async () => {
    const fingerprint = await sshd.hostFingerprint();
    const page = await visits.open(gateway, '#/admin/servers');
    const details = await detailsOf(page, 'gate');
    await details.getByText('not pinned yet').waitFor();
    const dialog = await openDialog(page, 'Import known_hosts');
    await dialog.getByLabel('Contents of known_hosts').fill(await scanHost(sshd.port));
    await dialog.getByRole('button', { name: 'Pin keys' }).click();
    await dialog.getByText('Pinned: 1. Already pinned to one of these keys: 0.').waitFor();
    expect(await listed(dialog, 'Pinned')).toEqual([`gate ${fingerprint}`]);
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await details.getByText(fingerprint).waitFor();
  });
});

describe('The export in the browser', () => {
  it('saves a file of all servers without credentials, which can be imported', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    await serversScreen(page).getByRole('button', { name: 'Export servers' }).click();
    const question = page.getByRole('alertdialog', { name: 'Export servers' });
    await question.waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await question.getByText('Passwords, keys and passphrases are not included.').waitFor();
    const saving = page.waitForEvent('download');
    await question.getByRole('button', { name: 'Download JSON' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toMatch(/^sallyport-servers-\d{4}-\d\d-\d\d\.json$/);
    const text = await readFile(await download.path(), 'utf8');
    expect(ServerExport.array().parse(JSON.parse(text))).toMatchObject([{ name: 'gate', port: sshd.port }]);
    expect(text).not.toContain(sshd.password);
    expect(text).not.toMatch(/"(password|private_key|passphrase)":/);

    const dialog = await openDialog(page, 'Import servers');
    await dialog.getByLabel('JSON or OpenSSH configuration').fill(text);
    await dialog.getByText('Sallyport export with 1 server').waitFor();
  });
});
