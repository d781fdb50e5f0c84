import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { HostKeys, PresentedHostKey, SshAuth, SshTarget } from '#core/ports/ssh.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import {
  freePort,
  startProxy,
  startSilentPeer,
  startTalkingPeer,
  startTamperingProxy,
} from '../../support/hosts/tcp.ts';
import { failureOf, judging, NEVER, request, targetTo, trustAll, worker } from '../setup.ts';

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

const open = (target: SshTarget, options = {}, signal = NEVER) =>
  worker(options).shells.open(target, request({ signal }));
// Only its kind matters before the host has shown a key.
const RSA_KEY = Buffer.from('\0\0\0\x07ssh-rsa', 'latin1').toString('base64');
const at = (port: number, hostname = '127.0.0.1') => targetTo(sshd, { port, hostname });

/** An SSH agent and a home directory with an accepted key, as the gateway's own account may have. */
async function startAgent(private_key: string): Promise<{ stop(): void }> {
  const home = mkdtempSync(join(tmpdir(), 'sallyport-home-'));
  const socket = join(home, 'agent');
  mkdirSync(join(home, '.ssh'));
  for (const name of ['id_ed25519', 'id_rsa']) {
    writeFileSync(join(home, '.ssh', name), private_key, { mode: 0o600 });
  }
  const agent = spawn('/usr/bin/ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(agent.stdout, 'data');
  execFileSync('/usr/bin/ssh-add', ['-q', join(home, '.ssh', 'id_ed25519')], {
    env: { SSH_AUTH_SOCK: socket },
  });
  vi.stubEnv('SSH_AUTH_SOCK', socket);
  vi.stubEnv('HOME', home);
  return {
    stop() {
      vi.unstubAllEnvs();
      agent.kill();
      rmSync(home, { recursive: true });
    },
  };
}

describe('credentials', () => {
  const accepted: [string, () => SshAuth][] = [
    ['a password', () => ({ method: 'password', password: sshd.password })],
    ['a key', () => ({ method: 'key', private_key: sshd.private_key, passphrase: '' })],
    [
      'an encrypted key',
      () => ({ method: 'key', private_key: sshd.encrypted_private_key, passphrase: sshd.passphrase }),
    ],
  ];
  it.each(accepted)('signs in with %s', async (_name, auth) => {
    await expect(open(targetTo(sshd, { auth: auth() }))).resolves.toBeDefined();
  });

  it('reports a wrong password at the stage auth', async () => {
    const auth = { method: 'password', password: 'wrong' } as const;
    expect(await failureOf(open(targetTo(sshd, { auth })))).toEqual({
      code: 'host_auth_failed',
      detail: `127.0.0.1:${sshd.port} refused the password of user sallyport-test`,
      stage: 'auth',
      hop: undefined,
    });
  });

  it('tries a wrong password once', async () => {
    const own = await startSshd();
    await failureOf(open(targetTo(own, { auth: { method: 'password', password: 'wrong' } })));
    await own.stop();
    expect(own.log().match(/method password/g)).toHaveLength(1);
  });

  it('reports a key that the host does not accept', async () => {
    const other = await startSshd();
    await other.stop();
    const auth = { method: 'key', private_key: other.private_key, passphrase: '' } as const;
    expect(await failureOf(open(targetTo(sshd, { auth })))).toMatchObject({
      code: 'host_auth_failed',
      stage: 'auth',
    });
  });

  it('reports an unreadable stored key', async () => {
    const auth = { method: 'key', private_key: sshd.encrypted_private_key, passphrase: 'wrong' } as const;
    expect(await failureOf(open(targetTo(sshd, { auth })))).toMatchObject({
      code: 'unreadable_private_key',
      stage: 'auth',
    });
  });

  it('never offers a key when the method is password, nor a password when it is key', async () => {
    const keys_only = await startSshd({
      config: ['PasswordAuthentication no', 'KbdInteractiveAuthentication no'],
    });
    const failure = await failureOf(open(targetTo(keys_only)));
    await keys_only.stop();
    expect(failure).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect(failure.detail).toContain('does not accept passwords (it offers publickey)');
    expect(keys_only.log()).not.toContain('method publickey');
  });

  it('offers neither the agent nor the keys of the gateway’s own account', async () => {
    const own = await startSshd();
    const agent = await startAgent(own.private_key);
    const auth = { method: 'password', password: 'wrong' } as const;
    await failureOf(open(targetTo(own, { auth })));
    await failureOf(open(targetTo(own, { auth: { method: 'prompt' } })));
    agent.stop();
    await own.stop();
    expect(own.log()).not.toContain('method publickey');
  });

  it('reports a host that requires a further step after the password', async () => {
    const strict = await startSshd({ config: ['AuthenticationMethods password,publickey'] });
    const failure = await failureOf(open(targetTo(strict)));
    await strict.stop();
    expect(failure).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect(failure.detail).toContain('requires another authentication step');
  });
});

describe('unreachable hosts', () => {
  it('reports a closed port at the stage tcp', async () => {
    const port = await freePort();
    expect(await failureOf(open(at(port)))).toEqual({
      code: 'host_unreachable',
      detail: `127.0.0.1:${port} refused the connection`,
      stage: 'tcp',
      hop: undefined,
    });
  });

  it('resolves a host name', async () => {
    await expect(open(at(sshd.port, 'localhost'))).resolves.toBeDefined();
  });

  it('reports a name that does not exist at the stage resolve', async () => {
    expect(await failureOf(open(at(22, 'no-such-host.invalid')))).toMatchObject({
      code: 'host_unreachable',
      stage: 'resolve',
    });
  });

  it('reports a silent peer as connect_timeout', async () => {
    const peer = await startSilentPeer();
    const failure = await failureOf(open(at(peer.port), { connect_timeout_ms: 300 }));
    expect(failure).toMatchObject({ code: 'connect_timeout', stage: 'handshake' });
    await peer.idle();
    await peer.stop();
  });

  it('reports a peer that speaks another protocol and disconnects as ssh_protocol', async () => {
    const peer = await startTalkingPeer('HTTP/1.1 400 Bad Request\r\n\r\n', { hang_up: true });
    const failure = await failureOf(open(at(peer.port)));
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'handshake' });
    expect(failure.detail).toBe(
      `127.0.0.1:${peer.port} is not an SSH server: it says “HTTP/1.1 400 Bad Request”`,
    );
    await peer.idle();
    await peer.stop();
  });

  it('reports a host that accepts no more connections as host_unreachable', async () => {
    const peer = await startTalkingPeer('Exceeded MaxStartups\r\n', { hang_up: true });
    expect(await failureOf(open(at(peer.port)))).toMatchObject({
      code: 'host_unreachable',
      detail: `127.0.0.1:${peer.port} accepts no more connections at the moment: “Exceeded MaxStartups”`,
    });
    await peer.stop();
  });

  it('reports a peer that sends a banner and waits as ssh_protocol, not as a timeout', async () => {
    const peer = await startTalkingPeer('220 mail.example ESMTP\r\n');
    const failure = await failureOf(open(at(peer.port), { connect_timeout_ms: 300 }));
    expect(failure).toMatchObject({ code: 'ssh_protocol', stage: 'handshake' });
    await peer.stop();
  });

  it('reports a peer that disconnects at once as ssh_protocol', async () => {
    const peer = await startTalkingPeer('', { hang_up: true });
    expect(await failureOf(open(at(peer.port)))).toMatchObject({ code: 'ssh_protocol', stage: 'handshake' });
    await peer.stop();
  });

  it('leaves no connection behind, whatever failed', async () => {
    const proxy = await startProxy(sshd.port);
    const auth = { method: 'password', password: 'wrong' } as const;
    const host_keys = judging(() => Promise.reject(new Fault('host_key_changed')));
    await failureOf(open(targetTo(sshd, { port: proxy.port, auth })));
    await failureOf(open(at(proxy.port), { host_keys }));
    await failureOf(open(at(proxy.port), { connect_timeout_ms: 1 }));
    await proxy.idle();
    expect(proxy.open()).toBe(0);
    await proxy.stop();
  });
});

