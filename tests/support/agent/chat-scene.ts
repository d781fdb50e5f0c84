import { onTestFinished } from 'vitest';
import { createCallerFeature } from '#core/accounts/create.ts';
import { createActivityRegistry } from '#core/activities/registry.ts';
import { createActivityRights } from '#core/activities/rights.ts';
import { type ChatParts, createChatParts } from '#core/agent/chat-parts.ts';
import type { AgentTools } from '#core/agent/tool.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createVault } from '#core/crypto/vault.ts';
import { Fault } from '#core/errors.ts';
import { createReach } from '#core/hosts/reach.ts';
import { createChanges } from '#core/instances/changes.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import { type AgentLimits, DEFAULT_AGENT_LIMITS } from '#core/model/agent.ts';
import type { ModelEvent, ModelRequest } from '#core/ports/agent.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { createBackground } from '#server/adapters/background.ts';
import { instanceRow, serverRow, sessionRow, TTL_MS, userRow } from '../databases/rows.ts';
import { type Fresh, migratedDatabaseUrl, silent } from '../databases/stores.ts';
import { eventually } from '../eventually.ts';
import { type HandClock, handClock } from '../hand-clock.ts';

/** One answer of the model: events, errors to throw, or promises to wait for. */
export type Said = ModelEvent | Error | Promise<void>;
export type Script = (request: ModelRequest) => Iterable<Said> | AsyncIterable<Said>;

export const text = (delta: string): ModelEvent => ({ kind: 'text', delta });
export const call = (tool: string, args: Record<string, unknown> = {}, id = 'call'): ModelEvent => ({
  kind: 'tool_call',
  call: { id, tool, arguments: args },
});
export const usage = (input_tokens: number, output_tokens: number): ModelEvent => ({
  kind: 'usage',
  input_tokens,
  output_tokens,
});

/** A model that says what the test scripts, request after request, and then always the last. */
export function scriptedModel() {
  const requests: ModelRequest[] = [];
  let scripts: Script[] = [];
  let streams = 0;
  return {
    requests,
    /** Streams that have not ended. */
    streams: () => streams,
    says(...answers: (readonly Said[] | Script)[]) {
      scripts = answers.map((answer) => (typeof answer === 'function' ? answer : () => answer));
    },
    async *stream(_address: unknown, request: ModelRequest): AsyncGenerator<ModelEvent> {
      requests.push({ ...request, messages: [...request.messages] });
      const script = scripts.length > 1 ? scripts.shift() : scripts[0];
      if (!script) throw new Error('The model has no script');
      streams += 1;
      try {
        for await (const said of script(request)) {
          request.signal.throwIfAborted();
          if (said instanceof Error) throw said;
          if (said) yield said;
        }
      } finally {
        streams -= 1;
      }
    },
  };
}

/** Resolves never, and rejects with the signal. */
export function untilStopped(signal: AbortSignal): Promise<never> {
  const stopped = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  stopped.catch(() => undefined); // nobody may wait for it any more
  return stopped;
}

type ToolDouble = (
  args: unknown,
  signal: AbortSignal,
) => Promise<{ ok: boolean; text: string; summary: string }>;

/** Tools that answer what the test says. */
export function scriptedTools() {
  const called: { tool: string; args: unknown; caller: Caller }[] = [];
  let run: ToolDouble = async () => ({ ok: true, text: 'found', summary: 'Found it' });
  const tools: AgentTools = {
    offered: () => [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }],
    async call({ caller, signal }, tool, args) {
      called.push({ tool, args, caller });
      return run(args, signal);
    },
  };
  return {
    ...tools,
    called,
    answer(double: ToolDouble) {
      run = double;
    },
  };
}

export interface Instance extends ChatParts {
  readonly clock: HandClock;
  readonly model: ReturnType<typeof scriptedModel>;
  readonly tools: ReturnType<typeof scriptedTools>;
  readonly entries: { action: string; detail: string; username: string }[];
  /** Null: the agent is off. */
  limits: AgentLimits | null;
  retention_days: number;
  stop(): Promise<void>;
}

