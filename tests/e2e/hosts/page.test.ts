import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import {
  choose,
  goTo,
  pick,
  speakSpanish,
  untilDescribed,
  untilFocused,
  useVisits,
} from '../../support/browser/pages.ts';
import { ask, queryBar } from '../../support/browser/query-bar.ts';
import {
  chooseOf,
  detailsOf,
  rowOf,
  serversScreen,
  stagesAt,
  untilStages,
} from '../../support/browser/server-pages.ts';
import { addHost, serverOf, testOf } from '../../support/features/chain.ts';
import { serversOf } from '../../support/features/imports.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { startHeldProxy } from '../../support/hosts/held-proxy.ts';
import { scanHost } from '../../support/hosts/known-hosts.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const HOP_STAGES = ['Name resolution', 'TCP connection', 'SSH handshake', 'Host key', 'Authentication'];

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;
let bastion: Sshd;

beforeAll(async () => {
  [sshd, bastion] = await Promise.all([startSshd(), startSshd()]);
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([sshd?.stop(), bastion?.stop()]);
});
beforeEach(async () => {
  const { db, tables } = gateway.store;
  await db.update(tables.servers).set({ jump_via_id: null });
  await db.delete(tables.servers);
});

async function addChain(): Promise<{ gate: Server; harbor: Server }> {
  const gate = await addHost(gateway, { name: 'gate', sshd: bastion });
  return { gate, harbor: await addHost(gateway, { name: 'harbor', sshd, jump_via_id: gate.id }) };
}

async function fillIn(form: Locator, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(fields))
    await form.getByLabel(label, { exact: true }).fill(text);
}

const switchOver = (form: Locator, label: string) => form.getByRole('switch', { name: label }).press('Space');

async function openForm(page: Page): Promise<Locator> {
  await serversScreen(page).getByRole('button', { name: 'Add server' }).click();
  return page.getByRole('dialog');
}

const more = (form: Locator) => form.getByRole('button', { name: /^More/ });

/** Fills in every field. */
async function fillInAll(form: Locator, port: number): Promise<void> {
  await more(form).click();
  await fillIn(form, {
    Name: 'harbor',
    'Hostname or IP address': '127.0.0.1',
    Port: String(port),
    Description: 'Behind the gate',
    'SSH username': sshd.username,
    'Allowed directories': '/srv\n/var/log',
  });
  await form.getByRole('combobox', { name: 'Group' }).fill('production');
  await form.getByRole('combobox', { name: 'Tags' }).fill('eu, web, eu');
  await pick(form, 'Jump host', 'gate');
  await choose(form, 'Authentication', 'Private key');
  await fillIn(form, { 'Private key text': sshd.encrypted_private_key, Passphrase: sshd.passphrase });
  await choose(form, 'Algorithms', 'Legacy: for old switches and appliances');
  await form.getByText('Legacy also allows weak or broken algorithms').waitFor();
  await choose(form, 'Record terminals', 'Never');
  for (const label of ['Terminal (SSH)', 'Read-only files']) await switchOver(form, label);
}

