import type { ActivityRights } from '../activities/rights.ts';
import type { Actor } from '../audit/trail.ts';
import { isDatabaseDown } from '../errors.ts';
import { pause } from '../lib/time/deadline.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { AdoptedShell, ShellKeeper } from '../ports/keeper.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Recorder } from '../recordings/recorder.ts';
import { KeptTerminal } from './kept-terminal.ts';
import type { SessionLedger } from './ledger.ts';
import type { Recorded, RunningSessions } from './running.ts';
import type { Shares } from './shares.ts';

const RETRY_MS = 1000;
const NOTHING_WRITTEN = { offset: 0, size_bytes: 0 };

interface Deps {
  /** Undefined when shells end with this process. */
  readonly keeper: ShellKeeper | undefined;
  readonly running: Pick<RunningSessions, 'listen' | 'run'>;
  readonly recorder: Pick<Recorder, 'resume'>;
  readonly ledger: Pick<SessionLedger, 'adopt'>;
  readonly shares: Pick<Shares, 'restore'>;
  readonly rights: Pick<ActivityRights, 'recheck'>;
  readonly settings: InForce<'resume_seconds'>;
  readonly clock: Clock;
}

/** Continues the terminals of an earlier process, at its start and whenever another gateway lets go of some. */
export function createAdoptions({
  keeper,
  running,
  recorder,
  ledger,
  shares,
  rights,
  settings,
  clock,
}: Deps): () => Promise<void> {
  async function recordOn(
    about: KeptTerminal,
    { shell, output, recorded: position }: AdoptedShell,
  ): Promise<Recorded> {
    const recorded: Recorded = { session: undefined, sink: undefined };
    const { recording_id } = about;
    if (recording_id === null) return recorded;
    const actor = actorOf(about);
    recorded.sink = await recorder.resume(
      { recording_id, actor, output, position: position ?? NOTHING_WRITTEN },
      running.listen(recorded, shell),
    );
    return recorded;
  }

  /** Retries while the database is away, for as long as a shell may be without a gateway. */
  async function insist<T>({ unheld_ms }: AdoptedShell, work: () => Promise<T>): Promise<T> {
    const until_ms = clock.elapsed_ms() - unheld_ms + settings.values.resume_seconds * 1000;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isDatabaseDown(error) || clock.elapsed_ms() >= until_ms) throw error;
      }
      await pause(clock.after, RETRY_MS);
    }
  }

  async function adopt(kept: AdoptedShell): Promise<void> {
    const about = KeptTerminal.parse(JSON.parse(kept.about));
    const { session_id: id, owner, server, label, started_at, away_since } = about;
    const { cols, rows } = kept.output.sizes.at(-1) ?? { cols: 80, rows: 24 };
    const away_ms = away_since === null ? kept.unheld_ms : elapsed(away_since, clock.now());
    const session = running.run({
      info: { id, owner, server },
      label,
      actor: actorOf(about),
      shell: kept.shell,
      connection: about.connection,
      size: { cols, rows },
      recorded: await insist(kept, () => recordOn(about, kept)),
      past: { started_at: new Date(started_at), output: kept.output, away_ms },
    });
    const { share } = about;
    if (share) await shares.restore(session, share, actorOf(about));
    await insist(kept, async () => {
      await ledger.adopt(session);
      await rights.recheck((activity) => activity === session); // much may have changed while no gateway ran
    });
  }

  return async () => keeper?.adoptAll(adopt);
}

function actorOf({ owner, ip_address, via }: KeptTerminal): Actor {
  return { user_id: owner.user_id, username: owner.username, ip_address, via };
}

/** Milliseconds; 0 if the clock was set back, which must not give anybody more time. */
function elapsed(since: string, now: Date): number {
  return Math.max(0, now.getTime() - Date.parse(since));
}
