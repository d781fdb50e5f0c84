import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, visit } from '../../support/browser/browser.ts';
import {
  choose,
  goTo,
  keepPictures,
  terminalText,
  untilFocused,
  untilTypable,
  untilTyped,
} from '../../support/browser/pages.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { addHost } from '../../support/features/chain.ts';
import { shellOn } from '../../support/features/shells.ts';
import { type Actor, startGateway, type TestGateway, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let gateway: TestGateway;
let sshd: Sshd;
let harbor: number;
let adaActor: Actor;
/** One tab per user: the sign-in is stored per tab. */
let ada: Browser;
let bob: Browser;
let admin: Browser;
let linkOfAda: string;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway({ env: { SERVICE_ROOT_PATH: '/ops' } });
  harbor = (await addHost(gateway, { name: 'harbor', sshd, group: 'lab' })).id;
  adaActor = await gateway.user({ username: 'ada', allowed_groups: ['lab'] });
  const { token } = adaActor;
  await gateway.user({ username: 'bob' });
  ada = await visit(gateway.url, token);
  bob = await visit(gateway.url);
  admin = await visit(gateway.url, gateway.admin.token);
});
afterAll(async () => {
  const problems = [ada, bob, admin].flatMap((one) => one?.problems() ?? []);
  await admin?.close();
  await gateway?.close();
  await sshd?.stop();
  expect(problems).toEqual([]);
});

const QUERIES = String.raw`\033[?1004h\033[c\033[>c\033[5n\033[6n\033[?6n\033[?2004$p\033]4;1;?\007\033]11;?\007\033P$qm\033\\`;
/** Waits for "go", sends queries, and shows what comes back up to the first Z. */
const ASK = String.raw`stty raw -echo; head -c 2 >/dev/null; printf '${QUERIES}ask\145d\r\n'; IFS= read -rd Z got; printf '\033[?1004l'; stty sane; printf 'got\072%s\072end\n' "$(printf %s "$got" | tr -d '\033')"`;

/** Brings a user's page to the front: background pages are throttled. */
async function as({ page }: Browser): Promise<Page> {
  await page.bringToFront();
  return page;
}

