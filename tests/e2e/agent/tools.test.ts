import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import { ask, chooseProvider } from '../../support/agent/asking.ts';
import { endOf } from '../../support/agent/events.ts';
import {
  LOCAL_MODELS,
  type ModelServer,
  type ScriptedCall,
  startModelServer,
} from '../../support/agent/model-server.ts';
import { addHost } from '../../support/features/chain.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
let models: ModelServer;
let gateway: TestGateway;
beforeAll(async () => {
  [sshd, models, gateway] = await Promise.all([
    startSshd(),
    startModelServer(),
    startGateway({ env: LOCAL_MODELS }),
  ]);
  await chooseProvider(gateway, models);
});
afterEach(() => models.reset());
afterAll(async () => {
  await gateway?.close();
  await models?.stop();
  await sshd?.stop();
});

let people = 0;
/** Each has a separate chat and rate limit. */
function newcomer(): Promise<Actor> {
  people += 1;
  return gateway.user({ username: `asker ${people}`, allowed_groups: ['lab'] });
}

const add = (name: string, fields: Record<string, unknown> = {}) =>
  addHost(gateway, { name, sshd, agent_enabled: true, ...fields });

/** The model makes these calls one by one; resolves with what it was told of each, and with what the person saw. */
async function callAll(actor: Actor, server_id: number, calls: readonly ScriptedCall[]) {
  models.script(...calls.map((call) => ({ calls: [call] })), { says: ['Done.'] });
  const events = await (await ask(actor, server_id, { message: 'Why is the disk full?' })).all;
  const last = models.requests.at(-1)?.body.messages ?? [];
  const told = last.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  const steps = events.flatMap((event) => (event.name === 'tool_result' ? [event.data] : []));
  const shown = events.flatMap((event) => (event.name === 'tool_call' ? [event.data] : []));
  return { end: endOf(events), told, steps, shown };
}

const read = (path: string): ScriptedCall => ({ tool: 'read_file', arguments: { path } });
const uptime: ScriptedCall = { tool: 'inspect_system', arguments: { topic: 'uptime' } };

function plant(script: string): string {
  execFileSync('bash', ['-euc', script], { cwd: sshd.folder });
  execFileSync('chown', ['-R', `${sshd.username}:`, sshd.folder]);
  return sshd.folder;
}

describe('The tools of the agent', () => {
  it('find the directory that fills the disk, step by step, and each step is audited', async () => {
    const folder = plant(
      'mkdir -p full/a full/b/deep; head -c 3000000 /dev/zero > full/b/deep/core.dump; echo x > full/a/y',
    );
    const { id } = await add('full');
    const root = join(folder, 'full');
    const { end, told, steps } = await callAll(await newcomer(), id, [
      { tool: 'inspect_system', arguments: { topic: 'disks' } },
      { tool: 'directory_sizes', arguments: { path: root } },
      { tool: 'list_directory', arguments: { path: join(root, 'b/deep'), order: 'size' } },
    ]);
    expect(end.state).toBe('done');
    expect(steps.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(steps[1]?.summary).toBe(`Measured ${root}: 2.9 MiB in 2 files`);
    expect(told[0]).toContain('Mounted on');
    expect(told[1]).toMatch(new RegExp(`2.9 MiB\t1\t${root}/b\n.*2 B\t1\t${root}/a\n`, 's'));
    expect(told[2]).toContain('core.dump');
    const { body } = await gateway.admin.call<{ entries: AuditEntry[] }>(
      'GET',
      '/api/auth/audit?action=agent_tool',
    );
    const details = JSON.stringify(body);
    for (const tool of ['inspect_system', 'directory_sizes', 'list_directory'])
      expect(details).toContain(tool);
  });

  it('keep secrets from the provider, from the steps and from the audit log', async () => {
    const folder = plant('printf "user = app\\npassword = hunter2-Zq9\\n" > app.conf');
    const { id } = await add('secrets');
    const { told, shown } = await callAll(await newcomer(), id, [
      read(join(folder, 'app.conf')),
      { tool: 'search_names', arguments: { path: folder, text: 'password=hunter2-Zq9' } },
    ]);
    expect(told[0]).toContain('password = [masked]');
    expect(JSON.stringify(told) + JSON.stringify(shown)).not.toContain('hunter2');
    const { body } = await gateway.admin.call('GET', '/api/auth/audit?action=agent_tool');
    expect(JSON.stringify(body)).toContain('password=[masked]');
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  it('are those that the server allows, whatever the model asks for', async () => {
    const folder = plant(
      'mkdir -p in out; echo INSIDE > in/file; echo OUTSIDE > out/file; ln -sfn ../out in/link',
    );
    const jailed = await add('jailed', { sftp_allowed_paths: [join(folder, 'in')], ssh_enabled: false });
    const calls = [read(join(folder, 'in/file')), read(join(folder, 'in/link/file')), uptime];
    const { told, steps } = await callAll(await newcomer(), jailed.id, calls);
    expect(steps.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(told[0]).toContain('INSIDE');
    expect(told[1]).toContain('Path is outside the allowed directories');
    expect(told[2]).toContain('SSH is disabled for this server');
    expect(JSON.stringify(told)).not.toContain('OUTSIDE');
    const offered = models.requests[0]?.body.tools?.map(({ function: { name } }) => name);
    expect(offered).toContain('read_file');
    expect(offered).not.toContain('inspect_system');
    models.reset();
    const shell_only = await add('shell only', { sftp_enabled: false });
    const other = await callAll(await newcomer(), shell_only.id, [read('/etc/hostname'), uptime]);
    expect(other.steps.map(({ ok }) => ok)).toEqual([false, true]);
    expect(other.told[0]).toContain('SFTP is disabled for this server');
  });

  it('use the credentials that this person has typed, and nobody else’s', async () => {
    const { id } = await add('typed', { auth_method: 'prompt', password: '' });
    const person = await newcomer();
    const calls = [read('/etc/hostname'), uptime];
    const before = await callAll(person, id, calls);
    expect(before.steps.map(({ ok }) => ok)).toEqual([false, false]);
    expect(before.told[0]).toContain('typed stores no password');
    models.reset();
    const { password } = sshd;
    expect((await person.call('POST', `/api/files/${id}/connect`, { password })).status).toBe(200);
    expect((await callAll(person, id, calls)).steps.map(({ ok }) => ok)).toEqual([true, true]);
    models.reset();
    expect((await callAll(await newcomer(), id, calls)).steps.map(({ ok }) => ok)).toEqual([false, false]);
  });

  it('say nothing of a jump host that the person may not reach', async () => {
    const hidden = await add('bastion', { group: 'hidden', port: 1, hostname: '127.0.0.9' });
    const { id } = await add('behind', { jump_via_id: hidden.id });
    const { told, steps } = await callAll(await newcomer(), id, [read('/etc/hostname'), uptime]);
    expect(steps.map(({ ok }) => ok)).toEqual([false, false]);
    expect(JSON.stringify(told) + JSON.stringify(steps)).not.toContain('127.0.0.9');
  });
});
