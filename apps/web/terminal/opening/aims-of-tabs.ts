import type { Ending } from '#client/terminal/ending.ts';
import type { TerminalTarget } from '#client/terminal/target.ts';
import { takeSecrets } from '../../quick-connect/secrets.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';

/** The target of a tab when it first opens or after a reload, which leaves a session to the device that has it by then. */
export function firstAim(tab: Tab): TerminalTarget {
  const { restored, session_id, aim } = tab;
  if (restored && session_id !== undefined) return { kind: 'session', session_id, take_over: false };
  return aim?.kind === 'session' ? { ...aim, take_over: !restored } : freshAim(tab);
}

/** The target for a new shell after the previous one ended. */
export function freshAim({ id, aim, server_id }: Tab): TerminalTarget {
  if (aim?.kind === 'quick') return { ...aim, secrets: () => takeSecrets(id) };
  if (aim && (aim.kind !== 'session' || server_id === 0)) return aim;
  return { kind: 'server', server_id };
}

/** A tab from before a reload whose session is gone. */
export function isIdle({ restored, session_id, aim }: Tab): boolean {
  return restored && session_id === undefined && (aim === undefined || aim.kind === 'quick');
}

/** Whether the tab joined another user's session. */
export function isGuest({ aim }: Tab): boolean {
  return aim?.kind === 'join' || aim?.kind === 'watch';
}

/** False for sessions of other users and on unregistered hosts, which end for good. */
export function canOpenAgain({ aim, server_id }: Pick<Tab, 'aim' | 'server_id'>, { kind }: Ending): boolean {
  if (!aim || aim.kind === 'quick' || (aim.kind === 'session' && server_id > 0)) return true;
  return !FOR_GOOD.has(kind);
}

const FOR_GOOD: ReadonlySet<Ending['kind']> = new Set([
  'exit',
  'lost',
  'unknown',
  'share_ended',
  'ended_by_other',
  'idle_timeout',
]);
