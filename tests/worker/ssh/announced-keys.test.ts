import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostKeyVerdict } from '#core/policy/host-key.ts';
import type { HostKeys, PresentedHostKey } from '#core/ports/ssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { hopTo, request, targetTo, trustAll, watch, worker } from '../setup.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

interface Told {
  readonly hop: string;
  readonly presented: PresentedHostKey;
  readonly keys: readonly PresentedHostKey[];
}

/** The reported keys; `count` resolves when this many hosts have announced theirs. */
function listening(verdict: HostKeyVerdict = 'trust') {
  const told: Told[] = [];
  const waiting = new Set<() => void>();
  const host_keys: HostKeys = {
    ...trustAll(),
    judge: async () => verdict,
    announced(hop, presented, keys) {
      told.push({ hop: hop.name, presented, keys });
      for (const check of waiting) check();
    },
  };
  const count = (wanted: number) =>
    new Promise<void>((resolve) => {
      const check = () => told.length >= wanted && resolve();
      waiting.add(check);
      check();
    });
  return { told, host_keys, count };
}

const kindOf = ({ host_key }: PresentedHostKey) => {
  const blob = Buffer.from(host_key, 'base64');
  return blob.toString('latin1', 4, 4 + blob.readUInt32BE(0));
};

/** The shell has answered, so everything before it has arrived. */
async function useShell(host_keys: HostKeys): Promise<void> {
  const screen = watch(await worker({ host_keys }).shells.open(targetTo(sshd), request()));
  screen.type('echo st""ill here; exit\n');
  await screen.shows('still here');
  expect(await screen.ended).toMatchObject({ kind: 'exit', code: 0 });
}

describe('keys that a host announces', () => {
  it('are passed on once the host has proved them, with the key that verified it', async () => {
    const { told, host_keys, count } = listening();
    await worker({ host_keys }).shells.open(targetTo(sshd), request());
    await count(1);
    expect(told).toHaveLength(1);
    expect(told[0]?.hop).toBe('web-1');
    expect(told[0]?.presented.fingerprint).toBe(await sshd.hostFingerprint());
    expect(told[0]?.keys.map(kindOf).sort()).toEqual(['ssh-ed25519', 'ssh-rsa']);
    expect(told[0]?.keys.map(({ host_key }) => host_key)).toContain(told[0]?.presented.host_key);
  });

  it('are passed on for every hop', async () => {
    const { told, host_keys, count } = listening('pin');
    const hops = [hopTo(sshd, { server_id: 2, name: 'bastion' }), hopTo(sshd)] as const;
    await worker({ host_keys }).shells.open({ hops }, request());
    await count(2);
    expect(told.map(({ hop }) => hop).sort()).toEqual(['bastion', 'web-1']);
  });

  it('are ignored from a host that was not verified', async () => {
    const { told, host_keys } = listening('unverified');
    await useShell(host_keys);
    expect(told).toEqual([]);
  });

  it('are limited to 16', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-keys-'));
    const files = Array.from({ length: 20 }, (_, index) => join(folder, `key-${index}`));
    for (const file of files) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
    const many = await startSshd({ config: files.map((file) => `HostKey ${file}`) });
    const { told, host_keys, count } = listening();
    await worker({ host_keys }).shells.open(targetTo(many), request());
    await count(1);
    await many.stop();
    rmSync(folder, { recursive: true });
    expect(told[0]?.keys).toHaveLength(16);
  });
});

describe('a connection test', () => {
  it('says that the key was not verified', async () => {
    const { host_keys } = listening('unverified');
    const { stages } = await worker({ host_keys }).prober.test(targetTo(sshd));
    expect(stages.find(({ name }) => name === 'host_key')).toMatchObject({
      ok: true,
      detail: `${await sshd.hostFingerprint()} (not verified)`,
    });
  });
});
