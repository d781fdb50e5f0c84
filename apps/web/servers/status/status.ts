import { useQueryClient } from '@tanstack/solid-query';
import {
  type Accessor,
  createContext,
  createEffect,
  createMemo,
  createSignal,
  on,
  onCleanup,
  useContext,
} from 'solid-js';
import { createStore, reconcile, unwrap } from 'solid-js/store';
import { type GatewayClient, take } from '#client/client.ts';
import { type ServerStatuses, watchStatuses } from '#client/event-stream.ts';
import { useApp } from '../../app/context.ts';
import type { Translate } from '../../i18n/languages.ts';
import { reasonIn } from '../../i18n/reason.ts';
import { type Following, follow, isFinal } from '../../lib/follow.ts';
import { formatMoment } from '../../lib/format.ts';
import type { ServerStatus } from '../servers.ts';
import { createGatewayContact, type GatewayContact } from './gateway-contact.ts';
import { createQuietLimit } from './quiet-limit.ts';

const HIDDEN_MS = 60_000; // then a hidden page stops listening
const ANSWER_MS = 10_000; // timeout of a plain request
const FIRST_WAIT_MS = 10_000; // a buffering proxy holds back the first events too
const SILENCE_MS = 12_000; // the gateway sends a comment every 5 seconds
const NETWORK_CHANGES = ['online', 'offline'] as const; // a stream may not notice that its network is gone

/** A status as shown: `unknown` while the gateway does not answer. */
export interface ShownStatus extends Omit<ServerStatus, 'status'> {
  readonly status: ServerStatus['status'] | 'unknown';
}

const UNCHECKED: ServerStatus = {
  status: 'unchecked',
  last_checked: null,
  offline_since: null,
  latency_ms: null,
  error: null,
  error_code: null,
};
const UNKNOWN: ShownStatus = { ...UNCHECKED, status: 'unknown' };

export interface StatusWatch {
  statusOf(server_id: number): ShownStatus;
  /** The states of all servers at once: one subscription rather than one for each server. */
  readonly states: Accessor<(server_id: number) => ShownStatus['status']>;
  /** The gateway has not answered for a while; requests are retried until it does. */
  readonly is_lost: Accessor<boolean>;
}

/** Follows the monitor's status of each server; falls back to polling where events do not get through. */
export function createStatusWatch(): StatusWatch {
  const { client } = useApp();
  const [statuses, update] = createStore<ServerStatuses>({});
  const [changes, setChanges] = createSignal(0);
  const contact = createGatewayContact();
  const queries = useQueryClient();

  async function ask(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    contact.seek();
    update(reconcile(await askStatuses(client, signal)));
    setChanges((count) => count + 1);
    contact.made();
  }

  /** An unknown id is a server added elsewhere, so the list is reloaded. */
  function takeUp(changed: ServerStatuses): void {
    const is_news = Object.keys(changed).some((id) => !(id in statuses));
    update(changed);
    setChanges((count) => count + 1);
    if (is_news) void queries.invalidateQueries({ queryKey: ['servers'] });
  }

  async function listen(signal: AbortSignal): Promise<void> {
    const quiet = createQuietLimit(signal, FIRST_WAIT_MS);
    const heard = () => quiet.heard(SILENCE_MS);
    try {
      for await (const changed of watchStatuses(client, { signal: quiet.signal, heard })) takeUp(changed);
    } catch (error) {
      if (isFinal(error)) throw error; // anything else is followed by the next poll
    } finally {
      quiet.over();
    }
  }

  const following = follow(async (signal, reached) => {
    try {
      await ask(signal);
      reached();
      await listen(signal);
      await ask(signal); // detects a lost gateway now rather than after the pause
    } catch (error) {
      if (isFinal(error)) contact.rest();
      throw error;
    }
  });

  const stop = () => {
    following.stop();
    contact.rest();
  };
  following.start();
  onCleanup(stop);
  restWhileHidden({ start: following.start, stop });
  askAgainWhenBack(contact);
  const { is_lost } = contact;
  const states = createMemo(() => {
    changes();
    const is_unknown = is_lost();
    return (server_id: number) => (is_unknown ? UNKNOWN : (unwrap(statuses)[server_id] ?? UNCHECKED)).status;
  });
  return {
    is_lost,
    states,
    statusOf: (server_id) => (is_lost() ? UNKNOWN : (statuses[server_id] ?? UNCHECKED)),
  };
}

async function askStatuses(client: GatewayClient, signal: AbortSignal): Promise<ServerStatuses> {
  const quiet = createQuietLimit(signal, ANSWER_MS);
  try {
    return await take(client.http.GET('/api/servers/status', { signal: quiet.signal }));
  } finally {
    quiet.over();
  }
}

/** Another instance may have taken over, with other data. */
function askAgainWhenBack({ is_lost }: GatewayContact): void {
  const queries = useQueryClient();
  createEffect(
    on(is_lost, (lost, was_lost) => {
      if (lost || !was_lost) return;
      for (const key of ['servers', 'health']) void queries.invalidateQueries({ queryKey: [key] });
    }),
  );
}

function restWhileHidden({ start, stop }: Following): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(stop, HIDDEN_MS);
    else start();
  };
  const onNetwork = () => {
    if (document.hidden) return;
    stop();
    start();
  };
  onVisibility(); // the page may have been opened in the background
  document.addEventListener('visibilitychange', onVisibility);
  for (const change of NETWORK_CHANGES) window.addEventListener(change, onNetwork);
  onCleanup(() => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    for (const change of NETWORK_CHANGES) window.removeEventListener(change, onNetwork);
  });
}

/** A changed host key needs a decision by an administrator. */
export function isKeyChanged({ error_code }: ShownStatus): boolean {
  return error_code === 'host_key_changed';
}

/** The status in a word or two. */
export function stateWords(status: ShownStatus, t: Translate): string {
  return t(isKeyChanged(status) ? 'server_host_key_changed' : `server_${status.status}`);
}

/** Everything known about the status on one line. */
export function describeStatus(status: ShownStatus, language: string, t: Translate): string {
  const { last_checked, offline_since, latency_ms, error, error_code, host_key_verified } = status;
  const parts = [
    stateWords(status, t),
    offline_since && t('offline_since', { time: formatMoment(offline_since, language) }),
    error && (error_code === null ? error : reasonIn(error_code, error, t)),
    latency_ms === null ? null : t('milliseconds', { ms: Math.round(latency_ms) }),
    last_checked && t('checked_at', { time: formatMoment(last_checked, language) }),
    host_key_verified === false ? t('host_key_not_verified') : null,
  ];
  return parts.filter((part) => part).join(' · ');
}

const Context = createContext<StatusWatch>();
export const StatusWatchProvider = Context.Provider;

export function useStatusWatch(): StatusWatch {
  const watch = useContext(Context);
  if (!watch) throw new Error('Outside the workspace');
  return watch;
}
