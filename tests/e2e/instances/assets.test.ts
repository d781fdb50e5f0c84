import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quickFolder } from '../../support/databases/quick-folder.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const OLDER = 'view-0ld_0ld-.js';
const CODE = `export const version = '${'older '.repeat(1000)}';\n`;

function builtPages(assets: Readonly<Record<string, string>>): string {
  const web_dir = quickFolder('sallyport-pages-');
  mkdirSync(join(web_dir, 'assets'));
  for (const [name, content] of Object.entries(assets)) writeFileSync(join(web_dir, 'assets', name), content);
  return web_dir;
}

describe.each(DIALECTS)('During an upgrade, an instance (%s)', (dialect) => {
  let database: FreshDatabase;
  let older: TestGateway;
  let newer: TestGateway;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    const { url: database_url } = database;
    const [with_asset, without] = [builtPages({ [OLDER]: CODE, 'plain.js': CODE }), builtPages({})];
    newer = await startGateway({ database_url, web_dir: without, env: { SERVICE_ROOT_PATH: '/gate' } });
    older = await startGateway({ database_url, web_dir: with_asset, untouched: true });
  });
  afterAll(async () => {
    await older?.close();
    await newer?.close();
    await database?.cleanup();
  });

  const ask = (name: string, init?: RequestInit) => newer.anonymous.fetch(`/assets/${name}`, init);

  it('serves the assets of another version, which another instance has', async () => {
    const answer = await ask(OLDER);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toBe(CODE);
  });

  it.each([
    ['an asset that no instance has', 'view-11111111.js', {}],
    ['a name without a hash', 'plain.js', {}],
    ['a request that another instance passed on', OLDER, { headers: { 'x-sallyport-passed-on': '1' } }],
  ])('answers 404 to %s', async (_what, name, init) => {
    const answer = await ask(name, init);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'route_not_found' });
  });

  it('asks no instance whose address is not proven', async () => {
    const { db, tables } = newer.store;
    await db.update(tables.instances).set({ proof: 'forged' });
    expect((await ask(OLDER)).status).toBe(404);
  });
});
