import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSPECTIONS } from '#core/agent/inspections.ts';
import type { Inspected, InspectionRequest } from '#core/ports/inspections.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { type AccountOptions, addAccount } from '../../support/hosts/accounts.ts';
import { runs } from '../../support/hosts/processes.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startProxy } from '../../support/hosts/tcp.ts';
import { failureOf, hopTo, NEVER, targetTo, worker } from '../setup.ts';
import { startHostileHost } from '../sftp/protocol/hostile-host.ts';
import { type ToolHostOptions, toolsFor } from './tool-host.ts';

let sshd: Sshd;
let forced: Sshd;
let sftp_only: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
  forced = await startSshd({ config: ['ForceCommand echo "Backups only"; sleep 300'] });
  sftp_only = await startSshd({ config: ['ForceCommand internal-sftp'] });
});
afterAll(async () => {
  await sshd?.stop();
  await forced?.stop();
  await sftp_only?.stop();
});

const REQUEST: InspectionRequest = { signal: NEVER, timeout_ms: 10_000, limit_bytes: 64 * 1024 };

const run = (
  argv: readonly [string, ...string[]],
  request: Partial<InspectionRequest> = {},
  target: SshTarget = targetTo(sshd),
): Promise<Inspected> => worker().inspections.run(target, argv, { ...REQUEST, ...request });

async function withAccount<T>(options: AccountOptions, work: (target: SshTarget) => Promise<T>): Promise<T> {
  const { username, password, remove } = await addAccount(options);
  try {
    return await work(targetTo(sshd, { username, auth: { method: 'password', password } }));
  } finally {
    await remove();
  }
}

describe('a program', () => {
  it('runs with its exact arguments, without a terminal and without input', async () => {
    expect(await run(['echo', '--', 'a,b=c', '@x'])).toEqual({
      stdout: '-- a,b=c @x\n',
      stderr: '',
      exit_code: 0,
      is_truncated: false,
    });
    expect(await run(['cat'])).toMatchObject({ stdout: '', exit_code: 0 });
    expect((await run(['tty'])).stdout).toContain('not a tty');
    expect((await run(['env', 'A=b', 'printenv', 'A', 'SSH_TTY'])).stdout).toBe('b\n');
  });

  it('reports its exit code, its errors and that it does not exist', async () => {
    expect(await run(['ls', '/nowhere'])).toMatchObject({ exit_code: 2, stderr: /nowhere/ });
    expect(await run(['env', 'no-such-program'])).toMatchObject({ exit_code: 127, stdout: '' });
  });

  it('that never ends is ended with its time, and keeps what it has said', async () => {
    expect(await run(['sleep', '7301'], { timeout_ms: 300 })).toMatchObject({
      exit_code: null,
      is_truncated: true,
    });
    await expect.poll(() => runs('sleep 7301')).toBe(false);
  });

  it('that floods its output is ended at the limit', async () => {
    const { stdout, is_truncated, exit_code } = await run(['yes', 'flood'], { limit_bytes: 10_000 });
    expect([stdout.length <= 10_000, is_truncated, exit_code]).toEqual([true, true, null]);
    expect(stdout).toMatch(/^flood\nflood\n/);
    await expect.poll(() => runs('yes flood')).toBe(false);
  });

  it('ends with the request', async () => {
    const stop = new AbortController();
    const reason = new Error('The turn is over');
    const ended = run(['sleep', '7302'], { signal: stop.signal });
    await expect.poll(() => runs('sleep 7302')).toBe(true);
    stop.abort(reason);
    await expect(ended).rejects.toBe(reason);
    await expect.poll(() => runs('sleep 7302')).toBe(false);
    const late = run(['true'], { signal: stop.signal });
    await expect(late).rejects.toBe(reason);
  });

  it('through a line that breaks fails as a lost connection', async () => {
    const proxy = await startProxy(sshd.port);
    const target = { hops: [hopTo(sshd, { port: proxy.port })] } as const;
    const lost = failureOf(run(['sleep', '73'], {}, target));
    await expect.poll(() => runs('sleep 73')).toBe(true);
    proxy.cut();
    expect(await lost).toMatchObject({ code: 'host_disconnected' });
    await proxy.stop();
  });

  it('leaves no connection behind', async () => {
    await run(['true']);
    await expect.poll(async () => (await sshd.sessionProcesses()).length).toBe(0);
  });
});

