import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, WebSocketRoute } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, type BrowserOptions, visit } from '../../support/browser/browser.ts';
import {
  goTo,
  selectNamed,
  terminalText,
  untilFocused,
  untilTypable,
  untilTyped,
} from '../../support/browser/pages.ts';
import { ask } from '../../support/browser/query-bar.ts';
import { openFilesOn, openTerminalOn, serverInRail } from '../../support/browser/rail.ts';
import { addHost } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { startHeldProxy } from '../../support/hosts/held-proxy.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startProxy, type TcpProxy } from '../../support/hosts/tcp.ts';

const SOON = { timeout: 60_000 };

let gateway: TestGateway;
let sshd: Sshd;
/** The network between page and gateway, which the tests cut. */
let network: TcpProxy;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  await addHost(gateway, { name: 'harbor', sshd });
  network = await startProxy(Number(new URL(gateway.url).port));
});
afterAll(async () => {
  await network?.stop();
  await gateway?.close();
  await sshd?.stop();
});

beforeEach(async () => {
  browser = await open();
  page = browser.page;
  await openTerminalOn(page, 'harbor');
  await untilTypable(page);
});
afterEach(async () => {
  const problems = browser.problems();
  await browser.close();
  expect(problems).toEqual([]);
});

function open(options?: BrowserOptions): Promise<Browser> {
  return visit(`http://127.0.0.1:${network.port}`, gateway.admin.token, options);
}

function paste(field: Element, text: string): void {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}

function drop(field: Element, data: string): void {
  const how = { inputType: 'insertFromDrop', data, bubbles: true, cancelable: true };
  field.dispatchEvent(new InputEvent('beforeinput', how));
}

/** Waits until a terminal of the page has received what it missed. */
async function untilResumed(): Promise<void> {
  const socket = await page.waitForEvent('websocket', (one) => one.url().includes('/resume/'));
  await socket.waitForEvent('framereceived', ({ payload }) => typeof payload !== 'string');
}

const type = (text: string) => page.keyboard.type(text);

/** Opens a terminal from the one in focus, and types as fast as the browser takes keys. */
async function typeIntoNew(how: string, name: string, text: string): Promise<void> {
  if (how === 'rail') await page.getByRole('searchbox', { name: 'Search servers' }).fill(name);
  else await page.keyboard.press('Control+Shift+P');
  if (how !== 'rail') await page.getByRole('combobox', { name: 'Command palette' }).fill(name);
  await page.getByText(name, { exact: true }).first().waitFor();
  await page.keyboard.press(how === 'split' ? 'Control+Enter' : 'Enter');
  await type(text);
}

