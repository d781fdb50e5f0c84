import { Fault } from '../errors.ts';
import { type Caller, type Credential, isSameCredential } from '../model/accounts/caller.ts';
import type { ShareMode } from '../model/terminal.ts';
import { credentialOf } from './account.ts';

interface Owned {
  readonly owner: { readonly user_id: number; readonly credential: Credential };
}

/** In demo mode all visitors share one user, so ownership follows the sign-in; an embedded session has only its own. */
export function ownsSession(caller: Caller, { owner }: Owned, demo_mode: boolean): boolean {
  if (owner.user_id !== caller.user_id) return false;
  return (!demo_mode && !caller.bounds) || isSameCredential(owner.credential, credentialOf(caller));
}

export function assertSessionOwner(caller: Caller, session: Owned, demo_mode: boolean): void {
  if (!ownsSession(caller, session, demo_mode)) throw new Fault('not_session_owner');
}

/** How an owner uses a terminal. */
export function modeOf({ bounds }: Pick<Caller, 'bounds'>): ShareMode {
  return bounds?.mode ?? 'rw';
}
