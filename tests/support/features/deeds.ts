import { setTimeout as pause } from 'node:timers/promises';
import type { AuditAction } from '#core/model/audit/audit.ts';
import type { Store } from '#db/store.ts';
import { freshAddress } from '../gateway/gateway.ts';
import { toldTo } from './deliveries.ts';

const PAUSE_MS = 25; // Waits after a refusal, to limit their number.

const DEEDS = ['server_added', 'server_deleted', 'user_login', 'user_login_failed', 'sftp_delete'] as const;
type Deed = (typeof DEEDS)[number];

/** The acknowledged changes, by what identifies them: an id, an address, a path. */
type Acknowledged = Readonly<Record<Deed, Set<string>>>;

interface Doing {
  readonly acknowledged: Acknowledged;
  /** Other responses, such as `503 database_unavailable`; `0` for none. */
  readonly refusals: string[];
  /** Resolves once each kind was acknowledged this many times more. */
  more(times: number): Promise<void>;
  /** Resolves after this many more refusals. */
  refused(times: number): Promise<void>;
  stop(): Promise<void>;
}

interface Scene {
  readonly url: string;
  readonly token: string;
  readonly username: string;
  readonly password: string;
  /** Files to delete on this server. */
  readonly server_id: number;
  readonly paths: readonly string[];
}

interface Answered {
  readonly status: number;
  readonly body: { readonly id?: number; readonly code?: string };
}

/** Users who add and delete servers, sign in, fail to, and delete files, all at once, as fast as possible. */
export function startDeeds({ url, token, username, password, server_id, paths }: Scene): Doing {
  const acknowledged: Acknowledged = {
    server_added: new Set(),
    server_deleted: new Set(),
    user_login: new Set(),
    user_login_failed: new Set(),
    sftp_delete: new Set(),
  };
  const refusals: string[] = [];
  const left = [...paths];
  const watchers = new Set<() => void>();
  let is_over = false;

  async function ask(method: string, path: string, body?: object, ip?: string): Promise<Answered> {
    const json = body && { 'content-type': 'application/json' };
    const headers = { ...(ip ? { 'x-forwarded-for': ip } : { authorization: `Bearer ${token}` }), ...json };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    try {
      const response = await fetch(url + path, init);
      const text = await response.text();
      return { status: response.status, body: text ? JSON.parse(text) : {} };
    } catch {
      return { status: 0, body: {} }; // The gateway is gone.
    }
  }

  async function note(deed: Deed, key: string, answer: Answered, done: number): Promise<boolean> {
    const { status, body } = answer;
    if (status === done) acknowledged[deed].add(key);
    else refusals.push(body.code ? `${status} ${body.code}` : String(status));
    for (const look of watchers) look();
    if (status !== done) await pause(PAUSE_MS);
    return status === done;
  }

  async function serverCycle(n: number): Promise<void> {
    const fields = { name: `server ${n}`, hostname: 'h.test', username: 'u', password: 'p' };
    const made = await ask('POST', '/api/servers', fields);
    const id = String(made.body.id);
    if (!(await note('server_added', id, made, 201)) || n % 2 === 0) return;
    await note('server_deleted', id, await ask('DELETE', `/api/servers/${id}`), 204);
  }

  async function login(deed: 'user_login' | 'user_login_failed', name: string, done: number): Promise<void> {
    const ip = freshAddress();
    const answer = await ask('POST', '/api/auth/login', { username: name, password }, ip);
    await note(deed, ip, answer, done);
  }

  async function deleteFile(): Promise<void> {
    const path = left.shift();
    if (path === undefined) throw new Error('There are no files left to delete');
    const query = new URLSearchParams({ path });
    await note('sftp_delete', path, await ask('DELETE', `/api/files/${server_id}/delete?${query}`), 200);
  }

  const each = async (work: (n: number) => Promise<void>) => {
    for (let n = 0; !is_over; n += 1) await work(n);
  };
  const people = Promise.all([
    each(serverCycle),
    each((n) => serverCycle(n + 1_000_000)),
    each(() => login('user_login', username, 200)),
    each((n) => login('user_login_failed', `nobody ${n}`, 401)),
    each(deleteFile),
  ]);
  people.catch(() => undefined); // `stop` reports it.

  function until(isIt: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isIt()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  }

  return {
    acknowledged,
    refusals,
    more(times) {
      const wanted = DEEDS.map((deed) => [deed, acknowledged[deed].size + times] as const);
      return until(() => wanted.every(([deed, size]) => acknowledged[deed].size >= size));
    },
    refused(times) {
      const wanted = refusals.length + times;
      return until(() => refusals.length >= wanted);
    },
    async stop() {
      is_over = true;
      await people;
    },
  };
}

