import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import type { Actor } from './gateway.ts';

const CLIENTS = 3;
const PAUSE_MS = 50; // between two requests of a client: the tests share a small machine

/** What clients were told while instances came and went. */
export interface Load {
  /** Answers other than the expected ones, such as `502 POST /api/servers`. */
  readonly failures: readonly string[];
  /** The servers whose creation was acknowledged, by id. */
  readonly added: ReadonlySet<number>;
  readonly deleted: ReadonlySet<number>;
  /** The files whose content was acknowledged, by path. */
  readonly saved: ReadonlyMap<string, string>;
  /** Resolves after this many more complete rounds. */
  more(rounds: number): Promise<void>;
  stop(): Promise<void>;
}

interface Scene {
  readonly actor: Actor;
  readonly server_id: number;
  /** On the host. */
  readonly folder: string;
}

/** Clients that add and delete servers, list, and save files, a few times a second each. */
export function startLoad({ actor, server_id, folder }: Scene): Load {
  const failures: string[] = [];
  const added = new Set<number>();
  const deleted = new Set<number>();
  const saved = new Map<string, string>();
  let rounds = 0;
  let is_over = false;

  async function ask(method: string, path: string, expected: number, body?: object) {
    await pause(PAUSE_MS);
    const answer = await actor.call(method, path, body).catch((error: unknown) => ({
      status: String(error),
      body: {} as Record<string, unknown>,
    }));
    const is_expected = answer.status === expected;
    if (!is_expected) failures.push(`${answer.status} ${method} ${path} ${JSON.stringify(answer.body)}`);
    return { is_expected, body: answer.body };
  }

  async function add(name: string): Promise<number> {
    const fields = { name, hostname: '127.0.0.1', port: 1, username: 'nobody', password: 'secret' };
    const { is_expected, body } = await ask('POST', '/api/servers', 201, fields);
    const id = Number(body['id']);
    if (is_expected) added.add(id);
    return id;
  }

  async function save(path: string, content: string): Promise<void> {
    const { is_expected } = await ask('PUT', `/api/files/${server_id}/write`, 200, { path, content });
    if (is_expected) saved.set(path, content);
  }

  async function round(name: string, number: number): Promise<void> {
    const label = `${name} ${number}`;
    const id = await add(label);
    await ask('GET', '/api/servers', 200);
    await save(`${folder}/${name}.txt`, label);
    await ask('GET', `/api/files/${server_id}/ls?path=${encodeURIComponent(folder)}`, 200);
    if (number % 2 === 0) return;
    if ((await ask('DELETE', `/api/servers/${id}`, 204)).is_expected) deleted.add(id);
  }

  async function client(name: string): Promise<void> {
    for (let number = 1; !is_over; number += 1) {
      await round(name, number);
      rounds += 1;
    }
  }

  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(`client-${at}`)));
  return {
    failures,
    added,
    deleted,
    saved,
    more(wanted) {
      const target = rounds + wanted;
      return eventually(() => {
        if (rounds < target)
          throw new Error(`${target - rounds} rounds are missing: ${failures[0] ?? 'slow'}`);
      });
    },
    async stop() {
      is_over = true;
      await clients;
    },
  };
}