describe('A shell', () => {
  it('shows its progress while it connects slowly', async () => {
    const held = await startHeldProxy(sshd.port);
    await addHost(gateway, { name: 'far-away', sshd, port: held.port });
    await page.reload();
    await openTerminalOn(page, 'far-away');
    await page.getByText(/Connecting to far-away.*SSH handshake/s).waitFor();
    held.release();
    await page.getByText(/Connecting to far-away/).waitFor({ state: 'detached' });
    await held.stop();
  });

  it.each(['palette', 'rail', 'split'])(
    'opened by %s gets what is typed at once, when it is connected, and nobody else does',
    async (how) => {
      const name = `slow-${how}`;
      const held = await startHeldProxy(sshd.port);
      await addHost(gateway, { name, sshd, port: held.port });
      await page.reload();
      await untilTypable(page);
      await typeIntoNew(how, name, 'echo $((20 + 2))-here\n');
      expect(await page.locator('.xterm-rows').allTextContents()).not.toContainEqual(
        expect.stringContaining('here'),
      );
      held.release();
      await untilTyped(page, /22-here/);
      expect((await page.locator('.xterm-rows').allTextContents()).join('').match(/22-here/g)).toHaveLength(
        1,
      );
      expect(
        await page.locator('.panel[data-active]').getByRole('region').first().getAttribute('aria-label'),
      ).toBe(`Terminal on ${name}`);
      await held.stop();
    },
  );

  it('says so when what was typed for it was not sent', async () => {
    const held = await startHeldProxy(1);
    await addHost(gateway, { name: 'no-host', sshd, port: held.port });
    await page.reload();
    await untilTypable(page);
    await typeIntoNew('palette', 'no-host', 'reboot\n');
    held.release();
    await page.getByText('What you typed was not sent.').waitFor();
    await held.stop();
  });

  it('survives a reload without a prompt, and takes the focus again', async () => {
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void dialog.accept();
    });
    await type('kept=the-same; echo $((40 + 2))-before\n');
    await untilTyped(page, /42-before/);
    await page.reload();
    await untilTyped(page, /42-before/); // the previous screen
    await untilTypable(page);
    await type('echo $kept-shell\n');
    await untilTyped(page, /the-same-shell/);
    expect(dialogs).toEqual([]);
  });

  it('restores its scrollback after a reload, also in a window of another size', async () => {
    await type('seq -f "row %g." 200\n');
    await untilTyped(page, /row 200\./);
    await page.setViewportSize({ width: 900, height: 500 });
    await page.reload();
    await untilTyped(page, /row 200\./);
    expect(await terminalText(page)).not.toContain('row 1.');
    for (let pages = 0; pages < 12; pages += 1) await page.keyboard.press('Shift+PageUp');
    await untilTyped(page, /row 1\.[\s\S]*row 2\.[\s\S]*row 10\./);
  });

  it('shows whole lines after it was resumed in a hidden tab, at another width', async () => {
    await type('for n in 1 2 3 4; do printf "<$n%0120d>\\n" 0; done; echo $((30 + 2))-wide\n');
    await untilTyped(page, /32-wide/);
    await openFilesOn(page, 'harbor');
    await page.setViewportSize({ width: 900, height: 500 });
    const resumed = untilResumed();
    await page.reload();
    await resumed;
    await page.getByRole('tab', { name: 'Terminal: harbor' }).click();
    await untilTyped(page, /32-wide/);
    const lines = (await terminalText(page)).replaceAll('\n', '');
    expect([...lines.matchAll(/<\d0{120}>/g)]).toHaveLength(4);
  });

  it('survives a network failure without an error, and receives what was typed during it', async () => {
    await type('sleep 0.5; echo $((50 + 2))-during\n');
    await untilTyped(page, /during/);
    network.cut();
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    await type('echo $((60 + 2))-typed\n');
    await untilTyped(page, /52-during[\s\S]*62-typed/);
    expect(await page.getByText('Connection lost').count()).toBe(0);
    expect((await terminalText(page)).match(/62-typed/g)).toHaveLength(1);
  });

  it('that has gone silent is named, and keeps what is typed for the shell', async () => {
    network.freeze();
    await type('echo $((6 * 9))-kept\n');
    const banner = page.locator('.banner', { hasText: 'No answer' });
    await banner.getByText('What you type is kept, and sent once when the connection is back.').waitFor();
    expect(await browser.accessibility()).toEqual([]);
    // On a slow machine, the page has reconnected by itself in the meantime.
    const is_gone = banner.waitFor({ state: 'detached' });
    await Promise.race([banner.getByRole('button', { name: 'Reconnect now' }).click(), is_gone]);
    await untilTyped(page, /54-kept/);
    await is_gone;
  });

  it('continues in another window, and can be taken back', async () => {
    await type('kept=still; echo $((70 + 2))-here\n');
    await untilTyped(page, /72-here/);
    const other = await open();
    await goTo(other.page, '#/account/terminals');
    await other.page
      .getByRole('button', { name: /^Continue here/ })
      .first()
      .click();
    await untilTyped(other.page, /72-here/);
    await page.getByText('This terminal was continued elsewhere').waitFor();
    await type(' \n'); // input meant for the shell must not press a button
    await page.getByText('This terminal was continued elsewhere').waitFor();
    await page.keyboard.press('Tab');
    const back = page.getByRole('button', { name: 'Continue here' });
    await untilFocused(back);
    expect(await browser.accessibility()).toEqual([]);
    await back.press('Enter');
    await other.page.getByText('This terminal was continued elsewhere').waitFor();
    await type('echo $kept-mine\n');
    await untilTyped(page, /still-mine/);
    expect(other.problems()).toEqual([]);
    await other.page.close();
  });
});

