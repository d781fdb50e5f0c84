import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { watchProblems } from '../../support/browser/browser.ts';
import {
  goTo,
  keepPicture,
  untilFocused,
  untilTypable,
  untilTyped,
  useVisits,
} from '../../support/browser/pages.ts';
import { ask, queryBar, spaceAbove } from '../../support/browser/query-bar.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { fileOf, hostOf, record, shellOn } from '../../support/features/recordings.ts';
import { type Actor, startGateway, type TestGateway, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SOON = { timeout: 60_000 };
const MINUTES = 10;

const visits = useVisits({ reducedMotion: 'no-preference' });
let sshd: Sshd;
let gateway: TestGateway;
let ann: Actor;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway({ env: { SERVICE_RECORD_SESSIONS: 'true', SERVICE_ROOT_PATH: '/ops' } });
  ann = await gateway.user({ username: 'ann', allowed_groups: ['lab'] });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

const shown = async (player: Page) => (await player.locator('.ap-term-text').textContent()) ?? '';
const untilShown = (player: Page, text: string) => expect.poll(() => shown(player), SOON).toContain(text);
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

const watched: string[][] = [];
afterEach(() => expect(watched.splice(0).flat()).toEqual([]));

/** The page opened in a new tab by a click; its problems fail the test. */
async function opened(page: Page, press: () => Promise<void>): Promise<Page> {
  const opening = page.waitForEvent('popup');
  page.context().once('page', (other) => watched.push(watchProblems(other, gateway.url)));
  await press();
  return opening;
}

async function chooseFor(place: Locator, item: string): Promise<void> {
  await place.getByRole('button', { name: /^More actions for/ }).click();
  await place.page().getByRole('menuitem', { name: item }).click();
}

describe('A recording', () => {
  it('of the user’s own terminal is listed, played, read, verified, kept and deleted', async () => {
    await hostOf(gateway, sshd, { name: 'harbor' });
    const page = await visits.enter(gateway.url, (await gateway.signIn('ann', USER_PASSWORD)).token);
    await openTerminalOn(page, 'harbor');
    await untilTypable(page);
    await page.keyboard.type('echo $((6 * 7))-recorded; exit\n');
    await untilTyped(page, /42-recorded/);
    await goTo(page, '#/account/recordings');
    const harbor = row(page, 'harbor');
    await harbor.getByText('Finished').waitFor();
    const started = harbor.locator('time');
    expect(await started.locator('[aria-hidden]').textContent()).toMatch(/^(Yesterday )?\d\d:\d\d$/);
    expect(await started.getAttribute('title')).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d \S+$/);
    expect(await visits.accessibility()).toEqual([]);

    await harbor.getByRole('button', { name: /^Play/ }).click();
    await untilShown(page, '42-recorded');
    await page.reload();
    await untilShown(page, '42-recorded');
    const screen = await page.locator('.ap-player').boundingBox();
    expect([screen?.width, screen?.height].map((side) => side !== undefined && side > 300)).toEqual([
      true,
      true,
    ]);
    await untilFocused(page.locator('.ap-wrapper'));
    expect(await visits.accessibility()).toEqual([]);
    await page.getByRole('tab', { name: 'Recording: harbor' }).press('Delete');
    await page.locator('.ap-wrapper').waitFor({ state: 'detached' });
    await goTo(page, '#/account/recordings');

    await queryBar(page).fill('42-RECORDED');
    await page.getByText('Press Enter to search the output of terminals as well.').waitFor();
    await queryBar(page).press('Enter');
    await page.getByText('1 recording has this text, of 1 searched.').waitFor();
    const lines = page.getByRole('list', { name: 'Lines of harbor with this text' });
    expect(await lines.locator('mark').first().textContent()).toBe('42-recorded');
    expect(await page.getByRole('rowheader').count()).toBe(1); // one list
    expect(await visits.accessibility()).toEqual([]);
    await lines.getByRole('button').last().click();
    await untilShown(page, '42-recorded'); // without being played
    await goTo(page, '#/account/recordings');

    const text = await opened(page, () => chooseFor(harbor, 'Read as text'));
    await text.getByText('42-recorded').first().waitFor();
    await text.close();

    await chooseFor(harbor, 'Verify against the audit log');
    await harbor.getByText('Unchanged').waitFor();

    const downloading = page.waitForEvent('download');
    await chooseFor(harbor, 'Download');
    const file = await downloading;
    expect(file.suggestedFilename()).toMatch(/^harbor-.*\.cast$/);
    expect(readFileSync(await file.path(), 'utf8')).toContain('42-recorded');

    await chooseFor(harbor, 'Delete…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('You have no recordings.').waitFor();
  });

  it('that is large is downloaded as text', async () => {
    const lines = [[0.1, 'o', 'much of it\r\n']];
    await kept('warehouse', lines, 9 * 2 ** 20);
    const page = await visits.open(gateway, '#/admin/recordings');
    await row(page, 'warehouse')
      .getByRole('button', { name: /^More actions for/ })
      .click();
    const item = page.getByRole('menuitem', { name: 'Download as text' });
    expect(await item.getAttribute('title')).toMatch(/^This recording is too large/);
    const downloading = page.waitForEvent('download');
    await item.click();
    const file = await downloading;
    expect(file.suggestedFilename()).toMatch(/^warehouse-.*\.txt$/);
    expect(readFileSync(await file.path(), 'utf8')).toContain('much of it');
  });

  it('is played from the entry of its terminal in the audit log, and leads back to it', async () => {
    const { id } = await hostOf(gateway, sshd, { name: 'mole' });
    const other = await hostOf(gateway, sshd, { name: 'jetty' });
    for (const server_id of [id, other.id])
      await record(ann, await shellOn(gateway, ann, server_id), {
        keys: 'echo of-$((1 + 1))\r',
        sees: /of-2/,
      });
    const page = await visits.open(gateway, '#/admin/recordings');
    await row(page, 'mole').getByRole('button', { name: /^mole/ }).first().click();
    const details = page.getByRole('complementary', { name: /^Details of / });
    await details.getByRole('link', { name: 'What this user did on this server' }).click();
    await row(page, 'Terminal opened').filter({ hasText: 'mole' }).getByRole('button').first().click();
    expect(await visits.accessibility()).toEqual([]);
    await details.getByRole('button', { name: /^Play the recording of mole/ }).click();
    await untilShown(page, 'of-2');
  });

  it('that was changed fails verification', async () => {
    const { id } = await hostOf(gateway, sshd, { name: 'lighthouse' });
    const client = await shellOn(gateway, ann, id);
    const recording = await record(ann, client, { keys: 'echo a-$((1 + 1))\r', sees: /a-2/ });
    await appendFile(fileOf(gateway, recording), '[9,"o","never happened"]\n');
    const page = await visits.open(gateway, '#/account/recordings');
    await page.getByRole('link', { name: 'Recordings of all users' }).click();
    await chooseFor(row(page, 'lighthouse'), 'Verify against the audit log');
    await row(page, 'lighthouse').getByText('The file was changed').waitFor();
  });
});

describe('The administrators’ list', () => {
  it.each(['light', 'dark'] as const)('shows and filters everyone’s recordings (%s)', async (colorScheme) => {
    for (const name of ['pier', 'quay']) await longRecording(name);
    const page = await visits.open(gateway, '#/admin/recordings');
    await page.emulateMedia({ colorScheme });
    await row(page, 'pier').first().waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await keepPicture(page, `recordings-${colorScheme}.png`);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await spaceAbove(page, 'Recordings', page.getByRole('table'))).toBeLessThanOrEqual(52);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await queryBar(page).fill('QUA');
    await expect.poll(() => row(page, 'pier').count(), SOON).toBe(0);
    expect(await row(page, 'quay').count()).toBeGreaterThan(0);
    await row(page, 'quay').first().getByRole('button', { name: /^quay/ }).first().click();
    const details = page.getByRole('complementary', { name: /^Details of / });
    await details.waitFor();
    await page.reload();
    await details.waitFor();
    expect(await row(page, 'pier').count()).toBe(0);
    expect(await queryBar(page).inputValue()).toBe('QUA');
    await details.getByRole('button', { name: 'Close details' }).click();
    await details.waitFor({ state: 'detached' });
    const clear = page.getByRole('button', { name: 'Clear the search' });
    await clear.click();
    await row(page, 'pier').first().waitFor();
    await ask(page, 'since:2026-01-02 until:2026-01-02');
    await row(page, 'pier').first().waitFor();
    await clear.click();
    await ask(page, 'since:2026-01-03 until:2026-01-03');
    await page.getByText('No matching recordings.').waitFor();
    await clear.click();
    await row(page, 'pier').first().waitFor();
    await ask(page, 'user:nobody');
    await page.getByText('No matching recordings.').waitFor();
  });
});