describe('host keys', () => {
  it('have the fingerprint that OpenSSH prints', async () => {
    const host_keys = trustAll();
    await open(targetTo(sshd), { host_keys });
    expect(host_keys.seen).toHaveLength(1);
    expect(host_keys.seen[0]?.key.fingerprint).toBe(await sshd.hostFingerprint());
  });

  it('are refused before any credential is sent', async () => {
    const own = await startSshd();
    const host_keys = judging(() =>
      Promise.reject(new Fault('host_key_changed', 'The key of web-1 has changed')),
    );
    const failure = await failureOf(open(targetTo(own), { host_keys }));
    await own.stop();
    expect(failure).toEqual({
      code: 'host_key_changed',
      detail: 'The key of web-1 has changed',
      stage: 'host_key',
      hop: undefined,
    });
    expect(own.log()).toContain('Connection from');
    expect(own.log()).not.toContain('userauth-request');
  });

  it('are judged before authentication starts', async () => {
    const own = await startSshd();
    const log_at_verdict: string[] = [];
    const host_keys = judging(async () => {
      await own.sessionProcesses();
      log_at_verdict.push(own.log());
      return 'trust';
    });
    await open(targetTo(own), { host_keys });
    await own.stop();
    expect(log_at_verdict).toHaveLength(1);
    expect(log_at_verdict[0]).not.toContain('userauth-request');
  });

  it('are pinned at first contact before the username is sent', async () => {
    const own = await startSshd();
    const pinned: { key: PresentedHostKey; log: string }[] = [];
    const host_keys: HostKeys = {
      ...trustAll(),
      judge: async () => 'pin',
      pin: async (_hop, key) => void pinned.push({ key, log: own.log() }),
    };
    await open(targetTo(own), { host_keys });
    expect(pinned.map(({ key }) => key.fingerprint)).toEqual([await own.hostFingerprint()]);
    expect(pinned[0]?.log).not.toContain('userauth-request');
    await own.stop();
  });

  it('are never pinned unless the host has proved that it owns them', async () => {
    const impostor = await startTamperingProxy(sshd.port);
    let pinned = false;
    const host_keys: HostKeys = {
      ...trustAll(),
      judge: async () => 'pin',
      pin: async () => {
        pinned = true;
      },
    };
    expect(await failureOf(open(at(impostor.port), { host_keys }))).toMatchObject({ code: 'ssh_protocol' });
    expect(pinned).toBe(false);
    await impostor.stop();
  });

  it('are requested in the pinned type first', async () => {
    const first = trustAll();
    await open(targetTo(sshd), { host_keys: first });
    const rsa = trustAll();
    await open(targetTo(sshd, { known_host_keys: [RSA_KEY] }), {
      host_keys: rsa,
    });
    const kind = (keys: typeof rsa) =>
      Buffer.from(keys.seen[0]?.key.host_key ?? '', 'base64').toString('latin1', 4, 11);
    expect([kind(first), kind(rsa)]).toEqual(['ssh-ed2', 'ssh-rsa']);
  });

  it('are read again after the host has changed them', async () => {
    const own = await startSshd();
    const before = await own.hostFingerprint();
    await own.rotateHostKey();
    const host_keys = trustAll();
    await open(targetTo(own), { host_keys });
    expect(host_keys.seen[0]?.key.fingerprint).not.toBe(before);
    expect(host_keys.seen[0]?.key.fingerprint).toBe(await own.hostFingerprint());
    await own.stop();
  });
});

describe('an abort', () => {
  it('ends a connection attempt at once, with its reason', async () => {
    const peer = await startSilentPeer();
    const abort = new AbortController();
    const opening = open(at(peer.port), {}, abort.signal);
    const reason = new Error('nobody waits any more');
    abort.abort(reason);
    await expect(opening).rejects.toBe(reason);
    await peer.idle();
    await peer.stop();
  });

  it('ends a connection that waits for the verdict on its host key', async () => {
    const proxy = await startProxy(sshd.port);
    const abort = new AbortController();
    const host_keys = judging(async () => {
      abort.abort(new Error('enough'));
      return 'trust';
    });
    await expect(open(at(proxy.port), { host_keys }, abort.signal)).rejects.toThrow('enough');
    await proxy.idle();
    await proxy.stop();
  });

  it('of the worker refuses further dials', async () => {
    const closed = worker();
    closed.close();
    expect(await failureOf(closed.shells.open(targetTo(sshd), request()))).toMatchObject({
      code: 'shutting_down',
    });
  });
});
