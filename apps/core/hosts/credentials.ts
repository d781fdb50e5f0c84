import type { Vault } from '../crypto/vault.ts';
import { Fault } from '../errors.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { SshAuth, StoredKey } from '../ports/ssh.ts';

export interface Secrets {
  readonly password?: string | undefined;
  readonly private_key?: string | undefined;
  readonly passphrase?: string | undefined;
}

export type SealedSecrets = {
  readonly [K in 'password_sealed' | 'private_key_sealed' | 'passphrase_sealed']?: string | null | undefined;
};

/** The only place that encrypts and decrypts server credentials. */
export interface Credentials {
  /** An absent field stays unchanged; an empty string clears it. */
  seal(server_id: number, secrets: Secrets): Promise<SealedSecrets>;
  /** Decrypts nothing for a server that prompts. */
  open(server: ServerRow): Promise<SshAuth>;
}

export function createCredentials(vault: Vault): Credentials {
  const placeOf = (field: string) => `servers.${field}`;

  const sealing = (id: number) => async (field: string, secret: string | undefined) => {
    if (secret === undefined) return undefined;
    return secret === '' ? null : vault.seal(secret, placeOf(field), id);
  };

  async function openOne(server: ServerRow, field: string, sealed: string | null): Promise<string> {
    if (sealed === null) return '';
    try {
      return await vault.open(sealed, placeOf(field), server.id);
    } catch (cause) {
      throw new Fault(
        'credential_unreadable',
        `The stored ${field} of ${server.name} cannot be decrypted: enter it again, or start with the secret key that sealed it`,
        { cause, stage: 'auth', hop: server.name },
      );
    }
  }

  async function openKey(server: ServerRow): Promise<StoredKey> {
    return {
      private_key: await openOne(server, 'private_key', server.private_key_sealed),
      passphrase: await openOne(server, 'passphrase', server.passphrase_sealed),
    };
  }

  return {
    async seal(server_id, { password, private_key, passphrase }) {
      const sealOne = sealing(server_id);
      return {
        password_sealed: await sealOne('password', password),
        private_key_sealed: await sealOne('private_key', private_key),
        passphrase_sealed: await sealOne('passphrase', passphrase),
      };
    },

    async open(server) {
      if (server.auth_method === 'prompt') return { method: 'prompt' };
      if (server.auth_method === 'password') {
        const password = await openOne(server, 'password', server.password_sealed);
        const key = server.private_key_sealed === null ? undefined : await spare(openKey(server));
        return { method: 'password', password, ...(key && { key }) };
      }
      const key = await openKey(server);
      const password = await spare(openOne(server, 'password', server.password_sealed));
      return { method: 'key', ...key, ...(password && { password }) };
    },
  };
}

/** What the declared method does not need is left out when it cannot be decrypted. */
async function spare<T>(opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch {
    return undefined;
  }
}
