import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { terminalText, useVisits } from '../../support/browser/pages.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { addHost, openingTerminal, testOf } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { startSshdWithBanner } from '../../support/hosts/banner.ts';
import type { Sshd } from '../../support/hosts/sshd.ts';

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;
let server_id: number;

beforeAll(async () => {
  sshd = await startSshdWithBanner('Authorized use only\nOpen https://sign.in/ab <b>now</b>\n');
  gateway = await startGateway();
  const gate = await addHost(gateway, { name: 'gate', sshd, group: 'ops' });
  server_id = (await addHost(gateway, { name: 'notice', sshd, jump_via_id: gate.id })).id;
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

const TEXT = 'Authorized use only\nOpen https://sign.in/ab <b>now</b>';

describe('The banner of a host', () => {
  it('reaches a terminal for each hop, before the shell', async () => {
    const terminal = openingTerminal(gateway, server_id);
    await terminal.frame('session');
    expect(terminal.frames.map(({ type, name }) => [type, name]).slice(0, 3)).toEqual([
      ['banner', 'gate'],
      ['banner', 'notice'],
      ['session', undefined],
    ]);
    expect(terminal.frames[0]).toEqual({ type: 'banner', name: 'gate', text: TEXT });
    terminal.close(1000);
  });

  it('reaches a quick connection', async () => {
    const headers = { authorization: `Bearer ${gateway.admin.token}` };
    const terminal = openTerminal(`${gateway.url}/api/ws/terminal/quick`, { headers });
    await new Promise((resolve) => terminal.raw.once('open', resolve));
    const { hostname: host, port, username, password } = sshd;
    terminal.send({ type: 'open', cols: 80, rows: 24, host, port, username, password });
    expect(await terminal.frame('banner')).toMatchObject({ text: TEXT });
    await terminal.frame('session');
    terminal.close(1000);
  });

  it('is in the connection test, except of a jump host outside the caller’s groups', async () => {
    const member = await gateway.user({ username: 'member', allowed_groups: ['lab'] });
    const said = async (actor: typeof member) =>
      (await testOf(actor, server_id)).stages.flatMap(({ hop, banner }) => (banner ? [[hop, banner]] : []));
    expect(await said(gateway.admin)).toEqual([
      ['gate', TEXT],
      ['notice', TEXT],
    ]);
    expect(await said(member)).toEqual([['notice', TEXT]]);
  });

  it('is shown as text above the terminal until it is dismissed', async () => {
    const page = await visits.open(gateway, '#/?renderer=dom');
    await openTerminalOn(page, 'notice');
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByText('Message from gate').waitFor();
    await page.getByText('Message from notice').waitFor();
    expect(await page.getByText('<b>now</b>').count()).toBe(2);
    expect(await terminalText(page)).not.toContain('Authorized');
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await page.getByText('Message from').count()).toBe(0);
  });

  it('is shown by the connection test on the page', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    await page.getByRole('button', { name: 'Test connection to notice' }).click();
    await page.getByRole('note', { name: 'Message from notice' }).waitFor();
  });
});
