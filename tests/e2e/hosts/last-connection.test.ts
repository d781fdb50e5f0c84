import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { countStatements } from '../../support/databases/statements.ts';
import { addHost, listingOf, openingTerminal, serverOf, testOf } from '../../support/features/chain.ts';
import { describeEachGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { newer_openssh } from '../../support/hosts/newer-openssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const CLASSICAL = {
  key_exchange: 'curve25519-sha256',
  server_version: expect.stringMatching(/^OpenSSH_/),
  is_post_quantum: false,
};
const UNKNOWN = { key_exchange: null, server_version: null, is_post_quantum: null };

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd({ config: ['KexAlgorithms curve25519-sha256'] });
});
afterAll(() => sshd?.stop());

/** The note is written in the background. */
async function untilKnown(gateway: TestGateway, id: number, known: object): Promise<void> {
  await expect.poll(() => serverOf(gateway.admin, id), { timeout: 60_000 }).toMatchObject(known);
}

describeEachGateway('A server record', (gateway) => {
  const add = (name: string, fields = {}) => addHost(gateway(), { name, sshd, ...fields });
  const change = async (id: number, patch: object) => {
    const { status } = await gateway().admin.call('PUT', `/api/servers/${id}`, patch);
    expect(status).toBe(200);
  };

  it('says how each host on the way was connected to, once it was tested', async () => {
    const gate = await add('gate');
    const harbor = await add('harbor', { jump_via_id: gate.id });
    expect(harbor).toMatchObject(UNKNOWN);
    await testOf(gateway().admin, harbor.id);
    await untilKnown(gateway(), gate.id, CLASSICAL);
    await untilKnown(gateway(), harbor.id, CLASSICAL);
    const { body } = await gateway().admin.call<Server[]>('GET', '/api/servers');
    expect(body).toMatchObject([CLASSICAL, CLASSICAL]);
  });

  it('learns it from a terminal and from its files, and shows it to everybody who may open them', async () => {
    const [terminal, files] = [await add('terminal', { group: 'lab' }), await add('files')];
    await openingTerminal(gateway(), terminal.id).frame('session');
    expect((await listingOf(gateway().admin, files.id)).status).toBe(200);
    await untilKnown(gateway(), files.id, CLASSICAL);
    await untilKnown(gateway(), terminal.id, CLASSICAL);
    const ada = await gateway().user({ username: 'ada', allowed_groups: ['lab'] });
    expect(await serverOf(ada, terminal.id)).toMatchObject(CLASSICAL);
  });

  it('is not written again while nothing changes', async () => {
    const { id } = await add('harbor');
    await testOf(gateway().admin, id);
    await untilKnown(gateway(), id, CLASSICAL);
    const statements = countStatements();
    await testOf(gateway().admin, id);
    statements.stop();
    expect(statements.texts.filter((text) => /^update "servers" set "key_exchange"/.test(text))).toEqual([]);
  });

  it('forgets it with the host key and with the address, but not with the name', async () => {
    const { id } = await add('harbor');
    await testOf(gateway().admin, id);
    await untilKnown(gateway(), id, CLASSICAL);
    await change(id, { name: 'port' });
    expect(await serverOf(gateway().admin, id)).toMatchObject(CLASSICAL);
    await change(id, { hostname: 'localhost' });
    expect(await serverOf(gateway().admin, id)).toMatchObject(UNKNOWN);
    await change(id, { hostname: sshd.hostname });
    await testOf(gateway().admin, id);
    await untilKnown(gateway(), id, CLASSICAL);
    await gateway().admin.call('DELETE', `/api/servers/${id}/host-key`);
    expect(await serverOf(gateway().admin, id)).toMatchObject(UNKNOWN);
  });

  it.skipIf(!newer_openssh)('follows an upgrade of the host', async () => {
    const newer = await startSshd(newer_openssh?.sshd());
    const { id } = await add('harbor');
    await testOf(gateway().admin, id);
    await untilKnown(gateway(), id, CLASSICAL);
    await change(id, { port: newer.port });
    await testOf(gateway().admin, id);
    await untilKnown(gateway(), id, { key_exchange: 'mlkem768x25519-sha256', is_post_quantum: true });
    await newer.stop();
  });
});
