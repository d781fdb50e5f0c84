import { z } from 'zod';
import { Id, Instant, line } from '../fields.ts';

/** What an API key may be used for; each route names the scope it needs. */
export const Scope = z.enum(['read', 'files', 'terminal', 'admin']).meta({
  id: 'Scope',
  description:
    '`read`: GET requests outside `/api/files`, lists of terminals included; `files`: all of `/api/files`, changes included; ' +
    '`terminal`: sockets, sharing, ending sessions, connection tests; `admin`: administration',
});
export type Scope = z.infer<typeof Scope>;

export const ALL_SCOPES: readonly Scope[] = Scope.options;

export const ApiKey = z
  .object({
    id: Id,
    name: z.string(),
    key_prefix: z.string().describe('First characters of the key, to tell keys apart'),
    scopes: z.array(Scope),
    expires_at: Instant.nullable(),
    last_used_at: Instant.nullable().describe('Updated at most once a minute'),
    created_at: Instant,
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const NewApiKey = z
  .strictObject({
    name: line(1, 100),
    expires_at: Instant.nullish().describe('Absent or null: valid until revoked'),
    scopes: z
      .array(Scope)
      .min(1)
      .max(20)
      .optional()
      .describe('Absent: all; the owner’s rights limit a key as well'),
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
  .extend({ key: z.string().describe('Shown only once') })
  .meta({ id: 'CreatedApiKey' });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

/** An API key as stored: its digest, never the key. */
export interface ApiKeyRow extends ApiKey {
  readonly user_id: number;
  readonly key_digest: string;
}

/** Picks every field by name, so that a new column never leaks. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  const { id, name, key_prefix, scopes, expires_at, last_used_at, created_at } = row;
  return { id, name, key_prefix, scopes, expires_at, last_used_at, created_at };
}
