import { createCredentialOwners } from '../activities/credential-owners.ts';
import type { Changes } from '../instances/changes.ts';
import type { Files } from '../ports/files.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { ownerOf, type TypedCredentials } from './typed-credentials.ts';

const EVERY_MS = 2000;
const CALM_MS = 15_000;

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
  return (changes: Pick<Changes, 'follow'>): (() => void) =>
    changes.follow({
      topics: ['rights'],
      every_ms: EVERY_MS,
      calm_ms: CALM_MS,
      look: () => {
        const looked = look();
        background.run('look after typed credentials', looked);
        return looked;
      },
    });
}
