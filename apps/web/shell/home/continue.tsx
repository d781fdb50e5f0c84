import { A } from '@solidjs/router';
import { useQuery } from '@tanstack/solid-query';
import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { ContinueButton } from '../../live-terminals/rows.tsx';
import { ownLiveSessionsQuery } from '../../live-terminals/sessions.ts';
import { Name } from '../../parts/name.tsx';
import { Time } from '../../parts/time.tsx';

const MOST = 5;

/** The user's terminals that run, here or on another device; the newest first. */
export function ContinueHere() {
  const { client, t } = useApp();
  const query = useQuery(() => ownLiveSessionsQuery(client, MOST));
  const total = () => query.data?.total ?? 0;
  return (
    <Show when={total() > 0}>
      <section class="home-part" aria-labelledby="home-continue">
        <div class="home-head">
          <h3 id="home-continue">{t('home_continue')}</h3>
          <Show when={total() > MOST}>
            <A href="/account/terminals">{t('home_all', { count: total() })}</A>
          </Show>
        </div>
        <ul>
          <For each={query.data?.sessions}>
            {(session) => (
              <li class="home-row">
                <span class="home-name">
                  <Name text={session.server_name} />
                </span>
                <span class="home-soft">
                  <Time at={session.started_at} has_seconds />
                </span>
                <ContinueButton session={session} />
              </li>
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}
