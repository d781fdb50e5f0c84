import type { ServerInput, ServerPatch, ServerRow } from '../model/hosts/server.ts';
import type { NewServerRow, ServerRowPatch } from '../ports/repositories/hosts.ts';
import type { KeyAsker, PrivateKeys } from '../ports/ssh.ts';
import type { Credentials } from './credentials.ts';

/** Turns input into stored rows: checks keys, seals credentials, drops stale pins. */
export interface ServerChanges {
  newRow(
    input: ServerInput,
    row: { readonly id: number; readonly at: string },
    asker: KeyAsker,
  ): Promise<NewServerRow>;
  patch(before: ServerRow, patch: ServerPatch, asker: KeyAsker): Promise<ServerRowPatch>;
}

interface Deps {
  readonly credentials: Credentials;
  readonly private_keys: PrivateKeys;
}

const NOT_CONNECTED = { key_exchange: null, server_version: null };
const UNPINNED = { host_key: null, host_key_fingerprint: '', announced_host_keys: [], ...NOT_CONNECTED };

export function createServerChanges({ credentials, private_keys }: Deps): ServerChanges {
  /** A new passphrase must open the stored key. */
  async function assertOpens(server: ServerRow, passphrase: string, asker: KeyAsker): Promise<void> {
    if (server.private_key_sealed === null) return;
    const auth = await credentials.open({ ...server, auth_method: 'key', passphrase_sealed: null });
    if (auth.method === 'key') await private_keys.assertReadable(auth.private_key, passphrase, asker);
  }

  return {
    async newRow(input, { id, at }, asker) {
      const { password, private_key, passphrase, ...fields } = input;
      if (private_key !== '') await private_keys.assertReadable(private_key, passphrase, asker);
      const sealed = await credentials.seal(id, { password, private_key, passphrase });
      return {
        id,
        ...fields,
        jump_via_id: fields.jump_via_id || null,
        password_sealed: sealed.password_sealed ?? null,
        private_key_sealed: sealed.private_key_sealed ?? null,
        passphrase_sealed: sealed.passphrase_sealed ?? null,
        host_key: null,
        host_key_fingerprint: '',
        announced_host_keys: [],
        ...NOT_CONNECTED,
        last_connected_at: null,
        created_at: at,
        updated_at: at,
      };
    },

    async patch(before, patch, asker) {
      const { password, private_key, passphrase, jump_via_id, ...fields } = patch;
      if (private_key) await private_keys.assertReadable(private_key, passphrase ?? '', asker);
      else if (passphrase !== undefined && private_key === undefined)
        await assertOpens(before, passphrase, asker);
      return {
        ...fields,
        ...(await credentials.seal(before.id, { password, private_key, passphrase })),
        ...(jump_via_id === undefined ? {} : { jump_via_id: jump_via_id || null }),
        ...(isMoved(before, patch) ? UNPINNED : {}),
      };
    },
  };
}

/** A pin belongs to an address; at another address it would vouch for the wrong host. */
function isMoved(
  before: ServerRow,
  { hostname = before.hostname, port = before.port }: ServerPatch,
): boolean {
  return hostname !== before.hostname || port !== before.port;
}

const ABOUT_THE_WAY = [
  'hostname',
  'port',
  'username',
  'auth_method',
  'password_sealed',
  'private_key_sealed',
  'passphrase_sealed',
  'jump_via_id',
  'algorithms',
] as const satisfies readonly (keyof ServerRow)[];

/** The stored status no longer describes the server. */
export function isReachedDifferently(before: ServerRow, after: ServerRow): boolean {
  return ABOUT_THE_WAY.some((field) => before[field] !== after[field]);
}