const ENTRIES: Readonly<Partial<Record<AuditAction, Deed>>> = {
  server_create: 'server_added',
  server_delete: 'server_deleted',
  login: 'user_login',
  login_failed: 'user_login_failed',
  sftp_delete: 'sftp_delete',
};

interface Reckoning {
  readonly store: Store;
  /** It receives every event. */
  readonly hook: number;
  /** A server that is older than the webhook. */
  readonly server_id: number;
}

/** Contradictions between rows, audit entries and webhook events; empty when they agree. */
export async function misfits(
  { store, hook, server_id }: Reckoning,
  acknowledged: Acknowledged,
): Promise<string[]> {
  const { servers, audit_entries } = store.tables;
  const ids = (await store.db.select({ id: servers.id }).from(servers)).map(({ id }) => id);
  const rows = new Set(ids.filter((id) => id !== server_id).map(String));
  const heard = tally((await toldTo(store, hook)).map(({ event, data }) => `${event} ${keyOfData(data)}`));
  const recorded = tally((await store.db.select().from(audit_entries)).flatMap(keyOfEntry));
  const once = DEEDS.flatMap((deed) => [...acknowledged[deed]].map((key) => `${deed} ${key}`));
  return [
    ...once.filter((deed) => heard.get(deed) !== 1).map((deed) => `${heard.get(deed)} events: ${deed}`),
    ...once
      .filter((deed) => recorded.get(deed) !== 1)
      .map((deed) => `${recorded.get(deed)} entries: ${deed}`),
    ...[...heard].filter(([, count]) => count > 1).map(([deed]) => `told twice: ${deed}`),
    ...[...rows].filter((id) => !heard.has(`server_added ${id}`)).map((id) => `never told of: server ${id}`),
    ...[...heard.keys()].filter((deed) => isOfNoServer(deed, rows, heard)).map((deed) => `not so: ${deed}`),
  ];
}

/** A server that is missing without a deletion, or present after one. */
function isOfNoServer(deed: string, rows: ReadonlySet<string>, heard: ReadonlyMap<string, number>): boolean {
  const [kind, id = ''] = deed.split(' ');
  if (kind === 'server_deleted') return rows.has(id);
  return kind === 'server_added' && !rows.has(id) && !heard.has(`server_deleted ${id}`);
}

function tally(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function keyOfData(data: { readonly id?: number; readonly ip?: string; readonly path?: string }): string {
  return String(data.id ?? data.ip ?? data.path);
}

interface Entry {
  readonly action: string;
  readonly detail: string;
  readonly ip_address: string;
}

function keyOfEntry({ action, detail, ip_address }: Entry): string[] {
  const deed = Object.entries(ENTRIES).find(([name]) => name === action)?.[1];
  const said = detail.replace('; written late', '');
  const [, path] = /\): (\/.*)$/.exec(said) ?? [];
  const [, id] = /\(#(\d+)\)/.exec(said) ?? [];
  if (deed === undefined) return [];
  return [`${deed} ${deed.startsWith('user_') ? ip_address : (path ?? id)}`];
}
