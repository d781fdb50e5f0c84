import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectionTest } from '#core/model/hosts/connection-test.ts';
import { testOf } from '../../support/features/chain.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { startHeldProxy } from '../../support/hosts/held-proxy.ts';
import { freePort } from '../../support/hosts/tcp.ts';

const AT_ONCE = 4;
const A_MINUTE = 120;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

const newcomer = (username: string) => gateway.user({ username, allowed_groups: ['lab'] });

function testMany(actor: Actor, id: number, count: number): Promise<ConnectionTest[]> {
  return Promise.all(Array.from({ length: count }, () => testOf(actor, id)));
}

// Each instance counts its own.
describe.skipIf(IS_BALANCED)('Connection tests', () => {
  it('run at most four at once per user, and the others afterwards', async () => {
    const [host, elsewhere] = [
      await startHeldProxy(await freePort()),
      await startHeldProxy(await freePort()),
    ];
    const { id } = await gateway.addServer({ port: host.port, password: 'of a test' });
    const further = await gateway.addServer({ port: elsewhere.port, password: 'of a test' });
    const testing = testMany(await newcomer('one'), id, AT_ONCE + 1);
    await host.connected(AT_ONCE);
    const testing_elsewhere = testMany(await newcomer('another'), further.id, AT_ONCE);
    await elsewhere.connected(AT_ONCE);
    expect(host.accepted()).toBe(AT_ONCE);
    host.release(); // To a closed port: each is dropped, and tried again once.
    expect(await testing).toHaveLength(AT_ONCE + 1);
    expect(host.accepted()).toBe(2 * (AT_ONCE + 1));
    await elsewhere.stop();
    await testing_elsewhere;
    await host.stop();
  });

  it('are limited to 120 a minute per user: 429 with Retry-After', async () => {
    const { id } = await gateway.addServer({ port: await freePort(), password: 'of a test' });
    const eager = await newcomer('eager');
    await testMany(eager, id, A_MINUTE);
    const { status, headers, body } = await eager.call('POST', `/api/servers/${id}/test`);
    expect([status, body['code']]).toEqual([429, 'rate_limited']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await testOf(await newcomer('patient'), id)).toMatchObject({ success: false });
  });
});