describe('A server in the list', () => {
  it('opens one terminal per double-click', async () => {
    await serverInRail(page, 'harbor').dblclick();
    await page.getByRole('tab').nth(1).waitFor();
    await serverInRail(page, 'harbor').getByTitle('Terminal on harbor').dblclick();
    await page.getByRole('tab').nth(2).waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(await page.getByRole('tab').count()).toBe(3);
  });
});

describe('A closed tab', () => {
  it('gives its running shell back with Undo, in the pane where it was, and keeps its new name', async () => {
    await type('mine=kept; echo $((20 + 2))-set\n');
    await untilTyped(page, /22-set/);
    await page.keyboard.press('Control+Shift+E');
    await page.getByRole('tablist').nth(1).waitFor();
    const first = page.getByRole('tab').first();
    await first.press('F2');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await name.fill('build');
    await page.keyboard.press('Enter');
    const build = page.getByRole('tab', { name: 'Terminal: build' });
    await build.press('Delete');
    await page.getByText('Closed build. Its shell ends in 10 seconds.').waitFor();
    await expect.poll(() => page.getByRole('tablist').count(), SOON).toBe(1);
    expect(await browser.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => page.getByRole('tablist').count(), SOON).toBe(2);
    await untilFocused(page.getByRole('textbox', { name: 'Terminal on harbor' }).first());
    await type('echo $mine-back\n');
    await untilTyped(page, /kept-back/);
    await page.reload();
    await build.waitFor();
  });

  it('receives nothing from the middle click that closes it, which pastes the selection on Linux', async () => {
    await page.getByText('Connected', { exact: true }).dblclick();
    await page.getByRole('textbox', { name: 'Terminal on harbor' }).focus();
    await type('cat; echo $((20 + 2))-ended\n');
    await untilTyped(page, /-ended\n/);
    await page.getByRole('tab', { name: 'Terminal: harbor' }).click({ button: 'middle' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilFocused(page.getByRole('textbox', { name: 'Terminal on harbor' }));
    await type('typed\n');
    await page.keyboard.press('Control+D');
    await untilTyped(page, /22-ended/);
    expect(await terminalText(page)).toMatch(/-ended\s*\ntyped\s*\ntyped\s*\n22-ended/);
  });

  it('can be closed with all others from its menu, and reopened', async () => {
    await openFilesOn(page, 'harbor');
    const files = page.getByRole('tab', { name: 'Files: harbor' });
    await files.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Close others' }).click();
    await page.getByText('Closed harbor. Its shell ends in 10 seconds.').waitFor();
    await files.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Reopen closed tab' }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(await page.getByRole('tab').count()).toBe(2);
  });
});

describe('The tabs of a pane', () => {
  const names = () => page.getByRole('tab').evaluateAll((all) => all.map((tab) => tab.ariaLabel));

  it('are dragged into another order, duplicated, closed to the right, reopened and split by keys', async () => {
    const terminal = page.getByRole('tab', { name: 'Terminal: harbor' });
    await type("PROMPT_COMMAND=; printf '\\033]0;deploying\\007'\n");
    await expect.poll(names, SOON).toEqual(['Terminal: harbor deploying']);
    expect(await terminal.locator('.tab-detail').textContent()).toBe('deploying');
    await openFilesOn(page, 'harbor');
    await page.getByRole('grid', { name: /^Files in \/\w/ }).waitFor();
    await page
      .getByRole('tab', { name: 'Files: harbor' })
      .dragTo(terminal, { targetPosition: { x: 4, y: 8 } });
    await expect.poll(async () => (await names())[1], SOON).toBe('Terminal: harbor deploying');
    await page.getByRole('tab').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await expect.poll(async () => (await names()).length, SOON).toBe(3);
    await page.getByRole('tab').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Close to the right' }).click();
    await expect.poll(async () => (await names()).length, SOON).toBe(1);
    await page.keyboard.press('Control+Shift+T');
    await page.keyboard.press('Control+Shift+T');
    await expect.poll(async () => (await names()).length, SOON).toBe(3);
    await page.keyboard.press('Control+Shift+D');
    await expect.poll(() => page.getByRole('tablist').count(), SOON).toBe(2);
    const [upper, lower] = await Promise.all(
      [0, 1].map((nth) => page.locator('.panel:not([hidden])').nth(nth).boundingBox()),
    );
    expect(lower?.x).toBe(upper?.x);
    expect(lower?.y).toBeGreaterThan(upper?.y ?? 0);
  });

  it('say where the shell is without its own user and host, and shrink to 96 pixels', async () => {
    const detail = page.locator('.tab-detail');
    const say = (title: string) => type(`PROMPT_COMMAND=; printf '\\033]0;${title}\\007'\n`);
    await say(`${sshd.username}@127.0.0.1: /srv/www`);
    await expect.poll(() => detail.textContent(), SOON).toBe('/srv/www');
    expect(await page.getByRole('tab').getAttribute('title')).toContain(`${sshd.username}@127.0.0.1`);
    await say('somebody@elsewhere: /tmp');
    await expect.poll(() => detail.textContent(), SOON).toBe('somebody@elsewhere: /tmp');
    await page.setViewportSize({ width: 640, height: 700 });
    for (const _more of [1, 2, 3, 4]) {
      await page.getByRole('tab').last().click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    }
    await expect.poll(() => page.getByRole('tab').count(), SOON).toBe(5);
    const widths = page
      .getByRole('tab', { selected: false })
      .evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().width));
    expect(Math.min(...(await widths))).toBe(96);
  });

  it('are all in a list when they do not fit', async () => {
    const all = page.getByRole('button', { name: 'All tabs of this pane' });
    expect(await all.count()).toBe(0);
    await page.setViewportSize({ width: 480, height: 700 });
    for (const _more of [1, 2, 3, 4]) {
      await page.getByRole('tab').last().click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    }
    await expect.poll(() => page.getByRole('tab').count(), SOON).toBe(5);
    await all.click();
    expect(await page.getByRole('menuitem').count()).toBe(5);
    await page.getByRole('menuitem', { name: 'harbor (1)' }).click();
    await expect.poll(() => page.getByRole('tab').first().getAttribute('aria-selected')).toBe('true');
    await untilTypable(page);
  });
});