describe('a host that runs something else', () => {
  const nothing = (target: SshTarget) => failureOf(run(['uptime'], { timeout_ms: 1500 }, target));

  it('is told by the missing marker: SFTP only, and a forced command', async () => {
    expect(await nothing(targetTo(sftp_only))).toMatchObject({ code: 'shell_refused' });
    expect(await nothing(targetTo(forced))).toMatchObject({ code: 'operation_timeout' });
  });

  it.each<[string, AccountOptions, string]>([
    ['nologin', { shell: '/usr/sbin/nologin' }, 'login_disabled'],
    ['false', { shell: '/bin/false' }, 'shell_refused'],
    ['an expired password', { password_expired: true }, 'password_expired'],
    ['another program as shell', { shell: '/usr/bin/python3' }, 'shell_refused'],
    ['a start-up file that ends the shell', { bashrc: 'exit 0' }, 'shell_refused'],
  ])('says so: %s', async (_what, account, code) => {
    await withAccount(account, async (target) => expect(await nothing(target)).toMatchObject({ code }));
  });

  it.each<[string, AccountOptions]>([
    ['prints a line', { bashrc: 'echo Welcome; echo oops >&2' }],
    ['prints a word', { bashrc: 'printf x' }],
    ['reads its input', { bashrc: 'read -r answer; echo "$answer"' }],
  ])('but not for a start-up file that %s', async (_what, account) => {
    await withAccount(account, async (target) => {
      expect(await run(['echo', 'fine'], {}, target)).toMatchObject({ stdout: 'fine\n', exit_code: 0 });
    });
  });

  it('runs what a restricted shell allows', async () => {
    await withAccount({ shell: '/bin/rbash' }, async (target) => {
      expect(await run(['env', 'LC_ALL=C', 'echo', 'fine'], {}, target)).toMatchObject({ stdout: 'fine\n' });
    });
  });

  it('refuses every program: the reason is told', async () => {
    const hostile = await startHostileHost({});
    expect(await nothing(hostile.target)).toMatchObject({
      code: 'shell_refused',
      detail: /refuses to run programs/,
    });
    await hostile.stop();
  });
});

describe('the tools over SSH', () => {
  const host = (options: ToolHostOptions = {}, target = targetTo(sshd)) =>
    toolsFor(target, worker(), options);

  it('look at every topic, or say that the host does not support it', async () => {
    const { call } = host();
    const topics = [
      'uptime',
      'load',
      'memory',
      'disks',
      'inodes',
      'kernel',
      'os_release',
      'logged_in',
      'mounts',
    ];
    for (const topic of topics) {
      const { ok, text, summary } = await call('inspect_system', { topic });
      expect([topic, ok, text.split('\n').length > 1]).toEqual([topic, true, true]);
      expect(summary).toBe(`Looked at the ${topic.replaceAll('_', ' ')}`);
    }
    expect((await call('inspect_system', { topic: 'disks' })).text).toMatch(/Mounted on/);
    const raid = await call('inspect_system', { topic: 'raid' });
    expect(raid.ok || raid.text.includes('No such file') || raid.text.startsWith('Not supported here')).toBe(
      true,
    );
  });

  it('list the processes with the most memory first', async () => {
    const { ok, text } = await host().call('list_processes', { sort: 'memory', limit: 5 });
    expect(ok).toBe(true);
    const [, head = '', ...rows] = text.trim().split('\n');
    expect(head).toMatch(/PID +PPID USER/);
    const sizes = rows.map((row) => Number(row.trim().split(/ +/)[5]));
    expect(sizes).toHaveLength(5);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  it('answer “not supported here” where a program or a shell is missing', async () => {
    const { call } = host({}, targetTo(sftp_only));
    const { ok, text } = await call('inspect_system', { topic: 'uptime' });
    expect(ok).toBe(false);
    expect(text).toMatch(/^Not supported here: .*runs no programs, or something else/);
    const missing = await withAccount({ bashrc: 'env() { return 127; }' }, (target) =>
      host({}, target).call('read_journal', { unit: 'ssh.service' }),
    );
    expect(missing).toMatchObject({
      ok: false,
      text: 'Not supported here: The host has no program journalctl for this',
    });
  });

  it('need SSH to be enabled, the agent to be allowed and the server to be reached', async () => {
    const off = host({ server: { ssh_enabled: false } });
    expect(await off.call('inspect_system', { topic: 'uptime' })).toMatchObject({
      ok: false,
      text: 'Error: SSH is disabled for this server',
    });
    const names = off.tools.offered({ ssh_enabled: true, sftp_enabled: false }).map(({ name }) => name);
    expect(names.sort()).toEqual(INSPECTIONS.map(({ name }) => name).sort());
    const code = async (options: ToolHostOptions) =>
      (await failureOf(host(options).call('inspect_system', { topic: 'uptime' }))).code;
    expect(await code({ server: { agent_enabled: false } })).toBe('agent_disabled_for_server');
    expect(await code({ caller: { allowed_groups: [] } })).toBe('server_not_found');
  });

  it('end at once, and the turn with them, when access is lost', async () => {
    await withAccount({ bashrc: 'sleep 7305' }, async (target) => {
      const { call, activities } = host({}, target);
      const ended = failureOf(call('inspect_system', { topic: 'uptime' }));
      await expect.poll(() => runs('sleep 7305')).toBe(true);
      activities.endWhere(() => true, 'You no longer have access to this server');
      expect(await ended).toMatchObject({ code: 'terminal_ended' });
      expect(activities.all()).toEqual([]);
      await expect.poll(() => runs('sleep 7305')).toBe(false);
    });
  });

  it.each(['; id', '$(id)', 'a\nid', '-h', '../x', "a'b", 'a\0b', 'ünit'])(
    'refuse the unit %j without asking the host',
    async (unit) => {
      const { call, activities } = host();
      for (const tool of ['service_status', 'read_journal']) {
        expect(await call(tool, { unit })).toMatchObject({
          ok: false,
          text: /^Error: Wrong arguments: unit/,
        });
      }
      expect(activities.all()).toEqual([]);
    },
  );
});
