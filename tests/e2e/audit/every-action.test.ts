import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { AuditAction } from '#core/model/audit/audit.ts';
import { readVersion } from '#server/version.ts';
import { LOCAL_MODELS } from '../../support/agent/model-server.ts';
import { eventually } from '../../support/eventually.ts';
import { auditRows } from '../../support/features/audit.ts';
import { describeEachGateway } from '../../support/gateway/gateway.ts';
import { DEEDS, DONE_BY_SOMEBODY } from './deeds.ts';
import { entries, labelOf, sceneOn, useSshd } from './scene.ts';

useSshd();

describeEachGateway(
  'Every action',
  (gateway) => {
    it.each(DONE_BY_SOMEBODY)('%s is recorded with user, address, transport and target', async (action) => {
      const scene = await sceneOn(gateway());
      const { username, detail, via = 'page' } = await DEEDS[action](scene);
      const { db, tables } = gateway().store;
      const [user] = await db.select().from(tables.users).where(eq(tables.users.username, username));
      const found = await eventually(async () => {
        const all = await entries(gateway(), { action, search: scene.address });
        expect(all).toHaveLength(1);
        return all[0];
      });
      expect(found).toMatchObject({ username, user_id: user?.id, ip_address: scene.address, via });
      expect(found?.detail).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
      expect(Date.now() - Date.parse(found?.created_at ?? '')).toBeLessThan(60_000);
    });

    it('gateway_start is the first entry of each run', async () => {
      const [first] = await auditRows(gateway().store);
      expect(first).toMatchObject({ action: 'gateway_start', user_id: null, via: null, seq: 1 });
      expect(first?.detail).toBe(`version ${readVersion()}, instance ${gateway().config.instance_id}`);
    });

    it.each([
      ['host_key_pin', 'when it is met for the first time', /^box \(#\d+\): SHA256:\S+$/],
      ['host_key_learn', 'when it has proved further keys', /^box \(#\d+\): SHA256:\S+$/],
    ] as const)('%s is recorded for the host itself, %s', async (action, _when, detail) => {
      const scene = await sceneOn(gateway());
      await gateway().admin.call('POST', `/api/servers/${scene.server.id}/test`);
      const found = await eventually(async () => {
        const [first] = await entries(gateway(), { action, search: labelOf(scene) });
        return first ?? Promise.reject(new Error('Not yet'));
      });
      expect(found).toMatchObject({ user_id: null, username: '', ip_address: '' });
      expect(found).not.toHaveProperty('via');
      expect(found.detail).toMatch(detail);
    });

    it('is one of the known actions', async () => {
      const recorded = new Set((await auditRows(gateway().store)).map(({ action }) => action));
      expect(
        [...recorded].filter((action) => !AuditAction.options.some((known) => known === action)),
      ).toEqual([]);
    });
  },
  { env: LOCAL_MODELS },
);