describe('The server form', () => {
  it('adds a server with every field', async () => {
    const gate = await addHost(gateway, { name: 'gate', sshd: bastion });
    const page = await visits.open(gateway, '#/');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Administration' }).click();
    await page.getByRole('link', { name: 'Servers', exact: true }).click();
    const form = await openForm(page);
    await fillInAll(form, sshd.port);
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.waitFor({ state: 'detached' });
    expect((await serversOf(gateway)).find(({ name }) => name === 'harbor')).toMatchObject({
      ...{ group: 'production', tags: ['eu', 'web'], description: 'Behind the gate', jump_via_id: gate.id },
      ...{ hostname: '127.0.0.1', port: sshd.port, username: sshd.username },
      ...{ auth_method: 'key', has_private_key: true, has_password: false },
      ...{ algorithms: 'legacy', record_sessions: false },
      ...{ ssh_enabled: false, sftp_enabled: true, sftp_read_only: true },
      sftp_allowed_paths: ['/srv', '/var/log'],
    });
    await rowOf(page, 'harbor').waitFor();
    const cells = await rowOf(page, 'harbor').getByRole('cell').allTextContents();
    const address = `${sshd.username}@127.0.0.1:${sshd.port}`;
    expect(cells).toEqual(expect.arrayContaining([address, 'production', 'Private key']));
    const details = await detailsOf(page, 'harbor');
    await details.getByText('jump host gate').waitFor();
    await details.getByText('Behind the gate').waitFor();
  });

  it('saves and tests, showing the stages of each hop as they run', async () => {
    const held = await startHeldProxy(sshd.port);
    onTestFinished(held.stop);
    await addHost(gateway, { name: 'gate', sshd: bastion });
    const page = await visits.open(gateway, '#/admin/servers');
    const form = await openForm(page);
    await fillInAll(form, held.port);
    await form.getByRole('button', { name: 'Save and test' }).click();
    await untilStages(stagesAt(page, 'gate'), 'Passed', HOP_STAGES);
    await untilStages(stagesAt(page, 'harbor'), 'Running', ['SSH handshake']);
    await form.getByText('Testing the connection…').waitFor();
    held.release();
    await form.getByText('Connection successful (via jump host)').waitFor();
    expect(await form.getByRole('button', { name: 'Open files' }).count()).toBe(1); // its terminals are off
    await untilStages(stagesAt(page, 'harbor'), 'Passed', [...HOP_STAGES, 'SFTP']);
    await form.getByRole('button', { name: 'Close' }).last().click();
    await form.waitFor({ state: 'detached' });
    const details = await detailsOf(page, 'harbor');
    await details.getByText(await sshd.hostFingerprint()).waitFor();
  });

  it('stores a password beside a key, for a host that asks for both', async () => {
    const careful = await startSshd({ config: ['AuthenticationMethods publickey,password'] });
    onTestFinished(careful.stop);
    const page = await visits.open(gateway, '#/admin/servers');
    const form = await openForm(page);
    await fillIn(form, {
      'Hostname or IP address': '127.0.0.1',
      Port: String(careful.port),
      'SSH username': careful.username,
    });
    await choose(form, 'Authentication', 'Private key');
    await fillIn(form, {
      'Private key text': careful.private_key,
      'Password after the key': careful.password,
    });
    await form.getByRole('button', { name: 'Save and test' }).click();
    await form.getByText('Connection successful', { exact: true }).waitFor();
    expect(await serversOf(gateway)).toMatchObject([
      { auth_method: 'key', has_private_key: true, has_password: true },
    ]);
  });

  it('tells the stages of a test, and their entries in the audit log, in Spanish', async () => {
    const { gate } = await addChain();
    const page = await visits.open(gateway, '#/');
    await speakSpanish(page);
    await goTo(page, '#/admin/servers');
    const table = page.getByRole('region', { name: 'Servidores', exact: true });
    await table.getByRole('button', { name: 'harbor', exact: true }).click();
    await page.getByRole('button', { name: 'Probar la conexión con harbor' }).click();
    await page.getByText('Conexión correcta (por un host de salto)').waitFor();
    const said = (await page.locator('.stage-detail').allTextContents()).join('\n');
    expect(said).toMatch(/^Conectado con 127/m);
    for (const text of ['Resuelto por gate', 'ha entrado con contraseña', 'SFTP disponible'])
      expect(said).toContain(text);
    await gateway.admin.call('PUT', `/api/servers/${gate.id}`, { name: 'gate' });
    await goTo(page, '#/admin/audit');
    await page.getByText(`gate (#${gate.id}): nada`).waitFor();
  });

  it('reports an unreadable private key and a wrong passphrase at their fields, and keeps the input', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    const form = await openForm(page);
    await fillIn(form, { Name: 'keyed', 'Hostname or IP address': '127.0.0.1', 'SSH username': 'deploy' });
    await choose(form, 'Authentication', 'Private key');
    const key = form.getByRole('textbox', { name: 'Private key text' });
    const cut = sshd.private_key.slice(0, 120);
    await key.fill(cut);
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await untilDescribed(key, 'This is an OpenSSH key: it is cut off, its END line is missing');
    expect(await key.getAttribute('aria-invalid')).toBe('true');
    await untilFocused(key);
    expect(await key.inputValue()).toBe(cut);
    await key.fill(sshd.encrypted_private_key);
    const passphrase = form.getByLabel('Passphrase', { exact: true });
    await passphrase.fill('not the one');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await untilDescribed(passphrase, 'The passphrase is wrong');
    await untilFocused(passphrase);
    expect(await key.getAttribute('aria-invalid')).not.toBe('true');
    await passphrase.fill('');
    await key.fill(sshd.private_key);
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.waitFor({ state: 'detached' });
    await rowOf(page, 'keyed').waitFor();
  });

  it('reports a jump cycle at the jump host field', async () => {
    await addChain();
    const page = await visits.open(gateway, '#/admin/servers');
    await chooseOf(page, 'gate', 'Edit…');
    const form = page.getByRole('dialog');
    await more(form).click();
    await pick(form, 'Jump host', 'harb', 'harbor');
    await more(form).click();
    await form.getByRole('button', { name: 'Save', exact: true }).click(); // the refused field is shown again
    const jump_host = form.getByRole('combobox', { name: 'Jump host' });
    await untilDescribed(jump_host, 'The jump hosts form a cycle');
    await untilFocused(jump_host);
  });

  it('has the rest behind More, and its head and actions in view while it scrolls', async () => {
    await gateway.addServer({ name: 'tagged', tags: ['eu'] });
    const page = await visits.open(gateway, '#/admin/servers');
    await page.setViewportSize({ width: 1100, height: 520 });
    const form = await openForm(page);
    await form.getByRole('combobox', { name: 'Group' }).waitFor();
    expect(await form.getByRole('combobox', { name: 'Jump host' }).count()).toBe(0);
    await more(form).click();
    expect(await visits.accessibility()).toEqual([]);
    await form.getByRole('switch', { name: 'AI agent' }).scrollIntoViewIfNeeded();
    for (const name of ['Close', 'Save and test'])
      await expect(
        form.getByRole('button', { name }).first().click({ trial: true }),
      ).resolves.toBeUndefined();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await chooseOf(page, 'tagged', 'Edit…');
    await form.getByText('eu', { exact: true }).waitFor();
  });

  it('names what is missing, and asks before discarding input', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    const form = await openForm(page);
    await fillIn(form, { Name: 'half-typed', Port: '70000' });
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    const hostname = form.getByLabel('Hostname or IP address');
    await untilDescribed(hostname, 'Enter the host name or IP address.');
    await untilDescribed(form.getByLabel('Port'), 'Enter a port from 1 to 65535.');
    await untilFocused(hostname);
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Discard your changes?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('half-typed');
  });
});

