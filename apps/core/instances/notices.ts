import type { Job } from '../lifecycle.ts';
import { type Listening, type Notices, TOPICS, type Topic } from '../ports/notices.ts';
import type { Log } from '../ports/runtime.ts';
import type { Changes } from './changes.ts';

interface Deps {
  readonly notices: Notices;
  readonly changes: Pick<Changes, 'heard' | 'hearing'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

/** Listens to the database for changes by other instances. */
export function createNoticesJob({ notices, changes, log }: Deps): Job {
  let listening: Listening | undefined;
  let told: 'lost' | 'unsupported' | undefined;

  function ended(why: 'lost' | 'unsupported'): void {
    changes.hearing(false);
    if (told === why) return;
    told = why;
    log.warn({}, WARNINGS[why]);
  }

  return {
    name: 'change notices',
    start() {
      listening = notices.listen({
        hear(text) {
          if (isTopic(text)) changes.heard(text);
        },
        began() {
          if (told !== undefined) log.info({}, 'Changes by other instances are heard of at once again');
          told = undefined;
          changes.hearing(true);
        },
        ended,
      });
    },
    stop: () => listening?.stop(),
  };
}

const WARNINGS = {
  lost: 'The connection for changes by other instances was lost: they are looked for every second until it is back',
  unsupported:
    'The database passes no notifications on, as behind a connection pooler in transaction mode: changes by other instances are looked for every second',
} as const;

function isTopic(text: string): text is Topic {
  return TOPICS.some((topic) => topic === text);
}