describe('The palette', () => {
  it('splits and shares the terminal, sends snippets to it, and broadcasts', async () => {
    const run = async (text: string) => {
      await page.keyboard.press('Control+Shift+P');
      await untilFocused(page.getByRole('combobox', { name: 'Command palette' }));
      await type(text);
      await page.keyboard.press('Enter');
    };
    await run('split down');
    await expect.poll(() => page.locator('.panel:not([hidden])').count(), SOON).toBe(2);
    await page.getByText('Connected', { exact: true }).waitFor();
    for (const [text, title] of [
      ['share term', 'Share the terminal on harbor'],
      ['send snip', /^Send a snippet/],
      ['broadc', 'Broadcast input'],
    ] as const) {
      await run(text);
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.waitFor();
      if (text === 'share term') await selectNamed(dialog, 'Access').getByText('View only').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });
});

describe('Another language', () => {
  it('changes the names of tabs and terminals at once', async () => {
    await openFilesOn(page, 'harbor');
    await page.getByRole('tab', { name: 'Files: harbor' }).waitFor();
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitemradio', { name: 'Español' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Archivos: harbor' }).waitFor();
    await page.getByRole('tab', { name: 'Terminal: harbor' }).click();
    await page.getByRole('textbox', { name: 'Terminal de harbor' }).waitFor();
  });

  it('is fetched without English when the page is opened again', async () => {
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitemradio', { name: 'Español' }).click();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('button', { name: /^Cuenta: / }).waitFor();
    const fetched = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1) ?? ''),
    );
    expect(fetched.filter((name) => /^e[ns]-.*js$/.test(name))).toEqual([expect.stringMatching(/^es-/)]);
    expect(fetched.filter((name) => /-ext-.*woff2$/.test(name))).toEqual([]);
  });
});

