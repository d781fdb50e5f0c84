import type { AgentEvent } from '#core/model/agent.ts';
import type { Actor, TestGateway } from '../gateway/gateway.ts';
import type { ModelServer } from './model-server.ts';

/** Lets the agent of the gateway use this provider. */
export async function chooseProvider(
  { admin }: Pick<TestGateway, 'admin'>,
  models: Pick<ModelServer, 'url'>,
  limits?: object,
): Promise<void> {
  const input = {
    provider: 'openai_compatible',
    base_url: models.url,
    model: 'test-model',
    api_key: 'sk-very-secret-key-0123456789',
    allow_private_address: true,
    ...(limits && { limits }),
  };
  const { status, body } = await admin.call('PUT', '/api/agent/settings', input);
  if (status !== 200) throw new Error(`Provider not chosen: ${JSON.stringify(body)}`);
}

/** The events of one response, as they arrive. */
export interface Streamed {
  readonly response: Response;
  /** Everything that has arrived. */
  readonly events: readonly AgentEvent[];
  /** Resolves with the first event of this name. */
  first<Name extends AgentEvent['name']>(name: Name): Promise<Extract<AgentEvent, { name: Name }>>;
  /** Resolves at the end. */
  readonly all: Promise<readonly AgentEvent[]>;
  drop(): void;
}

export function chatPath(server_id: number): string {
  return `/api/agent/chat/${server_id}`;
}

/** Throws when the question is refused. */
export async function ask(actor: Actor, server_id: number, question: object): Promise<Streamed> {
  return stream(actor, chatPath(server_id), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
}

export function follow(actor: Actor, server_id: number, message_id: number): Promise<Streamed> {
  return stream(actor, `${chatPath(server_id)}/turns/${message_id}`, {});
}

async function stream(actor: Actor, path: string, init: RequestInit): Promise<Streamed> {
  const dropped = new AbortController();
  const response = await actor.fetch(path, { ...init, signal: dropped.signal });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const events: AgentEvent[] = [];
  const watchers = new Set<() => void>();
  let is_over = false;
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const piece of response.body ?? []) {
        const blocks = (text + decoder.decode(piece, { stream: true })).split('\n\n');
        text = blocks.pop() ?? '';
        events.push(...blocks.flatMap(eventIn));
        for (const look of watchers) look();
      }
    } catch (error) {
      if (!dropped.signal.aborted) throw error;
    } finally {
      is_over = true;
      for (const look of watchers) look();
    }
    return events;
  };
  const all = read();
  all.catch(() => undefined);
  return {
    response,
    events,
    all,
    first: (name) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find((event) => event.name === name);
          if (found)
            resolve(found as Extract<AgentEvent, { name: typeof name }>); // it has this name
          else if (is_over) reject(new Error(`The stream ended without ${name}: ${JSON.stringify(events)}`));
        };
        watchers.add(look);
        look();
      }),
    drop: () => dropped.abort(),
  };
}

function eventIn(block: string): AgentEvent[] {
  const [, name, data] = /^event: (\w+)\ndata: (.*)$/m.exec(block) ?? [];
  return name && data ? [{ name, data: JSON.parse(data) } as AgentEvent] : []; // what the gateway documents
}
