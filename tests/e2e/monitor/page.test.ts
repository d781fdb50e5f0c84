import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepPicture, untilFocused, useVisits } from '../../support/browser/pages.ts';
import { serverInRail } from '../../support/browser/rail.ts';
import { detailsOf, rowOf, untilShown } from '../../support/browser/server-pages.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { OFFLINE, ONLINE, saveStatus } from '../../support/features/statuses.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Door, openDoor } from '../../support/hosts/door.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort } from '../../support/hosts/tcp.ts';

const MONITOR = {
  SERVICE_DISABLE_MONITOR: 'false',
  SERVICE_MONITOR_INTERVAL: '1',
  SERVICE_MONITOR_TIMEOUT: '30', // a busy machine is no host that does not answer
};

const visits = useVisits();

describe('The status dots', () => {
  let gateway: TestGateway;
  let sshd: Sshd;
  let door: Door;
  beforeAll(async () => {
    sshd = await startSshd();
    door = await openDoor(sshd.port);
    gateway = await startGateway({ env: MONITOR });
    const { username } = sshd;
    await gateway.addServer({ name: 'harbor', port: door.port, username, auth_method: 'prompt' });
  });
  afterAll(async () => {
    await gateway?.close();
    await door?.shut();
    await sshd?.stop();
  });

  it('follow events when a host stops and starts again', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    const in_rail = serverInRail(page, 'harbor');
    await untilShown(page, 'harbor', 'Online');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await door.shut();
    await untilShown(page, 'harbor', 'Offline');
    expect((await rowOf(page, 'harbor').boundingBox())?.height).toBeLessThan(40); // one line; the reason is in the details
    const details = await detailsOf(page, 'harbor');
    await details.getByText(/refused the connection|ECONNREFUSED/).waitFor();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    await untilFocused(rowOf(page, 'harbor').getByRole('button', { name: 'harbor', exact: true }));
    await page.getByRole('button', { name: 'Back to workspace' }).click();
    const today = page.getByRole('region', { name: 'Went offline today: 1' });
    await today.getByRole('button', { name: 'harbor Offline' }).waitFor();
    expect(await today.getByText(/^\d\d:\d\d$/).count()).toBe(1);
    await in_rail.getByText('Offline').waitFor();
    await in_rail.hover();
    expect(await in_rail.getAttribute('title')).toMatch(/^Offline · since .* · .*refused.* · checked /m);
    await door.open();
    await expect.poll(() => in_rail.getAttribute('title')).toMatch(/^Online · \d+ ms · checked /m);
    expect(requested).not.toContain('/api/servers/status');
  });

  it('appear for a server that was added elsewhere', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    await untilShown(page, 'harbor', 'Online');
    await gateway.addServer({ name: 'newcomer', port: door.port, username: 'nobody', auth_method: 'prompt' });
    await untilShown(page, 'newcomer', 'Online');
  });
});

describe('A lost gateway', () => {
  let database: FreshDatabase;
  let gateway: TestGateway;
  const env = { SERVICE_PORT: '' };
  beforeAll(async () => {
    database = await migratedDatabaseUrl('sqlite');
    env.SERVICE_PORT = String(await freePort());
    gateway = await startGateway({ database_url: database.url, env });
  });
  afterAll(async () => {
    await gateway?.close();
    await database?.cleanup();
  });

  it('is reported, the dots show an unknown status, and both recover when it returns', async () => {
    const { id } = await gateway.addServer({ name: 'harbor' });
    await saveStatus(gateway, id, ONLINE);
    const page = await visits.open(gateway, '#/admin/servers');
    const notice = page.getByRole('status').getByText('Connection to the gateway lost');
    await untilShown(page, 'harbor', 'Online');
    await gateway.close();
    await notice.waitFor();
    await untilShown(page, 'harbor', 'Status unknown');
    expect(await visits.accessibility()).toEqual([]);
    gateway = await startGateway({ database_url: database.url, env, untouched: true });
    await notice.waitFor({ state: 'detached' });
    await untilShown(page, 'harbor', 'Online');
  });
});

const CHECKED = { ...ONLINE, last_checked: new Date().toISOString() };
const AWAY = { ...OFFLINE, last_checked: CHECKED.last_checked };

describe('The servers screen', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
    await register();
  });
  afterAll(() => gateway?.close());

  async function register(): Promise<void> {
    const add = async (name: string, fields: Parameters<TestGateway['addServer']>[0]) =>
      (await gateway.addServer({ name, hostname: `${name}.example.com`, username: 'deploy', ...fields })).id;
    const gate = await add('gate', { username: 'jump', group: 'production', password: 'of a picture' });
    const inside = { group: 'production', password: 'of a picture', jump_via_id: gate };
    const [harbor, pier, attic] = [
      await add('harbor', { ...inside, hostname: '10.0.0.12', tags: ['eu'] }),
      await add('pier', { ...inside, hostname: '10.0.0.13' }),
      await add('attic', { group: 'lab', auth_method: 'prompt', port: 2222 }),
    ];
    await add('cellar', { group: 'lab', username: 'root', auth_method: 'prompt' });
    const { db, tables } = gateway.store;
    for (const id of [gate, harbor, pier, attic]) {
      const host_key_fingerprint = `SHA256:${createHash('sha256').update(`${id}`).digest('base64').slice(0, 43)}`;
      await db.update(tables.servers).set({ host_key_fingerprint }).where(eq(tables.servers.id, id));
    }
    await saveStatus(gateway, gate, { ...CHECKED, latency_ms: 9 });
    await saveStatus(gateway, harbor, { ...CHECKED, latency_ms: 17 });
    await saveStatus(gateway, pier, { ...AWAY, error: '10.0.0.13:22 refused the connection' });
    await saveStatus(gateway, attic, { ...CHECKED, latency_ms: 31 });
  }

  it('is captured in both themes', async () => {
    const page = await visits.open(gateway, '#/admin/servers');
    await untilShown(page, 'pier', 'Offline');
    await untilShown(page, 'cellar', 'Not checked');
    await page.mouse.move(0, 0); // hovering would highlight a row
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await keepPicture(page, `servers-${colorScheme}.png`);
    }
  });

  it.each([
    ['is offline', AWAY, 'Offline'],
    ['has another host key', { ...AWAY, error_code: 'host_key_changed' }, 'Host key changed'],
  ] as const)('when a server %s leaves room for a 20-letter name in the rail', async (_, status, words) => {
    const { id } = await gateway.addServer({ name: 'production-web-03-eu' });
    await saveStatus(gateway, id, status);
    const page = await visits.open(gateway, '#/');
    const in_rail = serverInRail(page, 'production-web-03-eu');
    await in_rail.getByText(words, { exact: true }).waitFor();
    const name = in_rail.getByText('production-web-03-eu', { exact: true });
    expect(await name.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(await visits.accessibility()).toEqual([]);
    await gateway.admin.call('DELETE', `/api/servers/${id}`);
  });
});
