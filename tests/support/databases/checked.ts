import type { ServerRow } from '#core/model/hosts/server.ts';
import type { CheckedServer } from '#core/ports/repositories/hosts.ts';

/** What a check of this row would have seen. */
export function checkedOf(
  row: ServerRow | undefined,
  nothing_behind?: CheckedServer['nothing_behind'],
): CheckedServer {
  if (!row) throw new Error('There is no such server');
  const { hostname, port, jump_via_id, password_sealed, private_key_sealed, passphrase_sealed } = row;
  const secrets = { password_sealed, private_key_sealed, passphrase_sealed };
  return { hostname, port, jump_via_id, ...secrets, nothing_behind };
}