/** Ten minutes, with output only in the first and the last. */
function longRecording(name: string) {
  const end = MINUTES * 60;
  return kept(name, [
    [0.1, 'o', 'the beginning\r\n'],
    [0.2, 'o', 'and more\r\n'],
    [end - 55, 'o', '\x1b[2Jnearly\r\n'],
    [end, 'o', 'the end\r\n'],
  ]);
}

async function kept(name: string, events: readonly unknown[], size_bytes = 200, height = 24) {
  const file_path = `2026-01/${name}.cast`;
  const path = join(gateway.config.recordings.dir, file_path);
  mkdirSync(join(path, '..'), { recursive: true });
  const lines = [{ version: 2, width: 80, height }, ...events];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return createRepositories(gateway.store).recordings.insert({
    ...{
      user_id: 1,
      username: 'admin',
      server_id: null,
      server_name: name,
      run_id: 'of the past',
      directory_id: null,
      file_path,
    },
    ...{ started_at: '2026-01-02T03:04:05.000Z', ended_at: '2026-01-02T03:14:05.000Z', status: 'finished' },
    ...{ duration_s: MINUTES * 60, size_bytes, sha256: null },
  });
}

describe('The replay page', () => {
  async function play(recording = longRecording('dock')) {
    const { id } = await recording;
    const { body } = await gateway.admin.call<{ ticket: string }>('POST', `/api/recordings/${id}/ticket`);
    const page = await visits.enter(gateway.url);
    await page.goto(`${gateway.url}/api/recordings/${id}/play?ticket=${body.ticket}`);
    return page;
  }

  it('seeks, skips pauses, and shows the original time', async () => {
    const page = await play();
    await untilShown(page, 'and more');
    expect(await visits.accessibility()).toEqual([]);
    await page.keyboard.press(' ');
    await page.keyboard.press('9');
    await page.keyboard.press('.');
    await untilShown(page, 'the end');
    await page.keyboard.press('0');
    await expect.poll(() => shown(page), SOON).not.toContain('the end');
    await page.getByRole('checkbox', { name: 'Skip pauses' }).uncheck();
    await page.locator('.ap-wrapper').focus();
    await page.keyboard.press('9');
    await untilShown(page, 'the beginning');
    const clock = page.locator('.replay-when');
    await expect.poll(() => clock.textContent(), SOON).toContain(localTime('2026-01-02T03:13:05Z'));
    await page.getByLabel('Speed').selectOption('16');
    await page.locator('.ap-wrapper').focus();
    await page.keyboard.press(' ');
    await untilShown(page, 'nearly'); // five seconds later in the session
  });

  it('seeks to the right output in a long recording', async () => {
    const lines = Array.from({ length: 1000 }, (_, at) => [at, 'o', `${'-'.repeat(8000)}\r\nline ${at}\r\n`]);
    const page = await play(kept('long', lines));
    await expect
      .poll(() => page.workers().map((worker) => worker.url()), SOON)
      .toEqual([expect.stringMatching(/keyframe-worker/)]);
    await untilShown(page, 'line 0');
    await page.keyboard.press(' ');
    await page.keyboard.press('9');
    await untilShown(page, 'line 899');
    await page.keyboard.press('1');
    await untilShown(page, 'line 99');
  });

  it('shows all key bindings in a recording with few rows', async () => {
    const page = await play(
      kept(
        'low',
        [
          [0.1, 'o', 'low'],
          [600, 'o', '!'],
        ],
        200,
        12,
      ),
    );
    await untilShown(page, 'low');
    await page.keyboard.press('?');
    const keys = page.locator('.ap-overlay-help li').last();
    await keys.waitFor();
    const { y = 0, height = 0 } = (await keys.boundingBox()) ?? {};
    const bar = await page.locator('.ap-control-bar').boundingBox();
    expect(y + height).toBeLessThanOrEqual(bar?.y ?? 0);
  });

  it('says that its link has expired', async () => {
    const page = await play();
    await untilShown(page, 'and more');
    await page.route('**/cast?*', (route) => route.fulfill({ status: 401, body: '{}' }));
    await page.reload();
    await page.getByText('This link has expired. Open the recording from the list again.').waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('uses the colors of the interface (%s)', async (colorScheme) => {
    const page = await play();
    await page.emulateMedia({ colorScheme });
    await page.reload();
    await untilShown(page, 'and more');
    const color = await page
      .locator('.ap-player')
      .evaluate((player) => getComputedStyle(player).backgroundColor);
    expect(color).toBe(colorScheme === 'dark' ? 'rgb(14, 19, 22)' : 'rgb(255, 255, 255)');
    await keepPicture(page, `replay-${colorScheme}.png`);
  });
});

/** Formats the time like the page; both use one time zone. */
function localTime(instant: string): string {
  return new Intl.DateTimeFormat('en-US', { timeStyle: 'short' })
    .format(new Date(instant))
    .replace(/\s.*/, '');
}