describe('Running terminals', () => {
  it('are counted in one question before signing out', async () => {
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    const question = page.getByRole('alertdialog', { name: 'Sign out?' });
    await question.getByText('1 running terminal will end.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
  });

  it('that could not be resumed are asked about before the page is left', async () => {
    await gateway.admin.call('PUT', '/api/settings', { values: { resume_seconds: 0 } });
    await openTerminalOn(page, 'harbor');
    await page.getByRole('tab').nth(1).waitFor();
    await untilTypable(page);
    await type('echo $((30 + 3))-here\n');
    await untilTyped(page, /33-here/);
    const asking = page.waitForEvent('dialog'); // the browser's own dialog
    const reloading = page.reload();
    const question = await asking;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await reloading;
    await gateway.admin.call('POST', '/api/settings/reset', { keys: ['resume_seconds'] });
  });

  it('that ended with the gateway are reopened with one button', async () => {
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket(/\/ws\/terminal\//, (socket) => {
      socket.connectToServer();
      sockets.push(socket);
    });
    await page.reload();
    await untilTypable(page);
    await page.keyboard.press('Control+Shift+E');
    await expect.poll(() => sockets.length, SOON).toBe(2);
    await page.getByText('Connected', { exact: true }).waitFor();
    for (const socket of sockets.splice(0)) await socket.close({ code: 1012, reason: 'shutting_down' });
    await page.getByText('2 terminals ended with the gateway.').waitFor();
    await page.getByRole('button', { name: 'Reopen all' }).click();
    await expect.poll(() => sockets.length, SOON).toBe(2);
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Open again' }).count()).toBe(0);
  });
});

describe('The start page', () => {
  it('leads back to the tabs of a split screen, and names the keys that work there', async () => {
    await page.keyboard.press('Control+Shift+E');
    await page.getByRole('tablist').nth(1).waitFor();
    await goTo(page, '#/');
    const back = page.getByRole('button', { name: 'Back to the open tabs' });
    await back.waitFor();
    const keys = await page.locator('.palette-button kbd, .home-search kbd').allTextContents();
    expect(keys).toEqual(['Ctrl', 'K', 'Ctrl', 'K']);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await back.click();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(await page.getByRole('tablist').count()).toBe(2);
  });
});

describe('Terminals of one server', () => {
  it('are distinguished by tab, title and start time', async () => {
    await type(
      "PROMPT_COMMAND=; printf '\\033]0;build \\342\\200\\256of today\\007'; echo $((20 + 2))-titled\n",
    );
    await untilTyped(page, /22-titled/);
    await openTerminalOn(page, 'harbor');
    await page.getByRole('tab').nth(1).waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    await goTo(page, '#/admin/terminals');
    const [first, second] = ['1', '2'].map((nth) =>
      page.getByRole('row').filter({ hasText: `open here in tab “harbor (${nth})”` }),
    );
    await first?.getByText('build of today').waitFor();
    await second?.getByText(/^(Yesterday )?\d\d:\d\d:\d\d$/).waitFor();
    await second?.getByText(/^(now|\d+ seconds? ago)$/).waitFor();
    await ask(page, '-server:harbor');
    await page.getByText('No matches.').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await first?.waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await goTo(page, '#/account/terminals');
    await page.getByRole('row').filter({ hasText: 'build of today' }).getByText('harbor (1)').waitFor();
  });
});

describe('Terminals in panes', () => {
  it('have the keys once they are split from the menu, and their controls stay inside', async () => {
    await page.getByRole('button', { name: 'Terminal tools for harbor' }).click();
    await page.getByRole('menuitem', { name: 'Split down' }).click();
    const panels = page.locator('.panel:not([hidden])');
    await expect.poll(() => panels.count(), SOON).toBe(2);
    await untilFocused(panels.last().locator('textarea'));
    await page.keyboard.press('Control+Shift+E');
    await expect.poll(() => panels.count(), SOON).toBe(3);
    await untilFocused(panels.last().locator('textarea'));
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.keyboard.press('Control+Shift+B');
    await page.getByRole('dialog').getByRole('button', { name: 'Start broadcasting' }).click();
    const outside = (all: Element[]) =>
      all.filter((one) => {
        const { left, right } = one.closest('.panel')?.getBoundingClientRect() ?? { left: 0, right: 0 };
        const box = one.getBoundingClientRect();
        return box.left < left || box.right > right;
      }).length;
    for (const width of [1280, 900, 740]) {
      await page.setViewportSize({ width, height: 800 });
      const buttons = panels.locator('.pane-bar button:visible');
      const seen = async () => ({ width, outside: await buttons.evaluateAll(outside) });
      await expect.poll(seen).toEqual({ width, outside: 0 });
    }
    expect(await page.getByRole('button', { name: 'Stop broadcasting' }).count()).toBe(3);
  });
});

