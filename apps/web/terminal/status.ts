import type { Ending, LinkError } from '#client/terminal/ending.ts';
import type { TextKey, Translate } from '../i18n/languages.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import type { PaneStatus } from '../workspace/workspace.ts';
import { canOpenAgain } from './opening/aims-of-tabs.ts';
import type { TerminalState } from './shell-link.ts';

/** A terminal's state as a short text for the status line. */
export function statusOf(state: TerminalState, is_asked: boolean, is_silent = false): PaneStatus {
  if (is_asked) return { text: 'state_asked', tone: 'busy' };
  switch (state.kind) {
    case 'idle':
      return { text: 'state_idle', tone: 'idle' };
    case 'connecting':
      return { text: 'state_connecting', tone: 'busy' };
    case 'open':
      return is_silent ? { text: 'state_silent', tone: 'bad' } : { text: 'state_connected', tone: 'good' };
    case 'reconnecting':
      return { text: 'state_reconnecting', tone: 'busy' };
    case 'over':
      return overStatus(state.ending);
  }
}

function overStatus({ kind }: Ending): PaneStatus {
  if (kind === 'taken_over') return { text: 'state_elsewhere', tone: 'idle' };
  if (WITH_GATEWAY.has(kind)) return { text: 'state_failed', tone: 'bad', is_gone: true };
  return isCalm(kind) ? { text: 'state_ended', tone: 'idle' } : { text: 'state_failed', tone: 'bad' };
}

const WITH_GATEWAY: ReadonlySet<Ending['kind']> = new Set(['shutting_down', 'unknown']);

/** Whether it ended on purpose. */
export function isCalm(kind: Ending['kind']): boolean {
  return kind === 'exit' || kind === 'given_up' || kind === 'share_ended' || kind === 'taken_over';
}

export interface EndingText {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
}

type EndedTab = Pick<Tab, 'server_name' | 'server_id' | 'aim'> & { readonly is_admin?: boolean };

/** Why the terminal of a tab ended, as title and hint. */
export function describeEnding(ending: Ending, tab: EndedTab, t: Translate): EndingText {
  switch (ending.kind) {
    case 'exit':
      return { title: exitText(ending, t) };
    case 'given_up':
      return { title: t('ended_given_up') };
    case 'lost':
      return { title: t('ended_lost'), hint: lostHint(canOpenAgain(tab, ending), t) };
    case 'unreachable':
      return { title: t('ended_unreachable'), hint: t('hint_network') };
    default:
      return describeFailure(ending, tab, t);
  }
}

type Failed = Extract<Ending, { readonly error: LinkError }>;

function describeFailure(ending: Failed, tab: EndedTab, t: Translate): EndingText {
  const { code, message, stage, hop } = ending.error;
  // The host had already answered as an SSH server: the gateway has ended a running terminal.
  if (code === 'ssh_protocol' && !stage) return { title: t('ended_by_gateway'), detail: message };
  const where = stage ? t('at_stage', { stage: t(`stage_${stage}`) }) : '';
  const at = hop && hop !== tab.server_name ? t('at_hop', { hop }) : '';
  const reason = t.refusal(code, message);
  const hint = hintFor(code, tab, ending, t);
  const detail = [where, at, ...(isInTitle(code) ? [] : [reason.text, reason.specifics])]
    .filter((part) => part)
    .join(' · ');
  return {
    title: t(UNKNOWN_TITLES[code] ?? TITLES[ending.kind]),
    detail: hint ? asSentence(detail) : detail,
    hint,
  };
}

/** Administrators are told what they can do themselves. */
function hintFor(code: string, tab: EndedTab, ending: Ending, t: Translate): string | undefined {
  if (code === 'session_not_found') return t('ended_no_session_hint');
  if (code === 'shutting_down') return canOpenAgain(tab, ending) ? t('hint_shutting_down') : undefined;
  const own = tab.is_admin ? t.optional(`hint_${code}_admin`) : undefined;
  return own ?? t.optional(`hint_${code}`);
}

/** Another sentence follows it. */
function asSentence(text: string): string {
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}

function lostHint(is_repeatable: boolean, t: Translate): string {
  return [t('ended_lost_hint'), ...(is_repeatable ? [t('ended_lost_again')] : [])].join(' ');
}

/** The error's own text would repeat the title. */
function isInTitle(code: string): boolean {
  return IN_TITLES.has(code);
}

const IN_TITLES: ReadonlySet<string> = new Set([
  'shutting_down',
  'server_not_found',
  'share_not_found',
  'share_ended',
  'session_not_found',
  'terminal_taken_over',
  'terminal_in_use',
  'idle_timeout',
]);

const UNKNOWN_TITLES: Readonly<Record<string, TextKey>> = {
  terminal_in_use: 'ended_in_use',
  share_not_found: 'ended_no_share',
  session_not_found: 'ended_no_session',
};

const TITLES = {
  sign_in: 'ended_sign_in',
  refused: 'ended_refused',
  unknown: 'ended_unknown',
  taken_over: 'ended_taken_over',
  share_ended: 'ended_share',
  idle_timeout: 'ended_idle',
  ended_by_other: 'ended_by_other',
  shutting_down: 'ended_shutting_down',
  failed: 'ended_failed',
  proxy: 'ended_proxy',
} as const satisfies Record<string, TextKey>;

function exitText({ code, signal }: Extract<Ending, { kind: 'exit' }>, t: Translate): string {
  if (signal) return t('ended_signal', { signal });
  return code === null ? t('ended') : t('ended_code', { code });
}
