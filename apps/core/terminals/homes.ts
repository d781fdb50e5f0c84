import type { ActivityRegistry } from '../activities/registry.ts';
import { Fault } from '../errors.ts';
import type { InstanceProofs } from '../instances/proofs.ts';
import { digest } from '../lib/bytes.ts';
import type { SessionHome } from '../ports/repositories/terminals.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { ActiveShares } from './active-shares.ts';
import type { LiveSession } from './live/live-session.ts';

/** A session of this process, or the address of the instance that runs it. */
export type Home =
  | { readonly kind: 'here'; readonly session: LiveSession }
  | { readonly kind: 'elsewhere'; readonly url: string; readonly run_id: string };

/** Finds the instance that runs a session. */
export interface SessionHomes {
  /** Throws `session_not_found`. */
  of(session_id: string): Promise<Home>;
  /** Throws `share_not_found`. */
  ofShare(token: string): Promise<Home>;
}

interface Deps {
  readonly activities: ActivityRegistry;
  readonly shares: Pick<ActiveShares, 'sessionOf'>;
  readonly repositories: Pick<Repositories, 'terminal_sessions'>;
  readonly proofs: Pick<InstanceProofs, 'holds'>;
  readonly run_id: string;
}

export function createSessionHomes({ activities, shares, repositories, proofs, run_id }: Deps): SessionHomes {
  async function elsewhere(home: SessionHome | undefined): Promise<Home | undefined> {
    if (!home || home.run_id === run_id) return undefined; // a session of this process would be in the registry
    if (!(await proofs.holds(home))) throw new Fault('instance_unreachable');
    return { kind: 'elsewhere', url: home.url, run_id: home.run_id };
  }

  return {
    async of(session_id) {
      const session = activities.session(session_id);
      if (session) return { kind: 'here', session };
      const home = await elsewhere(await repositories.terminal_sessions.home(session_id));
      if (!home) throw new Fault('session_not_found');
      return home;
    },

    async ofShare(token) {
      const session = shares.sessionOf(token);
      if (session) return { kind: 'here', session };
      const home = await elsewhere(await repositories.terminal_sessions.homeOfShare(await digest(token)));
      if (!home) throw new Fault('share_not_found');
      return home;
    },
  };
}
