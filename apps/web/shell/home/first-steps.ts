import type { GatewayClient } from '#client/client.ts';
import { take } from '#client/client.ts';
import type { TextKey } from '../../i18n/languages.ts';
import type { Place } from '../../lib/storage.ts';

/** What a gateway needs before other people use it, in the order in which it is best done. */
export const FIRST_STEPS = [
  { id: 'server', label: 'first_steps_server', path: '/admin/servers' },
  { id: 'second_factor', label: 'first_steps_second_factor', path: '/account/two-factor' },
  { id: 'backup', label: 'first_steps_backup', path: '/admin/backup' },
  { id: 'user', label: 'first_steps_user', path: '/admin/users?new=1' },
  { id: 'recording', label: 'first_steps_recording', path: '/admin/settings?key=record_sessions' },
  { id: 'address', label: 'first_steps_address', path: undefined },
] as const satisfies readonly { id: string; label: TextKey; path: string | undefined }[];

type StepId = (typeof FIRST_STEPS)[number]['id'];
export type StepsDone = Readonly<Record<StepId, boolean>>;

interface Known {
  readonly has_second_factor: boolean;
  readonly servers: readonly { readonly record_sessions?: boolean | null }[];
  readonly address: Pick<Location, 'hostname' | 'protocol'>;
}

/** Asks the gateway what is done. */
export async function stepsDone(client: GatewayClient, known: Known): Promise<StepsDone> {
  const [users, backups, { settings }] = await Promise.all([
    take(client.http.GET('/api/auth/users', { params: { query: { limit: 2 } } })),
    take(client.http.GET('/api/auth/audit', { params: { query: { action: 'backup_export', limit: 1 } } })),
    take(client.http.GET('/api/settings')),
  ]);
  const records = settings.some(({ key, value }) => key === 'record_sessions' && value === true);
  return {
    server: known.servers.length > 0,
    second_factor: known.has_second_factor,
    backup: backups.length > 0,
    user: users.length > 1,
    recording: records || known.servers.some(({ record_sessions }) => record_sessions === true),
    address: isForOthers(known.address),
  };
}

/** Whether other people reach the page under this address, and the browser protects what they type. */
export function isForOthers({ hostname, protocol }: Known['address']): boolean {
  const is_here = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) || hostname.endsWith('.localhost');
  return protocol === 'https:' && !is_here;
}

export function isDismissed(place: Place): boolean {
  return place.read() === true;
}
