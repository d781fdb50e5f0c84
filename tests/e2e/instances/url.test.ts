import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../support/gateway/gateway.ts';

it('An instance registers SERVICE_INSTANCE_URL, where others reach it', async () => {
  const gateway = await startGateway({ env: { SERVICE_INSTANCE_URL: 'http://gateway-a.test:8443' } });
  onTestFinished(() => gateway.close());
  const { db, tables } = gateway.store;
  const rows = await db.select({ url: tables.instances.url }).from(tables.instances);
  expect(rows).toEqual([{ url: 'http://gateway-a.test:8443' }]);
});
