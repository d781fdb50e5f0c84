import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Webhook } from '#core/model/webhooks/webhook.ts';
import { goTo, keepPicture, speakSpanish, untilFocused, useVisits } from '../../support/browser/pages.ts';
import { ask, spaceAbove } from '../../support/browser/query-bar.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import {
  type Answering,
  eventOf,
  signatureOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/hosts/webhook-receiver.ts';

const SOON = { timeout: 60_000 };
const visits = useVisits();
let gateway: TestGateway;
let receiver: WebhookReceiver;

/** `/refuses` rejects for good, `/fails` with a retryable error; every other path accepts. */
const answer: Answering = (response, { path }) => {
  const status = { '/refuses': 410, '/fails': 500 }[path] ?? 204;
  response.writeHead(status).end();
};

beforeAll(async () => {
  receiver = await startWebhookReceiver(answer);
  gateway = await startGateway({ env: { SERVICE_WEBHOOK_ALLOW_PRIVATE: 'true', SERVICE_ROOT_PATH: '/ops' } });
});
afterAll(async () => {
  await gateway?.close();
  await receiver?.stop();
});

const listed = async () => (await gateway.admin.call<Webhook[]>('GET', '/api/webhooks')).body;
afterEach(async () => {
  for (const { id } of await listed()) await gateway.admin.call('DELETE', `/api/webhooks/${id}`);
});

async function add(name: string, path: string, part: Record<string, unknown> = {}): Promise<number> {
  const input = { name, url: receiver.url(path), events: ['server_added'], ...part };
  return (await gateway.admin.call<Webhook>('POST', '/api/webhooks', input)).body.id;
}

const row = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name });
const dialog = (page: Page): Locator => page.getByRole('dialog');
const deliveries = (page: Page): Locator => page.getByRole('region', { name: /^Deliveries to|^Entregas a/ });

async function open(): Promise<Page> {
  const page = await visits.open(gateway, '#/admin/webhooks');
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  return page;
}

describe('A webhook', () => {
  it('is created, receives signed events, and can be changed and deleted', async () => {
    const page = await open();
    await page.getByText('No webhooks yet. Create one').waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('deploys');
    await dialog(page).getByLabel('URL').fill(receiver.url('/made'));
    await dialog(page).getByText('All events').click();
    await dialog(page).getByText('Server added').click();
    await dialog(page).getByRole('button', { name: 'Generate' }).click();
    const secret = await dialog(page).getByLabel('Secret', { exact: true }).inputValue();
    expect(await visits.accessibility()).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row(page, 'deploys').getByText('Nothing sent yet').waitFor();
    expect(await listed()).toMatchObject([{ events: ['server_added'], has_secret: true }]);

    await gateway.addServer({ name: 'harbor' });
    const [received] = await receiver.hears('/made');
    expect(received && eventOf(received).data['name']).toBe('harbor');
    expect(received?.headers['x-service-signature']).toBe(signatureOf(secret, received?.body ?? ''));

    await chooseFor(row(page, 'deploys'), 'Edit');
    expect(await dialog(page).getByLabel('Secret', { exact: true }).inputValue()).toBe('');
    await dialog(page).getByLabel('Name', { exact: true }).fill('releases');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row(page, 'releases').waitFor();
    expect(await listed()).toMatchObject([{ name: 'releases', has_secret: true }]);
    await chooseFor(row(page, 'releases'), 'Delete…');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No webhooks yet. Create one').waitFor();
  });

  it('shows input errors at its fields', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('nowhere');
    await dialog(page).getByLabel('URL').fill('ftp://box/');
    await dialog(page).getByText('All events').click();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Choose at least one event.').waitFor();
    await dialog(page).getByText('Signed in').click();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => dialog(page).getByLabel('URL').getAttribute('aria-invalid'), SOON).toBe('true');
    expect(
      await dialog(page).getByRole('alert').filter({ hasText: 'Could not save the webhook' }).count(),
    ).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click();
    await untilFocused(page.getByRole('button', { name: 'Create webhook' }));
  });

  it('can be disabled and enabled in the list', async () => {
    await add('alerts', '/switched');
    const page = await open();
    await row(page, 'alerts').locator('.switch-control').click();
    const control = page.getByRole('switch', { name: 'Enabled alerts' });
    await expect.poll(() => control.isChecked(), SOON).toBe(false);
    await expect.poll(listed, SOON).toMatchObject([{ enabled: false }]);
    await control.press('Space');
    await expect.poll(listed, SOON).toMatchObject([{ enabled: true }]);
  });
});

async function chooseFor(place: Locator, item: string): Promise<void> {
  await place.getByRole('button', { name: /^More actions for/ }).click();
  await place.page().getByRole('menuitem', { name: item }).click();
}

