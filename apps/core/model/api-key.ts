import { z } from 'zod';
import { Id, Instant, line } from './fields.ts';

/** What a key may be used for; each route names the one that it wants. */
export const Scope = z.enum(['read', 'files', 'terminal', 'admin']).meta({
  id: 'Scope',
  description:
    '`read`: what is asked with GET outside `/api/files`; `files`: all of `/api/files`; `terminal`: sockets, sharing, ' +
    'sessions, connection tests; `admin`: what only administrators may do',
});
export type Scope = z.infer<typeof Scope>;

export const ALL_SCOPES: readonly Scope[] = Scope.options;

export const ApiKey = z
  .object({
    id: Id,
    name: z.string(),
    key_prefix: z.string().describe('The first characters of the key, to tell keys apart'),
    scopes: z.array(Scope),
    expires_at: Instant.nullable(),
    last_used_at: Instant.nullable().describe('Written at most once a minute'),
    created_at: Instant,
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const NewApiKey = z
  .strictObject({
    name: line(1, 100),
    expires_at: Instant.nullish().describe('Absent or null: until revoked'),
    scopes: z.array(Scope).min(1).max(20).optional().describe('Absent: all that the owner may do'),
  })
  .meta({ id: 'NewApiKey' });
export type NewApiKey = z.infer<typeof NewApiKey>;

export const CreatedApiKey = ApiKey.pick({
  id: true,
  name: true,
  key_prefix: true,
  scopes: true,
  expires_at: true,
})
  .extend({ key: z.string().describe('Shown only now') })
  .meta({ id: 'CreatedApiKey' });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

/** A key as the database keeps it: the digest of the secret, never the secret. */
export interface ApiKeyRow extends ApiKey {
  readonly user_id: number;
  readonly key_digest: string;
}

/** What a client may see, field by field, so that a new column never leaks by default. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  const { id, name, key_prefix, scopes, expires_at, last_used_at, created_at } = row;
  return { id, name, key_prefix, scopes, expires_at, last_used_at, created_at };
}
