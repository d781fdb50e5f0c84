import type { Callers } from '../accounts/callers.ts';
import type { RateLimits } from '../accounts/rate-limits.ts';
import type { ActivityRegistry } from '../activities/registry.ts';
import type { ActivityRights } from '../activities/rights.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Connections } from '../hosts/connections.ts';
import { createQuickPins, type QuickPins } from '../hosts/quick-host-keys.ts';
import type { Reach } from '../hosts/reach.ts';
import type { Changes } from '../instances/changes.ts';
import type { InstanceProofs } from '../instances/proofs.ts';
import { toJob } from '../lifecycle.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { ShellKeeper } from '../ports/keeper.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { Screens } from '../ports/screens.ts';
import type { Shells } from '../ports/ssh.ts';
import type { Recorder } from '../recordings/recorder.ts';
import { createActiveShares } from './active-shares.ts';
import { type Admissions, createAdmissions } from './admissions.ts';
import { createAdoptions } from './adoptions.ts';
import { createSessionHomes, type SessionHomes } from './homes.ts';
import { createSessionLedger } from './ledger.ts';
import type { LiveSession } from './live/live-session.ts';
import { createSeats, type Seats } from './live/seat.ts';
import { createLiveTerminals, type LiveTerminals } from './live-terminals.ts';
import { createTerminalOpenings } from './opening.ts';
import { createOrphans } from './orphans.ts';
import { createQuickConnects, type QuickConnects, type QuickOptions } from './quick-connects.ts';
import { createRunningSessions } from './running.ts';
import { createShares, type Shares } from './shares.ts';
import { createTerminals, type Terminals } from './terminals.ts';

export interface TerminalServices {
  readonly terminals: Terminals;
  readonly quick_connects: QuickConnects;
  readonly quick_pins: QuickPins;
  readonly admissions: Admissions;
  readonly seats: Seats;
  readonly session_homes: SessionHomes;
  readonly live_terminals: LiveTerminals;
  readonly shares: Shares;
}

export interface TerminalPorts {
  readonly repositories: Pick<
    Repositories,
    'servers' | 'terminal_sessions' | 'quick_host_keys' | 'audit' | 'instances'
  >;
  readonly shells: Shells;
  /** Keeps the shells when this process ends; undefined when they end with it. */
  readonly keeper?: ShellKeeper | undefined;
  readonly screens: Screens;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly background: Background;
}

export interface TerminalOptions extends QuickOptions {
  /** Host name. */
  readonly machine: string;
}

interface Deps {
  readonly activities: ActivityRegistry<LiveSession>;
  readonly rights: ActivityRights;
  readonly callers: Callers;
  readonly rate_limits: RateLimits;
  readonly reach: Reach;
  readonly connections: Connections;
  readonly recorder: Recorder;
  readonly settings: InForce<
    'max_sessions_per_user' | 'resume_seconds' | 'session_timeout' | 'quick_connect'
  > & { onChange(run: () => void): void };
  readonly trail: AuditTrail;
  readonly proofs: InstanceProofs;
  readonly changes: Changes;
  /** Identifies this process; two processes may have one instance id. */
  readonly run_id: string;
}

export function createTerminalsFeature(ports: TerminalPorts, deps: Deps, options: TerminalOptions) {
  const { repositories, shells, keeper, screens, meter, clock, background } = ports;
  const { activities, rights, callers, rate_limits, reach, connections } = deps;
  const { recorder, settings, trail, proofs, changes, run_id } = deps;
  const { demo_mode, machine } = options;
  const ledger = createSessionLedger({ repositories, activities, clock, background, run_id, settings });
  const active_shares = createActiveShares({ activities, clock });
  const running = createRunningSessions({
    activities,
    ledger,
    shares: active_shares,
    screens,
    trail,
    meter,
    background,
    clock,
    settings,
  });
  const openings = createTerminalOpenings({ activities, ledger, recorder, running, trail, clock });
  const shares = createShares({ active_shares, ledger, trail, background, clock, demo_mode });
  const takeOver = createAdoptions({ keeper, running, recorder, ledger, shares, rights, settings, clock });
  const quick_connects = createQuickConnects({
    repositories,
    shells,
    callers,
    rate_limits,
    openings,
    settings,
    clock,
    options,
  });
  settings.onChange(() => {
    for (const session of activities.sessions()) session.followLimits();
  });
  const services: TerminalServices = {
    terminals: createTerminals({ repositories, reach, connections, callers, shells, openings, clock }),
    quick_connects,
    quick_pins: createQuickPins({ repositories, trail }),
    admissions: createAdmissions({
      activities,
      active_shares,
      reach,
      quick_connects,
      trail,
      background,
      demo_mode,
    }),
    seats: createSeats(clock.after),
    session_homes: createSessionHomes({
      activities,
      shares: active_shares,
      repositories,
      proofs,
      background,
      run_id,
      machine,
    }),
    live_terminals: createLiveTerminals({ ledger, activities, trail, demo_mode }),
    shares,
  };
  const jobs = [toJob('terminal rights', () => rights.watch(changes, background))];
  return {
    services,
    ledger,
    jobs,
    takeOver,
    hasHandedOver: running.hasHandedOver,
    endOrphans: createOrphans({ repositories, trail, background, run_id }),
  };
}
