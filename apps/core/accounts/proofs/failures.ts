import type { AuditTrail } from '../../audit/trail.ts';
import type { GatewayEvent } from '../../model/webhooks/event.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { DirectoryCode } from '../directory-passwords.ts';
import type { Origin } from '../web-sessions.ts';

/** Records sign-ins and step-ups that failed. */
export interface Failures {
  wrong(username: string, origin: Origin, why: string, event?: GatewayEvent): Promise<void>;
  /** Nothing says that the proof is wrong. */
  undecided(username: string, origin: Origin, code: DirectoryCode, why: string): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly trail: AuditTrail;
  readonly meter: Pick<Meter, 'add'>;
}

export function createFailures({ repositories, trail, meter }: Deps): Failures {
  async function actorOf(username: string, { ip_address, via }: Origin) {
    const user = await repositories.users.byName(username);
    return { user_id: user?.id ?? null, username: user?.username ?? username, ip_address, via };
  }

  return {
    async wrong(username, origin, why, event) {
      meter.add('failed_logins');
      await trail.record(await actorOf(username, origin), 'login_failed', why, { event });
    },

    async undecided(username, origin, code, why) {
      const action = code === 'directory_unavailable' ? code : 'login_failed';
      await trail.record(await actorOf(username, origin), action, why);
    },
  };
}
