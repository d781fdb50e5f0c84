import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway/gateway-process.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const run = promisify(execFile);

let home: string;
let socket: string;
let agent: ChildProcess;
let sshd: Sshd;
let gateway: GatewayProcess;
let told = 0;

/** A gateway whose system user has an agent and a key file that the host accepts. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sallyport-home-'));
  socket = join(home, 'agent.sock');
  await mkdir(join(home, '.ssh'), { mode: 0o700 });
  const keys = [join(home, '.ssh/id_ed25519'), join(home, 'agent_key')];
  for (const key of keys) await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (agent.stdout) await once(agent.stdout, 'data'); // It prints its address once it listens.
  await run('ssh-add', ['-q', join(home, 'agent_key')], { env: { SSH_AUTH_SOCK: socket } });
  const authorized_keys = await Promise.all(keys.map((key) => readFile(`${key}.pub`, 'utf8')));
  sshd = await startSshd({ authorized_keys });
  gateway = await startGatewayProcess({ HOME: home, SSH_AUTH_SOCK: socket });
});
afterAll(async () => {
  await gateway?.stop();
  await sshd?.stop();
  agent?.kill();
  await rm(home, { recursive: true, force: true });
});
beforeEach(() => {
  told = methods().length;
});

/** The authentication attempts at the host, in order. */
function methods(): string[] {
  return sshd.log().match(/(?<=service ssh-connection method )\S+/g) ?? [];
}

/** The attempts of this test, once the host has closed the connection. */
async function offered(): Promise<string[]> {
  await eventually(async () => expect(await sshd.sessionProcesses()).toEqual([]));
  return methods().slice(told);
}

const host = (fields: object) => {
  const { hostname, port, username } = sshd;
  return { name: 'host', hostname, port, username, ...fields };
};

/** What OpenSSH's own client does with these options. */
function openSsh(options: string[], env: Record<string, string> = {}) {
  const unknown = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
  const where = ['-p', String(sshd.port), `${sshd.username}@${sshd.hostname}`, 'true'];
  return run('ssh', ['-F', 'none', '-o', 'BatchMode=yes', ...unknown, ...options, ...where], { env });
}

describe('A gateway whose system user has SSH keys', () => {
  it('could authenticate with the agent and with the key file, as ssh does', async () => {
    await openSsh(['-i', 'none'], { SSH_AUTH_SOCK: socket });
    await openSsh(['-i', join(home, '.ssh/id_ed25519'), '-o', 'IdentitiesOnly=yes']);
  });

  it('offers only the stored password, even a wrong one', async () => {
    const { success, stages } = await gateway.test(host({ password: 'wrong' }));
    expect([success, stages.at(-1)?.name]).toEqual([false, 'auth']);
    expect(await offered()).toEqual(['none', 'password']);
  });

  it('offers only the stored key, even an unknown one', async () => {
    const key = join(home, 'stranger');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const private_key = await readFile(key, 'utf8');
    const { success } = await gateway.test(
      host({ auth_method: 'key', private_key, password: sshd.password }),
    );
    expect(success).toBe(false);
    expect(await offered()).toEqual(['publickey']);
  });

  it('offers no stored key when the method is password', async () => {
    const { private_key } = sshd;
    const { success } = await gateway.test(host({ password: 'wrong', private_key }));
    expect(success).toBe(false);
    expect(await offered()).toEqual(['none', 'password']);
  });

  it('offers no password when none is stored, not even an empty one', async () => {
    const { success, message } = await gateway.test(host({}));
    expect([success, message]).toEqual([false, expect.stringContaining('none is stored')]);
    expect(await offered()).toEqual(['none']);
  });

  it('offers nothing when no key is stored', async () => {
    const { success, stages } = await gateway.test(host({ auth_method: 'key', password: sshd.password }));
    expect([success, stages.at(-1)?.name]).toEqual([false, 'auth']);
    expect(await offered()).toEqual([]);
  });

  it('offers nothing when username and password are prompted', async () => {
    const { success } = await gateway.test(host({ auth_method: 'prompt' }));
    expect(success).toBe(true);
    expect(await offered()).toEqual([]);
  });

  it('offers nothing of its own to a jump host either', async () => {
    const { id } = await gateway.post<{ id: number }>('/api/servers', host({ password: 'wrong' }));
    const { success } = await gateway.test(host({ password: sshd.password, jump_via_id: id }));
    expect(success).toBe(false);
    expect(await offered()).toEqual(['none', 'password']);
  });

  it.each([
    ['key', ['publickey', 'password']],
    ['password', ['none', 'password', 'publickey']],
  ])('sends the stored %s first, and then what the host wants in addition', async (auth_method, methods) => {
    const config = ['AuthenticationMethods publickey,password password,publickey'];
    const own = await startSshd({ config });
    const { hostname, port, username, private_key, password } = own;
    const fields = { name: 'both', hostname, port, username, auth_method, private_key, password };
    const { success } = await gateway.test(fields);
    const sent = new Set(own.log().match(/(?<=service ssh-connection method )\S+/g));
    await own.stop();
    expect(success).toBe(true);
    expect([...sent]).toEqual(methods);
  });
});
