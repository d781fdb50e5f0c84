import { describe, expect, it } from 'vitest';
import { createActivityRegistry } from '#core/activities/registry.ts';
import { createAgentTools } from '#core/agent/tools.ts';
import { Fault } from '#core/errors.ts';
import { createFileAccess } from '#core/files/access.ts';
import { createLooks } from '#core/files/looks/looks.ts';
import type { Connections } from '#core/hosts/connections.ts';
import { createReach } from '#core/hosts/reach.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import { systemClock } from '#server/lib/clock.ts';
import { serverRow } from '../../support/databases/rows.ts';

const CALLER: Caller = {
  user_id: 1,
  username: 'someone',
  is_admin: true,
  allowed_groups: [],
  must_change_password: false,
  credential: { kind: 'session', id: 'one' },
  scopes: ['terminal'],
  is_fresh: true,
  in_demo: false,
  ip_address: '127.0.0.1',
  via: 'page',
};
const reached = () => Promise.reject(new Error('The host was asked'));
const server = { id: 1, ...serverRow({ agent_enabled: true }) };
const found = async () => server;
const reach = createReach({ servers: { byId: found } });
const connections = { targetFor: reached, forgetTyped: reached, wayTo: reached };
const access = createFileAccess({
  reach,
  connections: connections as unknown as Connections, // nobody is dialled
  files: { open: reached, drop() {}, dropOwner() {} },
  activities: createActivityRegistry(),
});
const toolsWhere = (list: () => Promise<never>) =>
  createAgentTools({
    reach,
    connections,
    inspections: { run: reached },
    activities: createActivityRegistry(),
    files: { list, stat: reached, search: reached },
    looks: createLooks({ access, clock: systemClock }),
    clock: systemClock,
  });
const tools = toolsWhere(reached);
const context = { caller: CALLER, server_id: 1, signal: new AbortController().signal };
const ALL = tools.offered({ sftp_enabled: true, ssh_enabled: true });

describe('the tools', () => {
  it('have names, descriptions and closed schemas that a model understands', () => {
    expect(ALL.length).toBeGreaterThan(7);
    for (const { name, description, parameters } of ALL) {
      expect(name).toMatch(/^[a-z][a-z_]{2,40}$/);
      expect(description).toMatch(/\.$/);
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify(parameters)).not.toContain('$schema');
    }
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  it('end the turn when the host refuses the credentials: each further try counts as a failed login there', async () => {
    const refusing = toolsWhere(() => Promise.reject(new Fault('host_auth_failed')));
    const caller: Caller = { ...CALLER, scopes: ['terminal', 'files'] };
    const listed = refusing.call({ ...context, caller }, 'list_directory', { path: '/' });
    await expect(listed).rejects.toMatchObject({ code: 'host_auth_failed' });
  });

  it('refuse an unknown tool, and arguments that are none', async () => {
    for (const name of ['rm', '__proto__', 'constructor']) {
      expect(await tools.call(context, name, {})).toMatchObject({
        ok: false,
        text: `Error: There is no tool named ${name}`,
      });
    }
    for (const { name } of ALL.filter(({ parameters }) => 'path' in Object(parameters['properties']))) {
      expect(await tools.call(context, name, undefined)).toMatchObject({ ok: false });
      expect(await tools.call(context, name, {})).toMatchObject({ ok: false });
    }
  });

  it.each([
    ['list_directory', { path: '' }],
    ['list_directory', { path: 1 }],
    ['list_directory', { path: '/', order: 'name; rm -rf /' }],
    ['list_directory', { path: '/', limit: 0 }],
    ['list_directory', { path: '/', limit: 1e9 }],
    ['list_directory', { path: '/', more: true }],
    ['list_directory', { path: `/${'a'.repeat(5000)}` }],
    ['read_file', { path: '/x', lines: 1.5 }],
    ['read_file', { path: '/x', from_line: -1 }],
    ['read_file', { path: '/x', from_byte: -1 }],
    ['read_file', { path: '/x', from_byte: 2 ** 60 }],
    ['read_file', { path: '/x', bytes: 1e9 }],
    ['tail_file', { path: '/x', lines: '5; id' }],
    ['search_names', { path: '/', text: '' }],
    ['directory_sizes', { path: ['/'] }],
  ])('refuse wrong arguments without asking the host: %s %j', async (name, args) => {
    const outcome = await tools.call(context, name, args);
    expect(outcome.ok).toBe(false);
    expect(outcome.text).toMatch(/^Error: Wrong arguments: /);
  });

  it('throw the reason of a signal that has aborted', async () => {
    const stop = new AbortController();
    stop.abort(new Error('over'));
    const late = tools.call({ ...context, signal: stop.signal }, 'list_directory', { path: '/' });
    await expect(late).rejects.toThrow('over');
  });
});

it('An API key without the scope `files` reads no files through the agent', async () => {
  const caller: Caller = { ...CALLER, credential: { kind: 'api_key', id: 1 }, scopes: ['terminal'] };
  expect(await tools.call({ ...context, caller }, 'read_file', { path: '/x' })).toMatchObject({
    ok: false,
    text: 'Error: The API key lacks the scope `files`',
  });
  const scoped: Caller = { ...caller, scopes: ['terminal', 'files'] };
  const reading = tools.call({ ...context, caller: scoped }, 'read_file', { path: '/x' });
  await expect(reading).rejects.toMatchObject({ cause: { message: 'The host was asked' } });
});