const KEY = 'a secret key of the tests, long enough';

async function startInstance(
  repositories: Repositories,
  run_id: string,
  clock: HandClock,
): Promise<Instance> {
  const keyring = await createKeyring(KEY);
  const background = createBackground(silent);
  const { callers } = createCallerFeature({ repositories, clock, background }, keyring, {
    demo_mode: false,
  }).services;
  const activities = createActivityRegistry();
  const entries: Instance['entries'] = [];
  const model = scriptedModel();
  const tools = scriptedTools();
  const address = {
    provider: 'ollama',
    base_url: '',
    model: 'm',
    api_key: '',
    allow_private_address: true,
  } as const;
  const parts = createChatParts(
    { repositories, models: model, clock, background, log: silent },
    {
      callers,
      reach: createReach(repositories),
      config: {
        async inForce() {
          if (!instance.limits) throw new Fault('agent_off');
          return { address, limits: instance.limits, retention_days: instance.retention_days };
        },
        retentionDays: async () => instance.retention_days,
      },
      tools,
      vault: createVault(keyring),
      trail: {
        async record({ username }, action, detail) {
          entries.push({ action, detail, username });
        },
        recordAll: async () => undefined,
        fire: async () => undefined,
      },
      activities,
      run_id,
    },
  );
  const rights = createActivityRights({ activities, repositories, clock });
  const stopRights = rights.watch(createChanges(clock), background);
  for (const job of parts.jobs) await job.start?.({ url: '', announce: () => undefined });
  let is_running = true;
  const instance: Instance = {
    ...parts,
    ...{ clock, model, tools, entries },
    limits: { ...DEFAULT_AGENT_LIMITS },
    retention_days: 30,
    async stop() {
      if (!is_running) return;
      is_running = false;
      stopRights();
      activities.endAll();
      for (const job of parts.jobs.toReversed()) await job.stop?.();
      await background.drain();
    },
  };
  await repositories.instances.beat(instanceRow(run_id), TTL_MS);
  return instance;
}

/** Two instances on one database, a server with the agent, and two users: Ann, and an administrator. */
export async function chatScene(fresh: Fresh) {
  const { url, cleanup } = await migratedDatabaseUrl(fresh.dialect);
  onTestFinished(cleanup);
  const store = openStore(url);
  const other = openStore(url);
  const repositories = createRepositories(store);
  const clock = handClock();
  const ann_id = await insertUser(repositories, 'ann', false);
  const admin_id = await insertUser(repositories, 'admin', true);
  const servers: number[] = [];
  for (const name of ['alpha', 'beta', 'gamma', 'delta']) {
    servers.push((await repositories.servers.insert(serverRow({ name, agent_enabled: true }))).id);
  }
  const one = await startInstance(repositories, 'one', clock);
  const two = await startInstance(createRepositories(other), 'two', clock);
  onTestFinished(async () => {
    await one.stop();
    await two.stop();
    await store.close();
    await other.close();
  });
  const [server_id = 0] = servers;
  return {
    ...{ store, repositories, clock, one, two, servers, server_id, url },
    ann: callerOf(ann_id, 'ann', false),
    admin: callerOf(admin_id, 'admin', true),
  };
}

async function insertUser({ users, web_sessions }: Repositories, username: string, is_admin: boolean) {
  const { id } = await users.insert(
    userRow({ username, is_admin, must_change_password: false, allowed_groups: ['web'] }),
  );
  await web_sessions.insert(sessionRow(id, { id: username }));
  return id;
}

function callerOf(user_id: number, username: string, is_admin: boolean): Caller {
  return {
    ...{ user_id, username, is_admin, allowed_groups: ['web'], must_change_password: false },
    credential: { kind: 'session', id: username },
    scopes: ['read', 'files', 'terminal', 'admin'],
    is_fresh: true,
    in_demo: false,
    ip_address: '192.0.2.1',
    via: 'page',
  };
}

/** Lets time pass until the check holds. */
export function inTime<T>(clock: HandClock, check: () => T | Promise<T>): Promise<T> {
  return eventually(async () => {
    await clock.pass(500);
    return check();
  });
}
