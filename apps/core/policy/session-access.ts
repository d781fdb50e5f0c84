import { Fault } from '../errors.ts';
import { type Caller, type Credential, isSameCredential } from '../model/caller.ts';
import { credentialOf } from './account.ts';

interface Owned {
  readonly owner: { readonly user_id: number; readonly credential: Credential };
}

/** In demo mode all visitors share one user, so ownership follows the sign-in. */
export function ownsSession(caller: Caller, { owner }: Owned, demo_mode: boolean): boolean {
  if (owner.user_id !== caller.user_id) return false;
  return !demo_mode || isSameCredential(owner.credential, credentialOf(caller));
}

export function assertSessionOwner(caller: Caller, session: Owned, demo_mode: boolean): void {
  if (!ownsSession(caller, session, demo_mode)) throw new Fault('not_session_owner');
}