async function signInAsBob(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('bob');
  await page.getByLabel('Password', { exact: true }).fill(USER_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const inFront = (page: Page) => page.locator('.panel:not([hidden])');
const people = (page: Page) =>
  page.getByRole('list', { name: 'People in this terminal' }).getByRole('listitem');

/** Opens a terminal in a focused tab. */
async function openTerminal(page: Page): Promise<void> {
  await openTerminalOn(page, 'harbor');
  await untilTypable(page); // what is typed before goes into the search of the server list
}

/** Shares the active terminal and returns the link. */
async function share(page: Page, allows?: string): Promise<string> {
  await inFront(page).getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Share the terminal on harbor' });
  if (allows) await choose(dialog, 'Access', allows);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  return dialog.getByRole('textbox', { name: 'Link' }).inputValue();
}

/** Closes the dialog and waits until the terminal has the focus again. */
async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await untilFocused(inFront(page).locator('.xterm-helper-textarea'));
}

async function follow(page: Page, link: string): Promise<void> {
  await page.goto(`${link}#/?renderer=dom`);
}

/** The hidden width, in pixels. */
function columnsOutOfSight(host: Element): number {
  return host.scrollWidth - host.clientWidth;
}

describe('A shared terminal', () => {
  it('is joined by its link after sign-in, and both users can type', async () => {
    const owner = await as(ada);
    await openTerminal(owner);
    const link = await share(owner, 'View and type');
    expect(link).toMatch(`${gateway.url}/?join=`);
    linkOfAda = link;
    expect(await ada.accessibility()).toEqual([]);
    await closeDialog(owner);

    const guest = await as(bob);
    await follow(guest, link);
    await guest.getByText('Sign in to join the shared terminal').waitFor();
    await signInAsBob(guest);
    await inFront(guest).getByText('Shared by ada').waitFor();
    expect(guest.url()).not.toContain('join=');
    await guest.keyboard.type('echo $((6 * 7))-guest\n');
    await untilTyped(guest, /42-guest/);
    expect(await bob.accessibility()).toEqual([]);
    await as(ada);
    await untilTyped(owner, /42-guest/);
    await owner.keyboard.type('echo $((6 * 8))-owner\n');
    await as(bob);
    await untilTyped(guest, /48-owner/);
  });

  it('shows its owner who is connected, and that a guest is typing', async () => {
    await bob.page.keyboard.type(' ');
    const owner = await as(ada);
    await inFront(owner).getByRole('button', { name: '2 people here' }).click();
    const guest = people(owner).filter({ hasText: 'bob' }).filter({ hasText: 'guest' });
    await guest.getByText('typing').waitFor();
    await keepPictures(owner, 'sharing');
    await owner.keyboard.press('Escape');
  });

  it('is joined only once by the same link', async () => {
    const guest = await as(bob);
    await follow(guest, linkOfAda);
    await inFront(guest).getByText('Shared by ada').waitFor();
    expect(await guest.getByRole('tab').count()).toBe(1);
    await inFront(guest).getByRole('button', { name: '2 people here' }).waitFor();
  });

  it('fits a phone, or uses a readable font size, which its tab remembers', async () => {
    const guest = await as(bob);
    const desk = guest.viewportSize() ?? { width: 0, height: 0 };
    const toggle = inFront(guest).getByRole('button', { name: 'Readable size' });
    const hidden = () => inFront(guest).locator('.terminal-host').evaluate(columnsOutOfSight);
    await guest.setViewportSize({ width: 360, height: 740 });
    await toggle.waitFor();
    await expect.poll(hidden).toBe(0);
    await toggle.click();
    await expect.poll(hidden).toBeGreaterThan(300);
    await guest.reload();
    await untilTyped(guest, /48-owner/);
    await expect.poll(hidden).toBeGreaterThan(300);
    expect(await bob.accessibility()).toEqual([]);
    await toggle.click();
    await expect.poll(hidden).toBe(0);
    await guest.setViewportSize(desk);
    await toggle.waitFor({ state: 'detached' });
  });

  it('keeps its guests when it becomes read-only, and notifies them', async () => {
    const owner = await as(ada);
    await inFront(owner).getByRole('button', { name: 'Share', exact: true }).click();
    await choose(owner.getByRole('dialog'), 'Access', 'View only');
    const guest = await as(bob);
    await inFront(guest).getByText('You can now only view this terminal').waitFor();
    await inFront(guest).getByText('view only', { exact: true }).waitFor();
    expect(await bob.accessibility()).toEqual([]);
    await untilFocused(inFront(guest).locator('.xterm-helper-textarea'));
    await guest.keyboard.type('echo $((2 + 2))-narrowed\n');
    await as(ada);
    await choose(owner.getByRole('dialog'), 'Access', 'View and type');
    await closeDialog(owner);
    await as(bob);
    await inFront(guest).getByText('You can type in this terminal now').waitFor();
    await guest.keyboard.type('echo $((2 + 3))-widened\n');
    await untilTyped(guest, /5-widened/);
    expect(await terminalText(guest)).not.toContain('4-narrowed');
  });

  it('disconnects its guests when the link is revoked', async () => {
    const owner = await as(ada);
    await inFront(owner).getByRole('button', { name: 'Share', exact: true }).click();
    await owner.getByRole('button', { name: 'Revoke link…' }).click();
    const question = owner.getByRole('alertdialog');
    await question.getByText('is disconnected').waitFor();
    await question.getByRole('button', { name: 'Revoke', exact: true }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Create link' }).waitFor();
    await closeDialog(owner);
    await owner.keyboard.type('echo $((6 * 9))-alone\n');
    await untilTyped(owner, /54-alone/);
    const guest = await as(bob);
    await inFront(guest).getByRole('alert').waitFor();
    expect(await terminalText(guest)).not.toContain('54-alone');
    for (const text of ['can type', '2 people here', 'Open again'])
      expect(await inFront(guest).getByText(text).count()).toBe(0);
  });

  it('ignores the input of a read-only guest', async () => {
    const owner = await as(ada);
    await openTerminal(owner);
    const link = await share(owner); // view only by default
    await closeDialog(owner);
    const guest = await as(bob);
    await follow(guest, link);
    await inFront(guest).getByText('view only').first().waitFor();
    const tool = inFront(guest).getByRole('button', { name: 'Snippets' });
    await tool.and(guest.getByTitle('You are viewing this terminal. You cannot type in it')).waitFor(); // once the shell is there
    await guest.keyboard.type('echo $((1 + 1))-guest\n');
    await as(ada);
    await owner.keyboard.type('echo $((6 * 6))-owner\n');
    await untilTyped(owner, /36-owner/);
    await as(bob);
    await untilTyped(guest, /36-owner/);
    expect(await terminalText(guest)).not.toContain('2-guest');
  });

  it.each([
    ['damaged', 'a%2Fb', 'The link is incomplete'],
    ['invalid', 'aaaaaaaaaaaaaaaaaaaaaa', 'Ask the person who gave you the link for a new one'],
  ])('explains a link that is %s', async (_how, token, text) => {
    const guest = await as(bob);
    await follow(guest, `${gateway.url}/?join=${token}`);
    await guest.getByText(text).filter({ visible: true }).waitFor();
  });
});

describe('A live session', () => {
  it('can be watched and ended by an administrator, whom its owner sees', async () => {
    const owner = await as(ada);
    await openTerminal(owner);
    await owner.keyboard.type('echo $((5 * 5))-shown\n');
    await untilTyped(owner, /25-shown/);

    const watcher = await as(admin);
    await goTo(watcher, '#/admin/terminals');
    const newest = watcher.getByRole('row').filter({ hasText: 'harbor' }).first();
    await newest.getByRole('button', { name: 'Watch ada’s terminal on harbor' }).waitFor();
    expect(await admin.accessibility()).toEqual([]);
    await newest.getByRole('button', { name: /^Watch/ }).click();
    await inFront(watcher).getByText('Watching ada').waitFor();
    await untilTyped(watcher, /25-shown/);
    await inFront(owner).getByText('admin is watching').waitFor();

    await goTo(watcher, '#/admin/terminals');
    await newest.getByRole('button', { name: /^End/ }).click();
    await watcher.getByRole('alertdialog').getByRole('button', { name: 'End' }).click();
    await as(ada);
    await inFront(owner).getByText('This terminal was ended').waitFor();

    const tab = watcher.getByRole('tab', { name: 'Terminal: harbor' });
    await tab.click();
    await inFront(watcher).getByRole('button', { name: 'Close tab' }).waitFor();
    expect(await inFront(watcher).getByRole('button', { name: 'Open again' }).count()).toBe(0);
    await watcher.reload();
    await inFront(watcher).getByText('The shell has ended. Close this tab.').waitFor();
    expect(await inFront(watcher).getByRole('button', { name: 'Open again' }).count()).toBe(0);
  });

  it('can be continued by its user on another device', async () => {
    const desk = await as(ada);
    await openTerminal(desk);
    await desk.keyboard.type('HERE=$((7 * 7))\n');
    const { token } = await gateway.signIn('ada', USER_PASSWORD);
    const phone = await visit(gateway.url, token);
    const { page } = phone;
    await page.setViewportSize({ width: 390, height: 780 });
    await goTo(page, '#/account/terminals');
    await page.getByRole('button', { name: 'Continue here: harbor' }).first().click();
    await untilTypable(page);
    await page.keyboard.type('echo $HERE-there\n');
    await untilTyped(page, /49-there/);
    expect([await phone.accessibility(), phone.problems()]).toEqual([[], []]);
  });
});

describe('The terminal of a guest', () => {
  it('leaves queries of programs to the terminal of the owner', async () => {
    const shell = await shellOn(gateway, harbor, adaActor); // a client that answers nothing itself
    shell.client.type(`${ASK}\r`);
    const { body } = await adaActor.call<{ token: string }>(
      'POST',
      `/api/terminal/share/${shell.session_id}`,
    );
    const guest = await as(admin);
    await follow(guest, `${gateway.url}/?join=${body.token}`);
    await inFront(guest).getByText('Shared by ada').waitFor();
    await untilFocused(inFront(guest).locator('.xterm-helper-textarea'));
    shell.client.type('go');
    await untilTyped(guest, /asked/);
    await guest.keyboard.type('Z');
    await untilTyped(guest, /got:[\s\S]*:end/);
    expect(await terminalText(guest)).toContain('got::end');
    shell.client.close(1000);
  });
});
