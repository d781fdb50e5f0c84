import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addHost, listingOf, openingTerminal, testOf } from '../../support/features/chain.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let gateway: TestGateway;
let sshd: Sshd;
let member: Actor;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  member = await gateway.user({ username: 'member', allowed_groups: ['lab'] });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

/** A server of the group `lab` behind a bastion for administrators only. */
async function hiddenChain(name: string, bastion: object) {
  const gate = await addHost(gateway, { name: `gate of ${name}`, sshd, group: 'ops', ...bastion });
  return { gate, server: await addHost(gateway, { name, sshd, jump_via_id: gate.id }) };
}

describe('A jump host outside the caller’s groups', () => {
  it('is shown by name only in a test, and in full to an administrator', async () => {
    const { gate, server } = await hiddenChain('fine', {});
    const stagesAt = async (actor: Actor) =>
      (await testOf(actor, server.id)).stages.filter(({ hop }) => hop === gate.name);
    expect(new Set((await stagesAt(member)).map(({ detail }) => detail))).toEqual(new Set(['Passed']));
    expect((await stagesAt(gateway.admin)).map(({ detail }) => detail).join()).toContain('127.0.0.1');
  });

  it('is missing where the protection of each connection is shown', async () => {
    const { gate, server } = await hiddenChain('protected', {});
    const hopsOf = (told: object): string[] => Object(told).connection.map(({ hop }: { hop: string }) => hop);
    expect(hopsOf(await testOf(member, server.id))).toEqual([server.name]);
    expect(hopsOf(await testOf(gateway.admin, server.id))).toEqual([gate.name, server.name]);
    const sessionOf = (actor?: Actor) => openingTerminal(gateway, server.id, actor).frame('session');
    expect(hopsOf(await sessionOf(member))).toEqual([server.name]);
    expect(hopsOf(await sessionOf())).toEqual([gate.name, server.name]);
  });

  it('is shown by name and stage when it fails', async () => {
    const { server } = await hiddenChain('refused', { password: 'wrong' });
    const { success, message } = await testOf(member, server.id);
    expect({ success, message }).toEqual({
      success: false,
      message: 'gate of refused failed at the stage auth',
    });
    expect(await listingOf(member, server.id)).toEqual({
      status: 502,
      code: 'host_auth_failed',
      detail: 'gate of refused: The host refused the credentials',
    });
  });

  it('is shown by name only in a terminal', async () => {
    const { server } = await hiddenChain('down', { port: 1 });
    expect(await openingTerminal(gateway, server.id, member).frame('error')).toMatchObject({
      code: 'host_unreachable',
      message: 'gate of down: Cannot reach the host',
      hop: 'gate of down',
      stage: 'tcp',
    });
  });

  it('prompts without its address or username, in the gateway’s own words', async () => {
    const { server } = await hiddenChain('asking', {
      auth_method: 'prompt',
      password: '',
      username: 'secret',
    });
    const frame = await openingTerminal(gateway, server.id, member).frame('prompt');
    expect(frame).toEqual({
      type: 'prompt',
      name: 'gate of asking',
      instructions: 'Sign in to gate of asking',
      prompts: [
        { text: 'Username', echo: true },
        { text: 'Password', echo: false },
      ],
    });
    expect(await openingTerminal(gateway, server.id).frame('prompt')).toMatchObject({
      prompts: [{ value: 'secret' }, {}],
    });
  });
});
