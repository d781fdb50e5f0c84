import { useQuery } from '@tanstack/solid-query';
import { createMemo } from 'solid-js';
import { useApp } from '../app/context.ts';
import { usersQuery } from '../lib/users.ts';
import { type QueryKey, toValues } from '../parts/query-bar/keys.ts';
import { periodOf, type Query, valuesOf } from '../parts/query-bar/read.ts';
import { timeKeys } from '../parts/query-bar/times.ts';
import { type Server, serversQuery } from '../servers/servers.ts';
import type { RecordingConditions } from './recordings.ts';
import { LONGEST_TEXT } from './search/address.ts';

type Named = Pick<Server, 'id' | 'name'>;

/** Returns the keys that find recordings; administrators have `user:` as well. */
export function createRecordingKeys(everybody: boolean) {
  const { client, t } = useApp();
  const users = useQuery(() => ({ ...usersQuery(client), enabled: everybody }));
  const servers = useQuery(() => serversQuery(client));
  const user_names = createMemo(() => toValues((users.data ?? []).map(({ username }) => username)));
  const server_names = createMemo(() => servers.data && toValues(servers.data.map(({ name }) => name)));
  const times = timeKeys(t);
  const user: QueryKey = { key: 'user', label: 'user', is_open: true, values: user_names };
  const keys = (): readonly QueryKey[] => [
    ...(everybody ? [user] : []),
    { key: 'server', label: 'server', values: server_names },
    ...times,
  ];
  return { keys, servers: () => servers.data };
}

/** Converts the tokens for the API. */
export function recordingConditions(query: Query, servers: readonly Named[]): RecordingConditions {
  const name = valuesOf(query, 'server')[0];
  const { since, until } = periodOf(query);
  const conditions = {
    username: valuesOf(query, 'user')[0],
    server_id: servers.find((server) => server.name === name)?.id,
    from: since,
    to: until,
  };
  return Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
}

/** Returns the words as the one text to find in names and in terminal output. */
export function textOf({ words }: Pick<Query, 'words'>): string {
  return words.join(' ').trim().slice(0, LONGEST_TEXT);
}
