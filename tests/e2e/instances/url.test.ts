import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../support/gateway/gateway.ts';
import { keepLog } from '../../support/gateway/logs.ts';

it('An instance registers SERVICE_INSTANCE_URL, where others reach it', async () => {
  const gateway = await startGateway({ env: { SERVICE_INSTANCE_URL: 'http://gateway-a.test:8443' } });
  onTestFinished(() => gateway.close());
  const { db, tables } = gateway.store;
  const rows = await db.select({ url: tables.instances.url }).from(tables.instances);
  expect(rows).toEqual([{ url: 'http://gateway-a.test:8443' }]);
});

it.each([
  ['http://198.41.0.4:8443', true],
  ['https://198.41.0.4:8443', false],
  ['http://10.0.0.5:8443', false],
  ['http://localhost:8443', false],
])('An instance warns when relayed sign-ins would travel in clear: %s is %s', async (url, warns) => {
  const log = keepLog();
  const gateway = await startGateway({ env: { SERVICE_INSTANCE_URL: url }, log });
  onTestFinished(() => gateway.close());
  const said = () => log.lines.join('\n').includes('SERVICE_INSTANCE_URL is plain http');
  expect(said()).toBe(warns);
});
