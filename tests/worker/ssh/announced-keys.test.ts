import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostKeyVerdict } from '#core/policy/host-key.ts';
import type { HostKeys, PresentedHostKey } from '#core/ports/ssh.ts';
import { strings } from '#worker/ssh/algorithms/host-key-size.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { hopTo, request, targetTo, trustAll, watch, worker } from '../setup.ts';
import { startDouble } from '../ssh-double.ts';
import { string } from './raw-host.ts';

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

interface Insides {
  readonly _protocol: {
    readonly _packetRW: {
      readonly write: { allocStart: number; alloc(size: number): Buffer; finalize(packet: Buffer): Buffer };
    };
    readonly _cipher: { encrypt(packet: Buffer): void };
    _onPayload: (payload: Buffer) => unknown;
  };
}

const GLOBAL_REQUEST = 80;
const REQUEST_FAILURE = 82;

const globalRequest = (name: string, wants_reply: boolean, data = Buffer.alloc(0)) =>
  Buffer.concat([Buffer.from([GLOBAL_REQUEST]), string(name), Buffer.from([wants_reply ? 1 : 0]), data]);
const announcement = (...blobs: Buffer[]) =>
  globalRequest('hostkeys-00@openssh.com', false, Buffer.concat(blobs.map(string)));
const blobOf = (bytes: number) => Buffer.concat([string('ssh-ed25519'), string(Buffer.alloc(bytes, 7))]);
const rsaBlob = (bits: number) =>
  Buffer.concat(['ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(bits / 8, 0x7f)].map(string));

/** How many keys the gateway wants proved after these announcements, each time it asks. */
async function provedAfter(announcements: readonly Buffer[]): Promise<number[]> {
  const asked: number[] = [];
  let finish = () => {};
  const answered = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const host = await startDouble({
    ident: 'OpenSSH_9.9',
    connected(client) {
      const { _protocol } = client as unknown as Insides;
      const send = (payload: Buffer) => {
        const { write } = _protocol._packetRW; // another one after the key exchange
        const packet = write.alloc(payload.length);
        packet.set(payload, write.allocStart);
        _protocol._cipher.encrypt(write.finalize(packet));
      };
      const receive = _protocol._onPayload;
      _protocol._onPayload = (payload) => {
        if (payload[0] === REQUEST_FAILURE) finish(); // to the last request: all before it were read
        if (payload[0] === GLOBAL_REQUEST && payload.includes('hostkeys-prove')) asked.push(keysIn(payload));
        return receive(payload);
      };
      client.on('ready', () => {
        for (const payload of announcements) send(payload);
        send(globalRequest('are you there', true));
      });
    },
  });
  await worker().shells.open(host.target(), request());
  await answered;
  return asked;
}

function keysIn(request: Buffer): number {
  const name_bytes = request.readUInt32BE(1);
  return strings(request.subarray(1 + 4 + name_bytes + 1), 1000).length;
}

describe('what a host announces', () => {
  it('is proved once: later announcements are ignored', async () => {
    expect(await provedAfter([announcement(blobOf(32)), announcement(blobOf(32), blobOf(32))])).toEqual([1]);
  });

  it('is ignored beyond 8 KiB', async () => {
    const many = Array.from({ length: 200 }, () => blobOf(32));
    expect(await provedAfter([announcement(...many)])).toEqual([]);
  });

  it.each([
    ['an RSA key of 16384 bits', rsaBlob(16_384)],
    ['a key of 2000 bytes', blobOf(2000)],
  ])('is ignored with %s in it', async (_what, blob) => {
    expect(await provedAfter([announcement(blobOf(32), blob)])).toEqual([]);
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
