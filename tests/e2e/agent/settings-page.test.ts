import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentSettings } from '#core/model/agent.ts';
import { LOCAL_MODELS, type ModelServer, startModelServer } from '../../support/agent/model-server.ts';
import { choose, speakSpanish, useVisits } from '../../support/browser/pages.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const SOON = { timeout: 60_000 };
const visits = useVisits();
let gateway: TestGateway;
let models: ModelServer;

beforeAll(async () => {
  models = await startModelServer();
  gateway = await startGateway({ env: { ...LOCAL_MODELS, SERVICE_ROOT_PATH: '/ops' } });
});
afterAll(async () => {
  await gateway?.close();
  await models?.stop();
});

const stored = async () => (await gateway.admin.call<AgentSettings>('GET', '/api/agent/settings')).body;

async function open(): Promise<Page> {
  const page = await visits.open(gateway, '#/admin/agent');
  await page.getByRole('heading', { name: 'AI agent' }).waitFor();
  return page;
}

const save = (page: Page) => page.getByRole('button', { name: 'Save changes' }).click();

const isRefused = (page: Page, label: string) =>
  expect.poll(() => page.getByLabel(label).getAttribute('aria-invalid'), SOON).toBe('true');

describe('The settings of the agent', () => {
  it('are tried before they are saved, keep their key secret, and are switched off', async () => {
    models.lists(['small', 'large']);
    models.script({ says: ['ready'] });
    const page = await open();
    await choose(page.locator('.screen'), 'Provider', 'OpenAI-compatible');
    await page.getByLabel('Base URL').fill(models.url);
    await page.getByLabel('API key').fill('sk-harbor');
    await page.getByRole('button', { name: 'Test' }).click();
    await isRefused(page, 'Base URL');
    await page.getByText('Allow a private address').click();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('2 models found').waitFor();
    await page.getByRole('button', { name: 'large' }).click();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The test was successful. large answers').waitFor();
    expect(models.requests[0]?.headers.authorization).toBe('Bearer sk-harbor');
    expect((await stored()).provider).toBeNull();
    expect(await visits.accessibility()).toEqual([]);

    await page.getByLabel('Steps for each question').fill('51');
    await page.getByText('Enter a whole number from 1 to 50.').waitFor();
    await page.getByLabel('Steps for each question').fill('7');
    await save(page);
    await page.getByText('Saved. Switch the agent on in the form of each server').waitFor();
    expect(await stored()).toMatchObject({ model: 'large', has_key: true, limits: { steps: 7 } });

    await page.reload();
    await page.getByText('A key is stored.').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    await choose(page.locator('.screen'), 'Provider', 'Off');
    await save(page);
    await page.getByText('Saved. The agent is off.').waitFor();
    expect(await stored()).toMatchObject({ provider: null, model: 'large', has_key: true });
  });

  it('say at their fields what is wrong, also in Spanish and on a phone', async () => {
    const page = await open();
    await page.setViewportSize({ width: 390, height: 780 });
    await speakSpanish(page);
    await page.evaluate(() => {
      location.hash = '#/admin/agent';
    });
    await choose(page.locator('.screen'), 'Proveedor', 'Ollama');
    await page.getByLabel('URL base').fill('http://127.0.0.1:1/v1');
    await page.getByLabel('Modelo').fill('small');
    await page.getByRole('button', { name: 'Guardar los cambios' }).click();
    await isRefused(page, 'Clave de API'); // the stored one is for another host
    await page.getByText('Eliminar la clave guardada').click();
    await page.getByText('Permitir una dirección privada').click();
    await page.getByRole('button', { name: 'Guardar los cambios' }).click();
    await isRefused(page, 'URL base');
    const wide =
      'document.querySelector(".screen-body").scrollWidth <= document.querySelector(".screen-body").clientWidth';
    expect(await page.evaluate(wide)).toBe(true);
    expect(await visits.accessibility()).toEqual([]);
  });
});
