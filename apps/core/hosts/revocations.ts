import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { RevokedHostKey, RevokedHostKeyRow } from '../model/hosts/revoked-host-key.ts';
import { assertMay } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';

/** The host keys that are refused, for administrators. */
export interface Revocations {
  list(caller: Caller): Promise<RevokedHostKey[]>;
  /** Accepts the key again for these hosts. */
  remove(caller: Caller, id: number): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'revoked_host_keys'>;
  readonly trail: AuditTrail;
}

export function createRevocations({ repositories, trail }: Deps): Revocations {
  const { revoked_host_keys: keys } = repositories;
  return {
    async list(caller) {
      assertMay(caller, 'read_administration');
      return (await keys.list()).map(toRevokedHostKey);
    },

    async remove(caller, id) {
      assertMay(caller, 'administer_confirmed');
      const removed = await keys.remove(id);
      if (!removed) throw new Fault('revoked_host_key_not_found');
      await trail.record(caller, 'host_key_revoke_undo', `#${id}: ${removed.fingerprint}`);
    },
  };
}

function toRevokedHostKey({ id, names, fingerprint, created_at }: RevokedHostKeyRow): RevokedHostKey {
  return { id, names, fingerprint, created_at };
}
