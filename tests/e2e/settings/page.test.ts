import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SettingList } from '#core/model/settings/setting.ts';
import {
  choose,
  goTo,
  intercept,
  keepPicture,
  speakSpanish,
  untilFocused,
  useVisits,
} from '../../support/browser/pages.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const SOON = { timeout: 60_000 };
const visits = useVisits();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { SERVICE_MONITOR_TIMEOUT: '7', SERVICE_ROOT_PATH: '/ops' } });
});
afterAll(() => gateway?.close());

const listed = async () => (await gateway.admin.call<SettingList>('GET', '/api/settings')).body.settings;
afterEach(async () => {
  const keys = (await listed()).map(({ key }) => key);
  await gateway.admin.call('POST', '/api/settings/reset', { keys });
});

const row = (page: Page, name: string): Locator => page.getByRole('listitem').filter({ hasText: name });
const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save changes' });

async function open(): Promise<Page> {
  const page = await visits.open(gateway, '#/admin/settings');
  await field(page, 'Check interval').waitFor();
  return page;
}

describe('The settings', () => {
  it('each have a control for their type, and show their source', async () => {
    const page = await open();
    const count = (await listed()).length;
    expect(await page.locator('.setting').count()).toBe(count);
    await row(page, 'Check timeout').getByText('SERVICE_MONITOR_TIMEOUT').waitFor();
    await row(page, 'Check timeout').getByText('Environment', { exact: true }).waitFor();
    expect(await row(page, 'Check interval').locator('.badge').count()).toBe(0);
    expect(await field(page, 'Check timeout').inputValue()).toBe('7 s');
    expect(await page.getByRole('switch', { name: 'Quick connect' }).isChecked()).toBe(true);
  });

  it('say which open terminals a change of recording does not reach', async () => {
    const page = await open();
    await page.getByText('Record terminals', { exact: true }).click();
    await page.getByText('Terminals that are open already are not recorded').waitFor();
  });

  it('are grouped, searched, and reached by a link to one of them', async () => {
    const page = await open();
    await page
      .getByRole('list', { name: 'Monitoring' })
      .getByText('Check interval', { exact: true })
      .waitFor();
    const search = page.getByRole('searchbox', { name: 'Search settings' });
    await search.fill('UPLOAD size');
    await expect.poll(() => page.locator('.setting').count(), SOON).toBe(1);
    await goTo(page, '#/admin/settings?key=monitor_timeout');
    await untilFocused(field(page, 'Check timeout'));
    await search.fill('UPLOAD size');
    await expect.poll(() => page.url(), SOON).toContain('q=UPLOAD');
    await goTo(page, '#/admin/settings?key=monitor_timeout');
    await untilFocused(field(page, 'Check timeout'));
    expect(await search.inputValue()).toBe('');
  });

  it('that open the gateway to other sites say what they open before they are saved', async () => {
    const page = await open();
    const sites = field(page, 'Sites that may embed');
    await sites.fill('http://portal.example');
    await page.getByText('can be changed by anybody on the way').waitFor();
    await sites.fill('https://portal.example');
    await page.getByText('List only sites that you trust').waitFor();
    await page.getByText('Private addresses', { exact: true }).click();
    await page.getByText('cloud metadata stay refused').waitFor();
    expect(await visits.accessibility()).toEqual([]);
    await save(page).click();
    await page.getByText('Saved. The settings are in effect.').waitFor();
    await goTo(page, '#/admin/embedding');
    await page.getByText('https://portal.example', { exact: true }).first().waitFor();
  });

  it('are saved together, apply at once, and are reset one by one', async () => {
    const page = await open();
    await field(page, 'Check interval').fill('30 s');
    await page.getByText('Quick connect', { exact: true }).click();
    await choose(page.locator('.setting').filter({ hasText: 'Log level' }), 'Log level', 'Warnings (warn)');
    await page.getByText('3 unsaved changes').waitFor();
    await save(page).click();
    await page.getByText('Saved. The settings are in effect.').waitFor();
    expect(await listed()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'monitor_interval', value: 30, source: 'admin' }),
        expect.objectContaining({ key: 'quick_connect', value: false }),
        expect.objectContaining({ key: 'log_level', value: 'warn' }),
      ]),
    );
    await expect
      .poll(() => page.getByRole('button', { name: 'Quick connect', exact: true }).count(), SOON)
      .toBe(0);
    await page.getByRole('button', { name: 'Reset to 1 min: Check interval' }).click();
    const question = page.getByRole('alertdialog', { name: 'Reset Check interval?' });
    await question.getByText('The value changes from 30 s to 1 min at once.').waitFor();
    expect(await listed()).toContainEqual(expect.objectContaining({ key: 'monitor_interval', value: 30 }));
    await question.getByRole('button', { name: 'Reset to 1 min' }).click();
    await row(page, 'Check interval').locator('.badge').waitFor({ state: 'detached' });
    expect(await field(page, 'Check interval').inputValue()).toBe('1 min');
  });

  it('are not sent while a value is out of range, which is shown at its field', async () => {
    const page = await open();
    await field(page, 'Check timeout').fill('11 min');
    await row(page, 'Check timeout').getByText('Enter a time from 1 s to 10 min, such as').waitFor();
    expect(await save(page).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await field(page, 'Check timeout').inputValue()).toBe('7 s');
  });

  it('need a unit for a time or a size', async () => {
    const page = await open();
    await field(page, 'Check interval').fill('90');
    await row(page, 'Check interval').getByText('Add a unit: 90 s or 90 min.').waitFor();
    await field(page, 'Maximum upload size').fill('500');
    await row(page, 'Maximum upload size').getByText('Add a unit: 500 MB or 500 GB.').waitFor();
    expect(await save(page).isDisabled()).toBe(true);
  });

  it('say what an audit limit would remove, offer its export, and ask before they save it', async () => {
    const created_at = '2020-01-01T00:00:00.000Z';
    await (await auditInstance(gateway.store)).append(auditRecord({ created_at, detail: 'long ago' }));
    const days = async () => (await listed()).find(({ key }) => key === 'audit_retention_days')?.value;
    const page = await open();
    const days_field = field(page, 'Audit retention');
    await days_field.fill('6 days');
    await row(page, 'Audit retention').getByText('Enter 0, or a time from 7 d to 36500 d.').waitFor();
    await days_field.fill('365 d');
    await save(page).click();
    const question = page.getByRole('alertdialog');
    await question.getByText('Remove old audit entries?').waitFor();
    await question.getByText(/would remove 1 entry today, from .*20/).waitFor();
    expect(await visits.accessibility()).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      question.getByRole('button', { name: 'Export NDJSON' }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).detail)).toEqual(['long ago']);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await days()).toBe(0);
    await save(page).click();
    await question.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText(/^Saved\. .* the audit limits act from /).waitFor();
    expect(await days()).toBe(365);
    await page.reload(); // the limit still waits
    await row(page, 'Audit retention')
      .getByText(/^Acts from .* at the earliest\./)
      .waitFor();
    await field(page, 'Audit retention').fill('36500 d');
    await save(page).click();
    await page.getByRole('alertdialog', { name: 'Save these audit limits?' }).waitFor(); // nothing is removed
    expect(await question.getByRole('button', { name: 'Save changes' }).getAttribute('class')).not.toContain(
      'danger',
    );
  });

  it('show a refusal by the gateway at the field', async () => {
    const page = await open();
    const errors = [{ path: 'values.max_upload_size', message: 'Must be even' }];
    await intercept(page, '**/api/settings', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 422, json: { detail: 'no', code: 'validation', errors } })
        : route.continue(),
    );
    await field(page, 'Maximum upload size').fill('1048577 B');
    await page.keyboard.press('Enter');
    await row(page, 'Maximum upload size').getByText('Must be even').waitFor();
  });

  it('ask before discarding changes, but not for a search', async () => {
    const page = await open();
    await field(page, 'Check interval').fill('31 s');
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('interval');
    await expect.poll(() => page.url(), SOON).toContain('q=interval');
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    await goTo(page, '#/admin/users');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await field(page, 'Check interval').inputValue()).toBe('31 s');
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
  });

  it('keep the focus in the form when a reset removes its button', async () => {
    await gateway.admin.call('PUT', '/api/settings', { values: { monitor_interval: 30 } });
    const page = await open();
    await page.getByRole('button', { name: /^Reset to 1 min/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reset to 1 min' }).press('Enter');
    await row(page, 'Check interval').locator('.badge').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement !== document.body), SOON).toBe(true);
  });

  it.each(['light', 'dark'] as const)(
    'are accessible, also on a phone and in Spanish (%s)',
    async (colorScheme) => {
      await gateway.admin.call('PUT', '/api/settings', {
        values: { monitor_interval: 30, session_timeout: 1800, max_upload_size: 2 ** 30 },
      });
      const page = await open();
      await page.emulateMedia({ colorScheme });
      expect(await field(page, 'Maximum upload size').inputValue()).toBe('1 GiB');
      expect(await visits.accessibility()).toEqual([]);
      await keepPicture(page, `settings-${colorScheme}.png`);
      await speakSpanish(page);
      await goTo(page, '#/admin/settings');
      await field(page, 'Intervalo de comprobación').waitFor();
      await page.setViewportSize({ width: 360, height: 640 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      expect(await page.locator('.screen-body').evaluate((body) => body.scrollWidth - body.clientWidth)).toBe(
        0,
      );
      expect(await visits.accessibility()).toEqual([]);
    },
  );
});

