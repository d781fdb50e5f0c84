import { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes/bytes.ts';
import type { Caller } from '../model/accounts/caller.ts';
import { credentialOf } from '../policy/account.ts';
import type { ActivityInfo, ActivityServer } from './activity.ts';
import type { ActivityRegistry } from './registry.ts';

export interface HeldRight {
  /** Aborts when the caller loses the right or goes away. */
  readonly signal: AbortSignal;
  release(): void;
}

interface Use {
  /** Adds the activity to the registry, as what it is. */
  readonly add: (info: ActivityInfo, end: (fault: Fault) => void) => void;
  /** Turns the reason of the registry into that of the abort. */
  readonly reasonOf: (fault: Fault) => Fault;
  readonly server?: ActivityServer;
  readonly id?: string;
  /** Aborts when the client has gone away. */
  readonly gone?: AbortSignal | undefined;
}

const NO_SERVER: ActivityServer = { id: null, name: '' };

/** Registers what the caller does, so that a loss of rights aborts it. */
export function holdRight(
  activities: Pick<ActivityRegistry, 'remove'>,
  caller: Caller,
  { add, reasonOf, server = NO_SERVER, id = randomToken(16), gone }: Use,
): HeldRight {
  const lost = new AbortController();
  const { user_id, username } = caller;
  const owner = { user_id, username, credential: credentialOf(caller) };
  add({ id, owner, server }, (fault) => lost.abort(reasonOf(fault)));
  const leave = () => lost.abort(new Fault('client_left'));
  if (gone?.aborted) leave();
  gone?.addEventListener('abort', leave, { once: true });
  return {
    signal: lost.signal,
    release() {
      gone?.removeEventListener('abort', leave);
      activities.remove(id);
    },
  };
}
