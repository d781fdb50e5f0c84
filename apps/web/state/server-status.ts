import { createContext, onCleanup, useContext } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import { take } from '#client/client.ts';
import { type ServerStatuses, watchStatuses } from '#client/event-stream.ts';
import type { Translate } from '../i18n/languages.ts';
import { useApp } from './app-context.ts';
import { follow } from './follow.ts';
import { formatMoment } from './format.ts';
import type { ServerStatus } from './servers.ts';

const HIDDEN_MS = 60_000; // a page that nobody looks at need not be told
const FIRST_WAIT_MS = 10_000; // a proxy that keeps events back keeps the first ones too
const SILENCE_MS = 45_000; // three missed comments

const UNCHECKED: ServerStatus = {
  status: 'unchecked',
  last_checked: null,
  latency_ms: null,
  error: null,
  host_key_verified: null,
};

export type StatusOf = (server_id: number) => ServerStatus;

/** What the monitor knows of each server, as it changes. Where events do not come through, it is asked for in turns. */
export function createServerStatuses(): StatusOf {
  const { client } = useApp();
  const [statuses, update] = createStore<ServerStatuses>({});

  const following = follow(async (signal) => {
    update(reconcile(await take(client.http.GET('/api/servers/status', { signal }))));
    const silence = createSilence(signal);
    try {
      for await (const changed of watchStatuses(client, silence)) update(changed);
    } finally {
      silence.over();
    }
  });
  following.start();
  onCleanup(following.stop);
  restWhileHidden(following);
  return (server_id) => statuses[server_id] ?? UNCHECKED;
}

/** A signal that also aborts when nothing is heard for long: the network may have gone without a word. */
function createSilence(outer: AbortSignal) {
  const inner = new AbortController();
  const end = () => inner.abort();
  let timer = setTimeout(end, FIRST_WAIT_MS);
  outer.addEventListener('abort', end);
  return {
    signal: inner.signal,
    heard() {
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE_MS);
    },
    over() {
      clearTimeout(timer);
      outer.removeEventListener('abort', end);
      end();
    },
  };
}

function restWhileHidden({ start, stop }: ReturnType<typeof follow>): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(stop, HIDDEN_MS);
    else start();
  };
  const onOnline = () => {
    if (document.hidden) return;
    stop();
    start();
  };
  onVisibility(); // it may have been opened in the background
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', onOnline);
  onCleanup(() => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', onOnline);
  });
}

/** All that is known, in one line. */
export function describeStatus(status: ServerStatus, language: string, t: Translate): string {
  const { last_checked, latency_ms, error, host_key_verified } = status;
  const parts = [
    t(`server_${status.status}`),
    error,
    latency_ms === null ? null : t('milliseconds', { ms: Math.round(latency_ms) }),
    last_checked && t('checked_at', { time: formatMoment(last_checked, language) }),
    host_key_verified === false ? t('host_key_not_verified') : null,
  ];
  return parts.filter((part) => part).join(' · ');
}

const Context = createContext<StatusOf>();
export const ServerStatusProvider = Context.Provider;

export function useServerStatus(): StatusOf {
  const statusOf = useContext(Context);
  if (!statusOf) throw new Error('Outside the workspace');
  return statusOf;
}
