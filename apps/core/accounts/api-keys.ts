import type { ActivityRegistry } from '../activities/registry.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault, invalidField } from '../errors.ts';
import { digest, randomToken } from '../lib/bytes/bytes.ts';
import { MAX_API_KEYS } from '../limits.ts';
import {
  ALL_SCOPES,
  type ApiKey,
  type CreatedApiKey,
  type NewApiKey,
  type Scope,
  toApiKey,
} from '../model/accounts/api-key.ts';
import { type Caller, isSameCredential } from '../model/accounts/caller.ts';
import { assertMay } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

/** Begins every API key, and no session token. */
export const API_KEY_PREFIX = 'sp_';

const SECRET_BYTES = 32; // 43 characters of base64url
const SHOWN_LENGTH = API_KEY_PREFIX.length + 8; // the other 35 characters stay unguessable

/** The caller's own API keys. */
export interface ApiKeys {
  list(caller: Caller): Promise<ApiKey[]>;
  create(caller: Caller, input: NewApiKey): Promise<CreatedApiKey>;
  revoke(caller: Caller, id: number): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'api_keys'>;
  readonly activities: ActivityRegistry;
  readonly trail: AuditTrail;
  readonly clock: Clock;
}

export function createApiKeys({ repositories, activities, trail, clock }: Deps): ApiKeys {
  const { api_keys } = repositories;

  function assertFuture(expires_at: string | null): void {
    if (expires_at === null || Date.parse(expires_at) > clock.now().getTime()) return;
    const message = 'Must be in the future';
    throw invalidField('expires_at', message, `expires_at: ${message}`);
  }

  return {
    async list(caller) {
      assertMay(caller, 'read_own_sign_ins');
      return (await api_keys.ofUser(caller.user_id)).map(toApiKey);
    },

    async create(caller, { name, expires_at = null, scopes }) {
      assertMay(caller, 'change_own_sign_in');
      assertFuture(expires_at);
      const key = newApiKey();
      const row = await api_keys.insert(
        {
          user_id: caller.user_id,
          name,
          key_prefix: prefixOfKey(key),
          key_digest: await digest(key),
          scopes: scopesFor(scopes),
          expires_at,
          last_used_at: null,
          created_at: clock.now().toISOString(),
        },
        MAX_API_KEYS,
      );
      await trail.record(caller, 'api_key_create', `${name} (${row.key_prefix}…)`);
      return {
        id: row.id,
        name,
        key,
        key_prefix: row.key_prefix,
        scopes: row.scopes,
        expires_at: row.expires_at,
      };
    },

    async revoke(caller, id) {
      assertMay(caller, 'change_own_sign_in');
      const key = await api_keys.remove(caller.user_id, id);
      if (!key) throw new Fault('api_key_not_found');
      const credential = { kind: 'api_key', id } as const;
      activities.endWhere(({ owner }) => isSameCredential(owner.credential, credential), 'API key revoked');
      await trail.record(caller, 'api_key_revoke', `${key.name} (${key.key_prefix}…)`);
    },
  };
}

/** Every scope for everybody: the owner's rights at each call limit a key too, and may grow. */
function scopesFor(asked: readonly Scope[] = ALL_SCOPES): Scope[] {
  return ALL_SCOPES.filter((scope) => asked.includes(scope));
}

function newApiKey(): string {
  return API_KEY_PREFIX + randomToken(SECRET_BYTES);
}

export function isApiKey(text: string): boolean {
  return /^sp_[A-Za-z0-9_-]{43}$/.test(text);
}

/** What may be shown and stored of a key. */
export function prefixOfKey(key: string): string {
  return key.slice(0, SHOWN_LENGTH);
}