describe('A test delivery', () => {
  it.each([
    ['/taken', 'The test was delivered: HTTP 204', 'Delivered (HTTP 204)'],
    ['/refuses', 'The test failed: HTTP 410', 'Rejected by the receiver (HTTP 410)'],
  ])('to %s shows its result when it arrives', async (path, result, last) => {
    await add('chat', path, { enabled: false });
    const page = await open();
    await page.getByRole('button', { name: 'Test chat' }).press('Enter');
    await deliveries(page).getByText(result).waitFor();
    await receiver.hears(path);
    await deliveries(page).getByRole('cell').filter({ hasText: '1 attempt' }).waitFor();
    await page.getByRole('button', { name: 'Back to webhooks' }).click();
    await row(page, 'chat').getByText(last).waitFor();
    await untilFocused(row(page, 'chat').getByRole('button', { name: 'chat', exact: true }));
  });

  it('that will be retried shows when', async () => {
    await add('pager', '/fails');
    const page = await open();
    await page.getByRole('button', { name: 'Test pager' }).click();
    await deliveries(page).getByText('The test failed and will be retried: HTTP 500').waitFor();
    await deliveries(page)
      .getByText(/^(Next attempt in \d+ s|Sending…)$/)
      .waitFor();
    expect(await visits.accessibility()).toEqual([]);
  });
});

describe('Deliveries', () => {
  it('can be resent as a new delivery with the same body', async () => {
    await add('chat', '/again');
    await gateway.addServer({ name: 'quay' });
    await receiver.hears('/again');
    const page = await open();
    await page.getByRole('button', { name: 'Deliveries to chat' }).click();
    await deliveries(page)
      .getByRole('button', { name: /^Replay delivery/ })
      .click();
    await deliveries(page)
      .getByText(/^Replay of \d+$/)
      .waitFor();
    const [first, second] = await receiver.hears('/again', 2);
    expect(second?.body).toBe(first?.body);
    await expect.poll(() => deliveries(page).getByText('Delivered', { exact: true }).count(), SOON).toBe(2);
  });

  it('are found by status and event', async () => {
    const id = await add('chat', '/found');
    await gateway.admin.call('POST', `/api/webhooks/${id}/test`);
    await gateway.addServer({ name: 'ferry' });
    await receiver.hears('/found', 2);
    const page = await open();
    await page.getByRole('button', { name: 'Deliveries to chat' }).click();
    const table = deliveries(page).getByRole('table');
    const space = spaceAbove(page, 'Deliveries to chat', table);
    expect(await space).toBeLessThanOrEqual(52);
    await expect.poll(() => table.getByRole('row').count(), SOON).toBe(3);
    await ask(page, 'event:test');
    await expect.poll(() => table.getByRole('row').count(), SOON).toBe(2);
    await ask(page, 'status:failed');
    await deliveries(page).getByText('No matches.').waitFor();
    await page.goBack();
    await expect.poll(() => table.getByRole('row').count(), SOON).toBe(2);
    expect(await visits.accessibility()).toEqual([]);
  });

  it('are paginated', async () => {
    const id = await add('chat', '/many');
    for (let sent = 0; sent < 26; sent += 1) await gateway.admin.call('POST', `/api/webhooks/${id}/test`);
    const page = await open();
    await page.getByRole('button', { name: 'Deliveries to chat' }).click();
    await deliveries(page).getByText('1–25 of 26').waitFor();
    await deliveries(page).getByRole('button', { name: 'Older' }).click();
    await deliveries(page).getByText('26–26 of 26').waitFor();
    expect(await deliveries(page).getByRole('row').count()).toBe(2);
  });
});

describe('The list', () => {
  it('is filtered by words of names, addresses and events', async () => {
    await add('Crew chat', '/taken', { events: ['*'] });
    await add('Night pager', '/taken', { events: ['server_offline'] });
    const page = await open();
    await row(page, 'Crew chat').waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('offline night');
    await row(page, 'Crew chat').waitFor({ state: 'detached' });
    expect(await row(page, 'Night pager').count()).toBe(1);
    await filter.fill('nobody');
    await page.getByText('No matches.').waitFor();
  });

  it.each(['light', 'dark'] as const)('is accessible, also on a phone (%s)', async (colorScheme) => {
    const hooks = [
      await add('Chat of the crew', '/taken', { events: ['*'], secret: 'a secret' }),
      await add('Pager', '/refuses', { events: ['server_offline', 'server_online', 'user_login_failed'] }),
    ];
    for (const id of hooks) await gateway.admin.call('POST', `/api/webhooks/${id}/test`);
    const page = await open();
    await page.emulateMedia({ colorScheme });
    await row(page, 'Pager').getByText('Rejected by the receiver').waitFor();
    await page.getByText('How receivers verify a delivery').click();
    expect(await visits.accessibility()).toEqual([]);
    await keepPicture(page, `webhooks-${colorScheme}.png`);
    await speakSpanish(page);
    await goTo(page, '#/admin/webhooks');
    await page.setViewportSize({ width: 360, height: 640 });
    await row(page, 'Pager').getByText('Rechazado por el receptor').waitFor();
    expect(await page.locator('.screen-body').evaluate((body) => body.scrollWidth - body.clientWidth)).toBe(
      0,
    );
    await page.getByRole('button', { name: 'Entregas a Pager' }).click();
    await deliveries(page).getByRole('rowheader').first().getByRole('button').click();
    await page.getByRole('complementary').getByText('HTTP 410').waitFor();
    expect(
      await page.locator('.screen-body').evaluate((place) => place.scrollWidth - place.clientWidth),
    ).toBe(0);
    expect(await visits.accessibility()).toEqual([]);
  });
});