describe('Locked settings', () => {
  let locked: TestGateway;
  beforeAll(async () => {
    locked = await startGateway({ env: { SERVICE_CONFIG_LOCKED: 'true' } });
  });
  afterAll(() => locked?.close());

  it('say why, and cannot be changed', async () => {
    const page = await visits.open(locked, '#/admin/settings');
    await page.getByText('Settings are locked by SERVICE_CONFIG_LOCKED').first().waitFor();
    expect(await field(page, 'Check interval').isDisabled()).toBe(true);
    expect(await page.getByRole('switch', { name: 'Quick connect' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /^Log level/ }).isDisabled()).toBe(true);
    expect(await save(page).isDisabled()).toBe(true);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('lock the branding too, and it says why', async () => {
    const page = await visits.open(locked, '#/admin/branding');
    await page.getByText('Branding is locked by SERVICE_CONFIG_LOCKED').first().waitFor();
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Reset…' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    expect(await visits.accessibility()).toEqual([]);
  });
});

it('The settings can be opened from the palette', async () => {
  const page = await visits.open(gateway, '#/');
  await page.keyboard.press('Control+Shift+P');
  await page.keyboard.type('settings');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await untilFocused(page.getByRole('heading', { name: 'Administration', exact: true }));
});

describe('The page about embedding', () => {
  it('says how to allow a site while none is allowed', async () => {
    const page = await visits.open(gateway, '#/admin/embedding');
    await page.getByText('No other site may embed this gateway').waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });
});
