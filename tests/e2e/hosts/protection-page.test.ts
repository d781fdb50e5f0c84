import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, untilFocused, untilTypable, useVisits } from '../../support/browser/pages.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { detailsOf, rowOf, stagesAt } from '../../support/browser/server-pages.ts';
import { addHost, testOf } from '../../support/features/chain.ts';
import { serversOf } from '../../support/features/imports.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { newer_openssh } from '../../support/hosts/newer-openssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SOON = { timeout: 60_000 };
const CLASSICAL = 'KexAlgorithms curve25519-sha256';
/** Whatever the version of the installed OpenSSH. */
const REASON =
  /^OpenSSH [\d.]+ (does not offer mlkem768x25519-sha256\. OpenSSH 9\.9 and later do\.|has mlkem768x25519-sha256, but this host is configured not to offer it\.)$/;

const visits = useVisits();
let gateway: TestGateway;
let bastion: Sshd;
let sshd: Sshd;

beforeAll(async () => {
  bastion = await startSshd({ config: [CLASSICAL] });
  sshd = await startSshd(newer_openssh?.sshd() ?? { config: [CLASSICAL] });
  gateway = await startGateway();
  const gate = await addHost(gateway, { name: 'gate', sshd: bastion });
  await addHost(gateway, { name: 'harbor', sshd, jump_via_id: gate.id });
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([bastion?.stop(), sshd?.stop()]);
});

async function tested(name: string): Promise<Page> {
  const page = await visits.open(gateway, '#/admin/servers');
  await rowOf(page, name)
    .getByRole('button', { name: `Test connection to ${name}` })
    .click();
  await page.getByRole('status').filter({ hasText: 'Connection successful' }).waitFor();
  return page;
}

async function detailsOfTerminal(page: Page, name: string) {
  await openTerminalOn(page, name);
  await untilTypable(page);
  await page.getByRole('button', { name: `Terminal tools for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Connection details' }).click();
  return page.getByRole('dialog', { name: 'Connection details' });
}

describe('A connection test', () => {
  it('says how the connection to each hop is protected, and why it is not post-quantum', async () => {
    const page = await tested('harbor');
    const gate = stagesAt(page, 'gate');
    await gate.getByText('No post-quantum key exchange').click();
    await gate.getByText(REASON).waitFor();
    for (const fact of ['curve25519-sha256', 'aes128-gcm@openssh.com', 'ssh-ed25519'])
      await gate.getByText(fact, { exact: true }).waitFor();
    await gate.getByText(/^OpenSSH_\d/).waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });

  it.skipIf(!newer_openssh)('names a post-quantum key exchange', async () => {
    const page = await tested('harbor');
    const harbor = stagesAt(page, 'harbor');
    const verdict = harbor.getByText('Post-quantum key exchange', { exact: true });
    await verdict.waitFor();
    expect(await harbor.getByText('mlkem768x25519-sha256', { exact: true }).isVisible()).toBe(false);
    await verdict.click();
    await harbor.getByText('mlkem768x25519-sha256', { exact: true }).waitFor();
  });
});

describe('The menu of a terminal', () => {
  it('shows how the connection to each hop is protected', async () => {
    const page = await visits.open(gateway, '#/');
    const dialog = await detailsOfTerminal(page, 'harbor');
    const gate = dialog.getByRole('region', { name: 'gate' });
    await gate.getByText(REASON).waitFor();
    await gate.getByText('curve25519-sha256', { exact: true }).waitFor();
    await dialog.getByRole('region', { name: 'harbor' }).getByText('ssh-ed25519', { exact: true }).waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });

  it('gives the keys back to the terminal when the details are closed', async () => {
    const page = await visits.open(gateway, '#/');
    const dialog = await detailsOfTerminal(page, 'gate');
    await dialog.getByRole('heading', { name: 'gate' }).waitFor();
    await untilFocused(dialog.getByRole('button', { name: 'Close' }));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await untilTypable(page);
  });
});

describe('The servers and the overview', () => {
  it('say which servers were reached with a post-quantum key exchange', async () => {
    for (const { id } of await serversOf(gateway)) await testOf(gateway.admin, id);
    await expect
      .poll(async () => (await serversOf(gateway)).map(({ is_post_quantum }) => is_post_quantum), SOON)
      .toEqual([false, newer_openssh !== undefined]);
    const page = await visits.open(gateway, '#/admin/servers');
    await page.setViewportSize({ width: 1600, height: 800 }); // narrow tables leave the column out
    await rowOf(page, 'gate').getByRole('cell', { name: 'Not post-quantum' }).waitFor();
    const harbor = newer_openssh ? 'Post-quantum' : 'Not post-quantum';
    await rowOf(page, 'harbor').getByRole('cell', { name: harbor, exact: true }).waitFor();
    const details = await detailsOf(page, 'gate');
    await details.getByText(REASON).waitFor();
    await details.getByText('curve25519-sha256', { exact: true }).waitFor();
    await details.getByText(/^OpenSSH_\d/).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await goTo(page, '#/admin/overview');
    const count = newer_openssh ? 1 : 0;
    await page.getByText(`${count} of 2 reached with post-quantum key exchange`).waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });
});
