import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '#db/open-store.ts';
import { startGatewayProcess } from '../../bench/gateway-process.ts';
import { DIALECTS, freshDatabaseUrl } from '../../support/databases/stores.ts';
import { misfits, startDeeds } from '../../support/features/deeds.ts';
import { addWebhook } from '../../support/features/deliveries.ts';
import { ADMIN_PASSWORD as password, SECRET_KEY, startGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const FILES = 500;
const TIMES = 4; // Of each action before the end.

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

async function files(folder: string): Promise<string[]> {
  await mkdir(folder);
  await chown(folder, sshd.uid, sshd.uid);
  const paths = Array.from({ length: FILES }, (_, i) => join(folder, String(i)));
  await Promise.all(paths.map((path) => writeFile(path, '')));
  return paths;
}

describe.concurrent.each(DIALECTS)('A gateway that is killed during writes (%s)', (dialect) => {
  it('leaves consistent rows, entries and events, and an intact log', async () => {
    const database = await freshDatabaseUrl(dialect);
    const env = {
      SERVICE_DB_URL: database.url,
      SERVICE_SECRET_KEY: SECRET_KEY,
      SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    };
    const killed = await startGatewayProcess({ env });
    const server_id = await killed.addServer(sshd);
    const store = openStore(database.url);
    const hook = await addWebhook(store);
    const paths = await files(join(sshd.folder, dialect));
    const { url, token } = killed;
    const doing = startDeeds({ url, token, username: 'admin', password, server_id, paths });
    await doing.more(TIMES);
    await killed.kill();
    await doing.stop();
    await store.close();
    const gateway = await startGateway({ database_url: database.url, untouched: true });
    const admin = await gateway.signIn('admin', password);
    expect((await admin.call('GET', '/api/auth/audit/verify')).body).toMatchObject({ ok: true });
    expect(await misfits({ store: gateway.store, hook, server_id }, doing.acknowledged)).toEqual([]);
    await gateway.close();
    await database.cleanup();
  });
});