describe('The table of servers', () => {
  const shown = (page: Page) => serversScreen(page).getByRole('rowheader').allTextContents();

  it('is sorted, selected by keyboard, changed at once, and keeps its columns', async () => {
    for (const name of ['web-12', 'web-2', 'db']) await gateway.addServer({ name, group: 'lab' });
    const page = await visits.open(gateway, '#/admin/servers');
    await expect.poll(() => shown(page)).toEqual(['db', 'web-2', 'web-12']);
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    expect(await shown(page)).toEqual(['web-12', 'web-2', 'db']);

    await rowOf(page, 'web-12').getByRole('button', { name: 'web-12', exact: true }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    const bar = page.getByRole('region', { name: 'Actions on the selection' });
    await bar.getByText('2 selected').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await bar.getByRole('button', { name: 'Add tag…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a tag to 2 servers' });
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['web-12', 'web-2']);
    await dialog.getByLabel('Tag').fill('edge');
    expect(await visits.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Add tag' }).click();
    await dialog.getByText('Done: 2 of 2.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const tags = (await serversOf(gateway)).map(({ name, tags: own }) => [name, own.join()]);
    expect(Object.fromEntries(tags)).toEqual({ 'web-12': 'edge', 'web-2': 'edge', db: '' });

    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Group' }).click();
    await page.getByRole('columnheader', { name: 'Group' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('columnheader', { name: 'Address' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Group' }).count()).toBe(0);
  });

  it('is asked by tokens that are completed, also for servers without a group', async () => {
    await gateway.addServer({ name: 'lonely', group: '' });
    await gateway.addServer({ name: 'tagged', group: 'lab', tags: ['eu'] });
    const page = await visits.open(gateway, '#/admin/servers');
    await queryBar(page).fill('tag:');
    await page.getByRole('option', { name: /eu/ }).click();
    await expect.poll(() => shown(page)).toEqual(['tagged']);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await ask(page, 'group:"" lone');
    await expect.poll(() => shown(page)).toEqual(['lonely']);
    await page.getByRole('button', { name: 'Edit group: No group' }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });

  it('keeps the width that a column is given by dragging or by keys, and fits a column to its texts', async () => {
    await gateway.addServer({ name: 'web-2', hostname: `${'deep.'.repeat(8)}example.com` });
    const page = await visits.open(gateway, '#/admin/servers');
    const header = page.getByRole('columnheader', { name: 'Address' });
    const edge = header.getByRole('separator', { name: 'Width of the column Address' });
    const widthOf = async () => Math.round((await header.boundingBox())?.width ?? 0);
    const has = (width: number) =>
      expect.poll(async () => Math.abs((await widthOf()) - width)).toBeLessThan(2);
    await edge.waitFor();
    const first = await widthOf();
    await edge.focus();
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowRight', 'ArrowLeft', 'ArrowLeft'])
      await page.keyboard.press(key);
    await has(first - 48);
    await edge.hover();
    await page.mouse.down();
    const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {};
    await page.mouse.move(x - 20, y + 8, { steps: 4 });
    await page.mouse.up();
    const dragged = await widthOf();
    expect(dragged).toBeLessThan(first - 48);
    await page.reload();
    await has(dragged);
    await edge.dblclick();
    const isCut = () =>
      rowOf(page, 'web-2')
        .getByRole('cell', { name: 'example.com' })
        .evaluate((cell) => cell.scrollWidth > cell.clientWidth);
    await expect.poll(isCut).toBe(false);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Reset column widths' }).click();
    await has(first);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('gives the place of a column without values to others, and says in its menu what is missing', async () => {
    await gateway.addServer({ name: 'web-2' });
    const page = await visits.open(gateway, '#/admin/servers');
    const menu = page.getByRole('button', { name: 'Columns' });
    const entry = (name: string) => page.getByRole('menuitemcheckbox', { name });
    await rowOf(page, 'web-2').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Tags' }).count()).toBe(0);
    await menu.click();
    await entry('Tags empty').waitFor();
    expect(await entry('Tags empty').isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 900, height: 800 });
    await page.getByRole('columnheader', { name: 'Host key' }).waitFor({ state: 'detached' });
    await menu.click();
    await entry('Host key no room').waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });

  it('keeps filter, order and open details in its address, for a reload and the back button', async () => {
    for (const name of ['web-12', 'web-2', 'db']) await gateway.addServer({ name, group: 'lab' });
    const page = await visits.open(gateway, '#/admin/servers?q=web&servers_sort=-name');
    await expect.poll(() => shown(page)).toEqual(['web-12', 'web-2']);
    const details = await detailsOf(page, 'web-2');
    await details.waitFor();
    await page.reload();
    await details.waitFor();
    expect(await shown(page)).toEqual(['web-12', 'web-2']);
    await page.goBack();
    await details.waitFor({ state: 'detached' });
    expect(await shown(page)).toEqual(['web-12', 'web-2']);
  });

  it('shows name and state, and below them address and group, on a phone and a tablet', async () => {
    const name = 'production-frankfurt-application-web-0012';
    await gateway.addServer({ name, hostname: 'web-12.example.com', group: 'shop' });
    const page = await visits.open(gateway, '#/admin/servers');
    const header = page.getByRole('rowheader').filter({ hasText: name });
    await header.waitFor();
    expect(await header.locator('.table-second').count()).toBe(0);
    for (const width of [390, 768]) {
      await page.setViewportSize({ width, height: 800 });
      await header.getByText('web-12.example.com').waitFor();
      await header.getByText('shop').waitFor();
      await header.getByText(/^\s*(Status unknown|Not checked|Offline)/).waitFor();
    }
    const [cell, end] = [header, header.locator('.cut-tail')].map((one) => one.boundingBox());
    const right = (box: Awaited<typeof cell>) => (box?.x ?? 0) + (box?.width ?? 0);
    expect(right(await end)).toBeLessThanOrEqual(right(await cell)); // the end of the name stays in sight
    await header.getByRole('button', { name, exact: true }).click();
    await page.getByRole('complementary', { name: `Details of ${name}` }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });

  it('fits each width without scrolling sideways, and shows only the rows in sight', async () => {
    const { db, tables } = gateway.store;
    await gateway.addServer({ name: 'n'.repeat(60), group: 'g'.repeat(60) });
    const [row] = await db.select().from(tables.servers);
    if (!row) throw new Error('No server to copy');
    const many = Array.from({ length: 250 }, (_, at) => {
      const name = `web-${at}`;
      return { ...row, id: row.id + 1 + at, name, import_ref: name };
    });
    await db.insert(tables.servers).values(many);
    const page = await visits.open(gateway, '#/admin/servers');
    await rowOf(page, 'web-0').waitFor();
    for (const width of [360, 390, 1024, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const overflow = () =>
        page.locator('.screen-body').evaluate((body) => body.scrollWidth - body.clientWidth);
      await expect.poll(overflow).toBe(0);
    }
    const box = await page.getByRole('checkbox', { name: 'Select all' }).locator('..').boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24);
    expect((await shown(page)).length).toBeLessThan(80);
    await rowOf(page, 'web-0').getByRole('button', { name: 'web-0', exact: true }).focus();
    await page.keyboard.press('End');
    await untilFocused(rowOf(page, 'web-249').getByRole('button', { name: 'web-249', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Details of web-249' }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });
});

describe('A changed host key', () => {
  it.each([
    ['the host', 'harbor', () => sshd, []],
    ['its jump host', 'gate', () => bastion, ['harbor']],
  ])(
    'of %s fails the test at that hop, and can be accepted after comparing both keys',
    async (_, hop, changed, unreached) => {
      const { gate, harbor } = await addChain();
      await testOf(gateway.admin, harbor.id);
      const old = await changed().hostFingerprint();
      await changed().rotateHostKey();
      const page = await visits.open(gateway, '#/admin/servers');
      await page.getByRole('button', { name: 'Test connection to harbor' }).click();
      const at = stagesAt(page, hop);
      await untilStages(at, 'Failed', ['Host key']);
      await page.getByRole('button', { name: 'Test again' }).waitFor();
      for (const further of unreached) expect(await stagesAt(page, further).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Accept new host key…' }).count()).toBe(1);
      await at.getByRole('button', { name: 'Accept new host key…' }).click();
      const question = page.getByRole('alertdialog', { name: `Accept a new host key for ${hop}?` });
      await question.waitFor();
      const facts = await question.locator('dt, dd').allTextContents();
      const now = await changed().hostFingerprint();
      expect(facts.slice(0, 4)).toEqual(['Pinned key', old, 'New key', now]);
      await question.getByText('when someone intercepts the connection').waitFor();
      await question.getByRole('button', { name: 'Accept new key' }).click();
      await page.getByText('Connection successful (via jump host)').waitFor();
      const pins = [gate, harbor].map(
        async ({ id }) => (await serverOf(gateway.admin, id)).host_key_fingerprint,
      );
      expect(await Promise.all(pins)).toEqual([
        await bastion.hostFingerprint(),
        await sshd.hostFingerprint(),
      ]);
    },
  );
});

describe('Deleting a server', () => {
  it('requires typing its name', async () => {
    await addChain();
    const page = await visits.open(gateway, '#/admin/servers');
    await chooseOf(page, 'harbor', 'Delete');
    const question = page.getByRole('alertdialog', { name: 'Delete harbor?' });
    const yes = question.getByRole('button', { name: 'Delete' });
    await question.getByLabel('Type harbor to confirm').fill('harbo');
    expect(await yes.isDisabled()).toBe(true);
    await question.getByLabel('Type harbor to confirm').fill('harbor');
    await yes.click();
    await rowOf(page, 'harbor').waitFor({ state: 'detached' });
    await rowOf(page, 'gate').waitFor();
  });

  it('is refused while it is a jump host, and names the servers that use it', async () => {
    await addChain();
    const page = await visits.open(gateway, '#/admin/servers');
    await chooseOf(page, 'gate', 'Delete');
    const question = page.getByRole('alertdialog');
    await question.getByLabel('Type gate to confirm').fill('gate');
    await page.keyboard.press('Enter');
    await question.getByText('Used as a jump host by: harbor').waitFor();
    await question.getByText('Choose another jump host for those servers first.').waitFor();
    expect(await serversOf(gateway)).toHaveLength(2);
  });
});

describe('There are no serious axe findings', () => {
  const OPENED: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'on the servers screen': async () => {},
    'in the server form': async (page) => {
      await chooseOf(page, 'harbor', 'Edit…');
      await page.getByRole('dialog', { name: 'Edit harbor' }).waitFor();
    },
    'in the import': async (page) => {
      await serversScreen(page).getByRole('button', { name: 'Import servers' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('JSON or OpenSSH configuration').fill('Host gate other');
      await dialog.getByText('other').waitFor();
    },
    'in a test': async (page) => {
      await page.getByRole('button', { name: 'Test connection to harbor' }).click();
      await page.getByText('Connection successful (via jump host)').waitFor();
    },
  };
  it.each(Object.entries(OPENED))('%s, in both themes and at 360 pixels', async (_place, show) => {
    await addChain();
    const page = await visits.open(gateway, '#/admin/servers');
    await rowOf(page, 'harbor').waitFor();
    await show(page);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await visits.accessibility();
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect({ width, colorScheme, found, overflow }).toMatchObject({ found: [], overflow: false });
      }
    }
  });
});

describe('Revoked host keys', () => {
  it('are listed below the servers, and accepted again after a question', async () => {
    const key = (await scanHost(sshd.port)).split('\n')[0]?.split(' ').slice(1).join(' ');
    await gateway.admin.call('POST', '/api/servers/host-keys/import', {
      text: `@revoked old.example ${key}`,
    });
    const page = await visits.open(gateway, '#/admin/servers');
    const revoked = page.getByRole('region', { name: 'Revoked host keys' });
    await revoked.getByRole('button', { name: 'Accept the revoked key of old.example again' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByText(/^SHA256:/).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await question.getByRole('button', { name: 'Accept key' }).click();
    await revoked.waitFor({ state: 'detached' });
    expect((await gateway.admin.call('GET', '/api/servers/host-keys/revoked')).body).toEqual([]);
  });
});
