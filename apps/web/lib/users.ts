import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';

const PAGE_USERS = 500;

export function usersQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['users'],
    queryFn: () => allUsers(client),
    reconcile: 'id',
  });
}

/** Page by page: the table sorts and filters all of them. An account that moves between two pages is shown once. */
async function allUsers(client: GatewayClient): Promise<Schemas['User'][]> {
  const users = new Map<number, Schemas['User']>();
  for (let offset = 0; ; offset += PAGE_USERS) {
    const query = { limit: PAGE_USERS, offset };
    const page = await take(client.http.GET('/api/auth/users', { params: { query } }));
    for (const user of page) users.set(user.id, user);
    if (page.length < PAGE_USERS) return [...users.values()];
  }
}

export function groupsQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['server_groups'],
    queryFn: () => take(client.http.GET('/api/servers/groups')),
  });
}
