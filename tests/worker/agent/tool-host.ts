import { type ActivityRegistry, createActivityRegistry } from '#core/activities/registry.ts';
import { type AgentTools, createAgentTools, type ToolBounds, type ToolOutcome } from '#core/agent/tools.ts';
import { createFileAccess } from '#core/files/access.ts';
import { createLargeAnswers } from '#core/files/large-answers.ts';
import { createFiles } from '#core/files/listing.ts';
import { createLooks, type LookBounds } from '#core/files/looks/looks.ts';
import type { Connections } from '#core/hosts/connections.ts';
import { createReach } from '#core/hosts/reach.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import type { SshTarget } from '#core/ports/ssh.ts';
import { systemClock } from '#server/lib/clock.ts';
import type { Worker } from '#worker/worker.ts';
import { serverRow } from '../../support/databases/rows.ts';
import { NEVER } from '../setup.ts';

const CALLER: Caller = {
  user_id: 1,
  username: 'someone',
  is_admin: false,
  allowed_groups: ['web'],
  must_change_password: false,
  credential: { kind: 'session', id: 'one' },
  scopes: ['terminal'],
  is_fresh: true,
  in_demo: false,
  ip_address: '127.0.0.1',
  via: 'page',
};

export interface ToolHost {
  readonly tools: AgentTools;
  readonly activities: ActivityRegistry;
  /** The record, which a test may change. */
  server: ServerRow;
  call(tool: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolOutcome>;
}

export interface ToolHostOptions {
  readonly server?: Partial<ServerRow>;
  readonly caller?: Partial<Caller>;
  readonly looks?: LookBounds;
  readonly bounds?: ToolBounds;
}

/** The tools for one server, whose checks are the real ones. */
export function toolsFor(
  target: SshTarget,
  { files, inspections }: Pick<Worker, 'files' | 'inspections'>,
  options: ToolHostOptions = {},
): ToolHost {
  const activities = createActivityRegistry();
  const caller = { ...CALLER, ...options.caller };
  const host: { server: ServerRow } = {
    server: { id: 1, ...serverRow({ sftp_allowed_paths: [], agent_enabled: true }), ...options.server },
  };
  const reach = createReach({ servers: { byId: async () => host.server } });
  const unused = () => Promise.reject(new Error('Nobody asks for this here'));
  const connections: Connections = {
    targetOf: unused,
    targetFor: async () => target,
    targetWith: unused,
    askingHop: unused,
    forgetTyped: async () => {},
    wayTo: async () => [host.server],
    hopOf: unused,
    assertJump: unused,
    depthVia: unused,
  };
  const access = createFileAccess({ reach, connections, files, activities });
  const looks = createLooks({ access, clock: systemClock, ...(options.looks && { bounds: options.looks }) });
  const tools = createAgentTools({
    reach,
    connections,
    activities,
    inspections,
    files: createFiles({ access, large_answers: createLargeAnswers(systemClock.after) }),
    looks,
    clock: systemClock,
    ...(options.bounds && { bounds: options.bounds }),
  });
  return Object.assign(host, {
    tools,
    activities,
    call: (tool: string, args: Record<string, unknown> = {}, signal = NEVER) =>
      tools.call({ caller, server_id: 1, signal }, tool, args),
  });
}
