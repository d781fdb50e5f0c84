import { queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';

export type ApiKey = Schemas['ApiKey'];
export type CreatedApiKey = Schemas['CreatedApiKey'];
export type Scope = Schemas['Scope'];
export type TotpSetup = Schemas['TotpSetup'];
export type WebSession = Schemas['WebSession'];

export const SCOPES = ['read', 'files', 'terminal', 'admin'] as const satisfies readonly Scope[];
export const FEW_CODES = 2;
const MAX_PAGE = 500;

export function totpQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['totp'],
    queryFn: () => take(client.http.GET('/api/auth/totp')),
  });
}

export function apiKeysQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['api_keys'],
    queryFn: () => take(client.http.GET('/api/auth/api-keys')),
    reconcile: 'id',
  });
}

export async function revokeKey(client: GatewayClient, { id }: ApiKey): Promise<void> {
  await client.http.DELETE('/api/auth/api-keys/{key_id}', { params: { path: { key_id: id } } });
}

export function sessionsQuery(client: GatewayClient) {
  const params = { query: { limit: MAX_PAGE } };
  return queryOptions({
    queryKey: ['sessions'],
    queryFn: () => take(client.http.GET('/api/auth/sessions', { params })),
    reconcile: 'id',
  });
}

export async function endWebSession(client: GatewayClient, { id }: WebSession): Promise<void> {
  await client.http.DELETE('/api/auth/sessions/{session_id}', { params: { path: { session_id: id } } });
}

export function isExpired(key: Pick<ApiKey, 'expires_at'>, now: Date): boolean {
  return key.expires_at !== null && new Date(key.expires_at) <= now;
}

/** The content of the downloaded file: a title that identifies it, then one code a line. */
export function recoveryFile(title: string, codes: readonly string[]): string {
  return `${[title, '', ...codes].join('\n')}\n`;
}