describe('On a phone', () => {
  it('search and font size are in the terminal’s menu', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const rows = () => page.locator('.panel:not([hidden]) .xterm-rows > div').count();
    const before = await rows();
    await page.getByRole('button', { name: 'Terminal tools for harbor' }).click();
    for (const _press of [1, 2]) await page.getByRole('menuitem', { name: 'Larger font' }).click();
    await expect.poll(rows, SOON).toBeLessThan(before);
    await page.getByRole('menuitem', { name: 'Search in this terminal' }).click();
    await untilFocused(page.getByRole('textbox', { name: 'Search in this terminal' }));
  });

  it('F-keys are in the bar above the on-screen keyboard', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await type('cat -v\n');
    const keys = page.getByRole('toolbar', { name: 'Extra keys' });
    for (const name of ['F2', 'F10']) await keys.getByRole('button', { name, exact: true }).click();
    await untilTyped(page, /\^\[OQ\^\[\[21~/);
    await page.keyboard.press('Control+c');
  });
});

describe('A flood of output', () => {
  it('is stopped at once by Ctrl+C', async () => {
    await type('yes flood\n');
    await untilTyped(page, /flood\n+flood/);
    await page.keyboard.press('Control+c');
    await type('echo $((80 + 2))-stopped\n');
    await untilTyped(page, /82-stopped/);
  });

  it('with huge repeat counts does not stop the page', async () => {
    await type(
      "for final in S T L M b I Z; do printf 'x\\033[20000000'$final; done; printf '\\033[2Jfre\\145\\n'\n",
    );
    await untilTyped(page, /free/);
  });

  it('into a hidden tab is kept', async () => {
    const flag = join(sshd.folder, 'flooded');
    await type(`sleep 0.5; seq 200000; touch ${flag}; echo $((90 + 2))-kept\n`);
    await untilTyped(page, /touch/);
    await openFilesOn(page, 'harbor');
    await expect.poll(() => existsSync(flag), SOON).toBe(true);
    await page.getByRole('tab', { name: 'Terminal: harbor' }).click();
    await untilTyped(page, /199999\s+200000\s+92-kept/);
  });
});

describe('The terminal', () => {
  it('is searched from the keyboard', async () => {
    await type('for each in one two three; do echo "found $each"; done\n');
    await untilTyped(page, /found three/);
    await page.keyboard.press('Control+Shift+F');
    const field = page.getByRole('textbox', { name: 'Search in this terminal' });
    await untilFocused(field);
    await type('FOUND t');
    await page.getByText('2 of 2').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 2').waitFor();
    expect(await browser.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Match case' }).click();
    await page.getByText('No results').waitFor();
    await field.press('Escape');
    await type('echo $((4 + 2))-typed\n');
    await untilTyped(page, /6-typed/);
  });

  it('asks before a program writes to the clipboard', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await type(`printf '\\033]52;c;%s\\007' $(printf from-afar | base64)\n`);
    await page.getByText('A program on harbor wants to copy text to your clipboard').waitFor();
    await page.getByText('from-afar', { exact: true }).waitFor();
    await page.keyboard.press('Control+F6'); // the shell has kept the focus
    await untilFocused(page.getByRole('button', { name: 'Allow', exact: true }));
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), SOON).toBe('from-afar');
  });

  it('removes control characters from pasted and dropped text, and asks', async () => {
    const field = page.locator('.panel:not([hidden]) .xterm-helper-textarea');
    const question = page.getByRole('alertdialog', { name: 'Paste without control characters?' });
    for (const [how, insert] of [
      ['pasted', paste],
      ['dropped', drop],
    ] as const) {
      await field.evaluate(insert, `echo $((6 + 3))-${how}\u001b[201~\r`);
      await question.getByText('They were removed: ESC. The text is a line that ends').waitFor();
      expect(await browser.accessibility()).toEqual([]);
      await question.getByRole('button', { name: 'Paste' }).click();
      await untilTyped(page, new RegExp(`-${how}\\[201~`));
      await type('\n');
      await untilTyped(page, new RegExp(`9-${how}\\[201~`));
    }
  });

  it('is not drawn with WebGL where that is emulated, which is slower', async () => {
    const { page: other, ...opened } = await open({ args: ['--enable-unsafe-swiftshader'] });
    const has_webgl = () => document.createElement('canvas').getContext('webgl2') !== null;
    expect(await other.evaluate(has_webgl)).toBe(true);
    await other.evaluate(() => localStorage.clear());
    await goTo(other, '#/');
    await other.reload(); // without `renderer=dom`
    await openTerminalOn(other, 'harbor');
    await untilTyped(other, /\S/); // the rows of the DOM renderer
    expect(await other.locator('.panel:not([hidden]) .xterm-screen canvas').count()).toBe(0);
    expect(opened.problems()).toEqual([]);
    await other.close();
  });

  it('says once how text is selected while a program takes the mouse', async () => {
    await type("printf '\\033[?1000h'; echo $((50 + 4))-taken\n");
    await untilTyped(page, /54-taken/);
    const box = await page.locator('.panel:not([hidden]) .xterm-screen').boundingBox();
    const { x, y } = box ?? { x: 0, y: 0 };
    const drag = async () => {
      await page.mouse.move(x + 20, y + 20);
      await page.mouse.down();
      await page.mouse.move(x + 200, y + 20);
      await page.mouse.up();
    };
    const hint = page.getByText('To select text, hold Shift while you drag');
    await drag();
    await hint.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await drag();
    await type('\necho $((50 + 5))-dragged\n');
    await untilTyped(page, /55-dragged/);
    expect(await hint.count()).toBe(0);
  });

  it('shows images', async () => {
    await type(`printf '\\033Pq#0;2;100;0;0#0~~~~~~\\033\\\\'\n`);
    await page.locator('.panel:not([hidden]) canvas.xterm-image-layer').waitFor();
  });

  it('follows the theme that the user has chosen, not that of the system', async () => {
    const choose = async (theme: string) => {
      await page.getByRole('button', { name: /^Account: / }).click();
      await page.getByRole('menuitemradio', { name: theme }).click();
      await page.keyboard.press('Escape');
    };
    const background = () =>
      page
        .locator('.xterm-scrollable-element')
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background();
    await choose('Dark');
    await expect.poll(background).not.toBe(light);
    await choose('Same as system');
    await expect.poll(background).toBe(light);
  });

  it('has a context menu, and pastes on right-click if preferred', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const screen = page.locator('.panel:not([hidden]) .xterm-screen');
    await screen.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Select all' }).waitFor();
    await page.keyboard.press('Escape');
    await goTo(page, '#/account/preferences');
    await page.getByRole('button', { name: /^Right-click/ }).click();
    await page.getByRole('option', { name: 'Pastes' }).click();
    await page.getByRole('button', { name: /^Backspace sends/ }).click();
    await page.getByRole('option', { name: '^H (old hosts)' }).click();
    expect(await browser.accessibility()).toEqual([]);
    await page.evaluate(() => navigator.clipboard.writeText('echo $((5 + 2))-pasted'));
    await page.getByRole('tab', { name: 'Terminal: harbor' }).click();
    await screen.click({ button: 'right' });
    await untilTyped(page, /-pasted/);
    await type('\n');
    await untilTyped(page, /7-pasted/);
    await type('read -rsn1 key; printf "%q\\n" "$key"\n');
    await page.keyboard.press('Backspace');
    await untilTyped(page, /\$'\\b'/);
  });
});
