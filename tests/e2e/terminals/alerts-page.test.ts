import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onHost } from '../../support/browser/file-pages.ts';
import { choose, goTo, untilTypable, untilTyped, useVisits } from '../../support/browser/pages.ts';
import { openFilesOn, openTerminalOn } from '../../support/browser/rail.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SOON = { timeout: 60_000 };

const visits = useVisits();
let gateway: TestGateway;
let sshd: Sshd;
let page: Page;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  await addHost(gateway, { name: 'harbor', sshd });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

/** A terminal that prints what the test writes to a pipe, and a list of files in front of it. */
beforeEach(async () => {
  await onHost(sshd, 'rm -f pipe && mkfifo pipe');
  page = await visits.open(gateway, '#/?renderer=dom');
  await openTerminalOn(page, 'harbor');
  await untilTypable(page);
  await page.keyboard.type(
    `cd ${sshd.folder}; exec 3<>pipe; echo rea''dy; while read -ru 3 text && [ "$text" != stop ]; do printf %b "$text"; done; exit 3\n`,
  );
  await untilTyped(page, /ready/);
  await openFilesOn(page, 'harbor');
  await page.getByRole('grid', { name: /^Files in/ }).waitFor();
});

const terminal = () => page.getByRole('tab', { name: /^Terminal: harbor/ });
const print = (text: string) => onHost(sshd, `printf '%s\\n' '${text}' > pipe`);

/** Prints until the tab is marked: what comes right after the tab was left does not count. */
async function untilMarked(mark: string, text: string): Promise<void> {
  await expect
    .poll(async () => {
      await print(text);
      return terminal().getAttribute('aria-label');
    }, SOON)
    .toMatch(new RegExp(`, ${mark}$`));
}

const untilTitled = (title: string) => expect.poll(() => page.title(), SOON).toBe(title);

/** Records the notifications that the page shows. */
function watchNotifications(): void {
  const log: Notification[] = [];
  Object.assign(window, { notified: log });
  window.Notification = new Proxy(Notification, {
    construct(target, [title, options]: [string, NotificationOptions]) {
      const shown = new target(title, options);
      log.push(shown);
      return shown;
    },
  });
}

function notified(): Promise<{ title: string; body: string }[]> {
  return page.evaluate(() => {
    const { notified: log } = window as unknown as { notified: Notification[] };
    return log.map(({ title, body }) => ({ title, body }));
  });
}

function clickNotification(): Promise<void> {
  return page.evaluate(() => {
    const { notified: log } = window as unknown as { notified: Notification[] };
    log.at(-1)?.dispatchEvent(new Event('click'));
  });
}

describe('A terminal out of sight', () => {
  it('marks its tab for output, a bell and its end, the last two also the title, until it is seen', async () => {
    await untilMarked('new output', 'tick\\n');
    expect(await page.title()).toBe('harbor · Sallyport');
    await untilMarked('wants attention', '\\a');
    await untilTitled('(1) harbor · Sallyport');
    expect(await visits.accessibility()).toEqual([]);
    await print('more\\n');
    expect(await terminal().getAttribute('aria-label')).toMatch(/wants attention$/);

    await terminal().click();
    await untilTitled('harbor · Sallyport');
    expect(await terminal().getAttribute('aria-label')).toBe('Terminal: harbor');

    await page.getByRole('tab', { name: /^Files: harbor/ }).click();
    await print('stop');
    await expect.poll(() => terminal().getAttribute('aria-label'), SOON).toMatch(/, ended$/);
    await untilTitled('(1) harbor · Sallyport');
  });

  it('notifies when its command finishes and when a program says something, as plain text', async () => {
    await page.context().grantPermissions(['notifications'], { origin: gateway.url });
    await page.evaluate(watchNotifications);
    await terminal().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Notify when it finishes' }).click();
    await expect
      .poll(() => terminal().getAttribute('aria-label'), SOON)
      .toMatch(/, notifies when it finishes$/);
    await print('\\033]133;D;1\\007');
    await expect
      .poll(notified, SOON)
      .toEqual([{ title: 'harbor', body: 'The command has finished with exit code 1.' }]);
    await untilTitled('(1) harbor · Sallyport');
    await clickNotification();
    await untilTypable(page);
    await untilTitled('harbor · Sallyport');

    await goTo(page, '#/account/preferences');
    await choose(page.locator('.screen'), 'Notifications from programs', 'Mark the tab and notify');
    await print('\\033]9;4;1;50\\007\\033]777;notify;<b>hi</b>;evil\\342\\200\\256gpj.exe\\007');
    await expect
      .poll(async () => (await notified()).slice(1), SOON)
      .toEqual([{ title: 'harbor: <b>hi</b>', body: 'evil⟨U+202E⟩gpj.exe' }]);
    await untilTitled('(1) Account · Sallyport');
  });
});
