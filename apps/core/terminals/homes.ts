import type { ActivityRegistry } from '../activities/registry.ts';
import { Fault } from '../errors.ts';
import { isReachable } from '../instances/judgement.ts';
import type { InstanceProofs } from '../instances/proofs.ts';
import { digest } from '../lib/bytes/bytes.ts';
import type { SessionHome } from '../ports/repositories/terminals.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background } from '../ports/runtime.ts';
import type { ActiveShares } from './active-shares.ts';
import type { LiveSession } from './live/live-session.ts';

/** The address of the instance that runs a session. */
export type Elsewhere = { readonly kind: 'elsewhere' } & Pick<
  SessionHome,
  'url' | 'machine' | 'run_id' | 'is_kept'
>;

export type Home = { readonly kind: 'here'; readonly session: LiveSession } | Elsewhere;

/** Finds the instance that runs a session. */
export interface SessionHomes {
  /** Throws `session_not_found`. */
  of(session_id: string): Promise<Home>;
  /** Throws `share_not_found`. */
  ofShare(token: string): Promise<Home>;
  /** Called when nobody listens at the address; returns the refusal for the caller. */
  refused(home: Omit<Elsewhere, 'kind'>): Fault;
}

interface Deps {
  readonly activities: ActivityRegistry<LiveSession>;
  readonly shares: Pick<ActiveShares, 'sessionOf'>;
  readonly repositories: Pick<Repositories, 'terminal_sessions' | 'instances'>;
  readonly proofs: Pick<InstanceProofs, 'holds'>;
  readonly background: Background;
  readonly run_id: string;
  /** Host name of this instance. */
  readonly machine: string;
}

export function createSessionHomes(deps: Deps): SessionHomes {
  const { activities, shares, repositories, proofs, background, run_id, machine } = deps;

  async function elsewhere(home: SessionHome | 'kept' | undefined): Promise<Home | undefined> {
    if (home === 'kept') throw new Fault('instance_unreachable');
    if (!home || home.run_id === run_id) return undefined; // a session of this process would be in the registry
    if (!(await proofs.holds(home))) throw new Fault('instance_unreachable');
    const { url, machine, is_kept } = home;
    return { kind: 'elsewhere', url, machine, run_id: home.run_id, is_kept };
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

    refused(home) {
      if (!isReachable(home, machine)) return new Fault('instance_unreachable');
      background.run('note that an instance has ended', repositories.instances.doubt(home.run_id));
      return new Fault(home.is_kept ? 'instance_unreachable' : 'session_not_found');
    },
  };
}
