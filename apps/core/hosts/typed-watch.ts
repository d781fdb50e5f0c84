import { createCredentialOwners } from '../accounts/credential-owners.ts';
import type { After } from '../lib/timers.ts';
import { every } from '../lib/timers.ts';
import type { Files } from '../ports/files.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { ownerOf, type TypedCredentials } from './typed-credentials.ts';

const ROUND_MS = 2000;

interface Deps {
  readonly repositories: Pick<Repositories, 'web_sessions' | 'api_keys'>;
  readonly typed: TypedCredentials;
  readonly files: Pick<Files, 'dropOwner'>;
  readonly clock: Clock;
  readonly background: Background;
}

/** Forgets typed credentials and closes their connections when the sign-in or key has ended. */
export function createTypedWatch({ repositories, typed, files, clock, background }: Deps) {
  const credentialOwnersOf = createCredentialOwners({ repositories, clock });

  async function look(): Promise<void> {
    const owners = typed.owners();
    if (owners.length === 0) return;
    const credential_owners = await credentialOwnersOf(owners);
    for (const owner of owners.filter((one) => !credential_owners.ownerOf(one))) {
      typed.forgetOwner(owner);
      files.dropOwner(ownerOf(owner));
    }
  }

  /** The returned function stops it. */
  return (after: After): (() => void) =>
    every(after, ROUND_MS, () => background.run('look after typed credentials', look()));
}
