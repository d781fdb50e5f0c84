import type { ServerInput, ServerRow } from '../../model/hosts/server.ts';
import type { ImportedServer } from '../../model/hosts/server-transfer.ts';
import type { PlannedServer } from './planned-server.ts';

const MOST_NAMES = 10;

/** Warnings for the administrator after an import. */
export function warningsAbout(
  planned: readonly PlannedServer[],
  registry: readonly Pick<ServerRow, 'name'>[],
): string[] {
  const known = new Set(registry.map(({ name }) => name));
  const again = planned.filter(({ input }) => known.has(input.name));
  const bare = planned.filter(({ input }) => lacksCredential(input));
  return [
    ...(again.length > 0 ? [`There are servers of these names already: ${namesOf(again)}`] : []),
    ...(bare.length > 0 ? [`No credential is stored for: ${namesOf(bare)}`] : []),
  ];
}

/** Exported servers may have had a pinned key; it is not imported. */
export function warningsAboutKeys(servers: readonly ImportedServer[]): string[] {
  if (!servers.some(({ host_key_fingerprint }) => host_key_fingerprint)) return [];
  return ['Host keys do not travel with an export: the first contact with each server pins what it presents'];
}

function lacksCredential({ auth_method, password, private_key }: ServerInput): boolean {
  return (auth_method === 'password' && password === '') || (auth_method === 'key' && private_key === '');
}

function namesOf(planned: readonly PlannedServer[]): string {
  const names = planned.slice(0, MOST_NAMES).map(({ input }) => input.name);
  const more = planned.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
