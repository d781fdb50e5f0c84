import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Overview } from '#core/model/overview.ts';
import { readVersion } from '#server/version.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { addHost, openingTerminal } from '../../support/features/chain.ts';
import { seedSamples } from '../../support/features/samples.ts';
import { OFFLINE, ONLINE, saveStatus } from '../../support/features/statuses.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  describeEachGateway,
  logIn,
  startGateway,
  type TestGateway,
} from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

async function ask(actor: Actor, hours = 24): Promise<Overview> {
  const { status, body } = await actor.call<Overview>('GET', `/api/overview?hours=${hours}`);
  expect(status).toBe(200);
  return body;
}

const sumOf = (
  { points }: Overview,
  name: 'failed_logins' | 'uploads' | 'downloads' | 'copies' | 'bytes_up' | 'bytes_down' | 'bytes_copied',
) => points.reduce((sum, point) => sum + (point[name] ?? 0), 0);

describeEachGateway(
  'The overview',
  (gateway) => {
    // It counts one instance.
    it.skipIf(IS_BALANCED)(
      'reports the current state: servers by status, terminals, users, instances',
      async () => {
        const server = await addHost(gateway(), { name: 'harbor', sshd });
        await saveStatus(gateway(), server.id, ONLINE);
        await saveStatus(gateway(), (await gateway().addServer({ name: 'buoy' })).id, OFFLINE);
        await gateway().addServer({ name: 'new' });
        await gateway().user({ username: 'ada' });
        await openingTerminal(gateway(), server.id).frame('session');
        const state = {
          servers: { online: 1, offline: 1, unchecked: 1, connected: 1 },
          sessions: 1, // the row is written in the background
          users: 2,
          instances: [{ instance_id: 'north', version: readVersion() }],
        };
        await expect.poll(() => ask(gateway().admin)).toMatchObject(state);
      },
    );

    it('has a point for each interval up to now, at most 300, with null where nothing was measured', async () => {
      await seedSamples(gateway(), 40, (_name, step) => step);
      const { points, step_s, since } = await ask(gateway().admin);
      expect([points.length, step_s, points[0]?.at]).toEqual([288, 300, since]);
      expect([points[0]?.uploads, points[0]?.sessions]).toEqual([null, null]);
      const last = points.at(-2); // The current interval may have ended by now.
      expect(last?.uploads).toBeGreaterThan(30);
      expect(Date.now() - Date.parse(points.at(-1)?.at ?? '')).toBeLessThan(300_000);
    });

    it('merges longer periods: sums of counters, last values of gauges', async () => {
      await seedSamples(gateway(), 200, (name) => (name === 'sessions' ? 3 : 1));
      const month = await ask(gateway().admin, 720);
      expect([month.points.length, month.step_s]).toEqual([240, 10_800]);
      expect(month.points.at(-3)).toMatchObject({ uploads: 36, sessions: 3 });
    });

    it.each(['0', '721', '1.5', 'all'])('refuses a period of %s hours', async (hours) => {
      const { status, body } = await gateway().admin.call('GET', `/api/overview?hours=${hours}`);
      expect([status, body['code']]).toEqual([422, 'validation']);
    });

    it('is for administrators only', async () => {
      const user = await gateway().user({ username: 'grace' });
      const { status, body } = await user.call('GET', '/api/overview');
      expect([status, body['code']]).toEqual([403, 'admin_only']);
    });
  },
  { env: { SERVICE_INSTANCE_ID: 'north' } },
);

describe.each(DIALECTS)('The counters of several instances (%s)', (dialect) => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
  });
  afterAll(() => database?.cleanup());

  const start = (first = false) => startGateway({ database_url: database.url, untouched: !first });

  async function work({ url }: TestGateway, admin: Actor, server_id: number): Promise<void> {
    const body = new FormData();
    body.append('files', new Blob(['x'.repeat(1000)]), `of ${new URL(url).port}`);
    const sent = await admin.fetch(`/api/files/${server_id}/upload?path=${sshd.folder}`, {
      method: 'POST',
      body,
    });
    expect(sent.status).toBe(200);
    const path = `${sshd.folder}/of ${new URL(url).port}`;
    const read = await admin.fetch(`/api/files/${server_id}/download?path=${encodeURIComponent(path)}`);
    expect((await read.text()).length).toBe(1000);
    const copy = { source_path: path, target_server_id: server_id, target_path: `${path} copied` };
    expect((await admin.call('POST', `/api/files/${server_id}/copy-to`, copy)).status).toBe(200);
    await logIn(admin, 'admin', 'wrong password');
  }

  it('are added up once each, and survive a stop', async () => {
    const one = await start(true);
    const { id } = await addHost(one, { name: 'harbor', sshd });
    const two = await start();
    await work(one, one.admin, id);
    await work(two, await two.signIn('admin', ADMIN_PASSWORD), id);
    await one.close();
    await two.close();
    const three = await start();
    const overview = await ask(await three.signIn('admin', ADMIN_PASSWORD));
    await three.close();
    const files = ['failed_logins', 'uploads', 'downloads', 'copies'] as const;
    expect(files.map((name) => sumOf(overview, name))).toEqual([2, 2, 2, 2]);
    const bytes = ['bytes_up', 'bytes_down', 'bytes_copied'] as const;
    expect(bytes.map((name) => sumOf(overview, name))).toEqual([2000, 2000, 2000]);
  });
});
