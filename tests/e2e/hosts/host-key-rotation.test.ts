import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditAction, AuditEntry } from '#core/model/audit/audit.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { eventually } from '../../support/eventually.ts';
import { addHost, listingOf, serverOf, testOf } from '../../support/features/chain.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import type { HostKeyKind } from '../../support/hosts/host-key-files.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
let gateway: TestGateway;
let server: Server;

async function start(env: Record<string, string> = {}): Promise<void> {
  gateway = await startGateway({ env });
  server = await addHost(gateway, { name: 'rotating', sshd });
}

beforeEach(async () => {
  sshd = await startSshd({ host_keys: ['ed25519'] });
});
afterEach(async () => {
  await gateway?.close();
  await sshd?.stop();
});

async function connect(): Promise<void> {
  expect(await testOf(gateway.admin, server.id)).toMatchObject({ success: true });
}

async function trusted(): Promise<{ pinned: string; announced: string[] }> {
  const { host_key_fingerprint, announced_host_keys } = await serverOf(gateway.admin, server.id);
  return { pinned: host_key_fingerprint, announced: announced_host_keys.toSorted() };
}

/** A host announces its keys after authentication, so the answer may come first. */
async function untilTrusted(pinned: HostKeyKind, announced: HostKeyKind[]): Promise<void> {
  const others = await Promise.all(announced.map((kind) => sshd.hostFingerprint(kind)));
  const expected = { pinned: await sshd.hostFingerprint(pinned), announced: others.toSorted() };
  await eventually(async () => expect(await trusted()).toEqual(expected));
}

async function entriesOf(action: AuditAction): Promise<AuditEntry[]> {
  return (await gateway.admin.call<AuditEntry[]>('GET', `/api/auth/audit?action=${action}`)).body;
}

/** A connection that stays open, so that the host can prove its keys. */
async function learn(pinned: HostKeyKind, announced: HostKeyKind[]): Promise<void> {
  expect((await listingOf(gateway.admin, server.id)).status).toBe(200);
  await untilTrusted(pinned, announced);
}

describe('A host that changes its keys', () => {
  it('is trusted with keys that it announced while it still had the pinned one', async () => {
    await start();
    await learn('ed25519', []);
    await sshd.presentHostKeys(['ed25519', 'ecdsa', 'rsa']);
    await gateway.admin.call('PUT', `/api/servers/${server.id}`, { description: 'connect anew' });
    await learn('ed25519', ['ecdsa', 'rsa']);

    await sshd.presentHostKeys(['ecdsa', 'rsa']);
    await gateway.admin.call('PUT', `/api/servers/${server.id}`, { description: 'and again' });
    await learn('ecdsa', ['rsa']);
    const [rotation, ...more] = await entriesOf('host_key_rotate');
    expect(more).toEqual([]);
    expect(rotation?.detail).toContain('rotating');
    expect(rotation?.detail).toContain(`pinned ${await sshd.hostFingerprint('ecdsa')}`);
    expect(rotation?.detail).toContain(`instead of ${await sshd.hostFingerprint('ed25519')}`);
  });

  it('is not said to rotate its keys when it announces further ones', async () => {
    await start();
    await sshd.presentHostKeys(['ed25519', 'ecdsa']);
    await learn('ed25519', ['ecdsa']);
    const [learned] = await eventually(async () => {
      const found = await entriesOf('host_key_learn');
      expect(found).toHaveLength(1);
      return found;
    });
    expect(learned?.detail).toBe(`rotating (#${server.id}): ${await sshd.hostFingerprint('ecdsa')}`);
    expect(await entriesOf('host_key_rotate')).toEqual([]);
  });

  it('is said to rotate its keys when it drops one, though the pinned one stays', async () => {
    await start();
    await sshd.presentHostKeys(['ed25519', 'ecdsa']);
    await learn('ed25519', ['ecdsa']);
    await sshd.presentHostKeys(['ed25519']);
    await gateway.admin.call('PUT', `/api/servers/${server.id}`, { description: 'connect anew' });
    await learn('ed25519', []);
    await eventually(async () => expect(await entriesOf('host_key_rotate')).toHaveLength(1));
  });

  it('is refused with a key that it never announced', async () => {
    await start();
    await sshd.presentHostKeys(['ed25519', 'ecdsa']);
    await learn('ed25519', ['ecdsa']);
    const before = await trusted();
    await sshd.presentHostKeys(['rsa']);
    const { success, stages } = await testOf(gateway.admin, server.id);
    expect([success, stages.at(-1)?.name]).toEqual([false, 'host_key']);
    expect(await trusted()).toEqual(before);
  });

  it('is refused with a key that it has provably retired', async () => {
    await start();
    await sshd.presentHostKeys(['ed25519', 'ecdsa']);
    await learn('ed25519', ['ecdsa']);
    await sshd.presentHostKeys(['ecdsa']);
    await gateway.admin.call('PUT', `/api/servers/${server.id}`, { description: 'connect anew' });
    await learn('ecdsa', []);
    await sshd.presentHostKeys(['ed25519']);
    expect((await testOf(gateway.admin, server.id)).stages.at(-1)).toMatchObject({
      name: 'host_key',
      ok: false,
    });
  });

  it('loses its announced keys when the pin is cleared', async () => {
    await start();
    await sshd.presentHostKeys(['ed25519', 'ecdsa']);
    await learn('ed25519', ['ecdsa']);
    await gateway.admin.call('DELETE', `/api/servers/${server.id}/host-key`);
    expect(await trusted()).toEqual({ pinned: '', announced: [] });
  });
});

describe('While SERVICE_VERIFY_HOST_KEYS is false', () => {
  it('nothing is learned', async () => {
    await start({ SERVICE_VERIFY_HOST_KEYS: 'false' });
    await sshd.presentHostKeys(['ed25519', 'ecdsa']);
    await connect();
    expect((await listingOf(gateway.admin, server.id)).status).toBe(200);
    expect((await listingOf(gateway.admin, server.id)).status).toBe(200); // The keys were announced before it answered.
    expect(await trusted()).toEqual({ pinned: '', announced: [] });
    expect(await entriesOf('host_key_learn')).toEqual([]);
  });
});
