import { A } from '@solidjs/router';
import { useQuery } from '@tanstack/solid-query';
import Circle from 'lucide-solid/icons/circle';
import CircleCheck from 'lucide-solid/icons/circle-check';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createPlace } from '../../lib/storage.ts';
import type { Server } from '../../servers/servers.ts';
import { FIRST_STEPS, isDismissed, type StepsDone, stepsDone } from './first-steps.ts';

/** A checklist for the administrator of a new gateway, until it is done or dismissed. */
export function FirstSteps(props: { servers: readonly Server[] }) {
  const { client, session, t } = useApp();
  const place = createPlace('local', `first-steps:${session.user()?.id ?? 0}`);
  const [is_dismissed, setDismissed] = createSignal(isDismissed(place));
  const has_second_factor = () => session.user()?.totp_enabled === true;
  const done = useQuery(() => ({
    queryKey: ['first_steps', props.servers.length, has_second_factor()],
    queryFn: () =>
      stepsDone(client, {
        has_second_factor: has_second_factor(),
        servers: props.servers,
        address: location,
      }),
    enabled: !is_dismissed(),
  }));
  const is_over = (steps: StepsDone) => FIRST_STEPS.every(({ id }) => steps[id]);
  function dismiss(): void {
    place.write(true);
    setDismissed(true);
  }
  return (
    <Show when={!is_dismissed() && done.data && !is_over(done.data) ? done.data : undefined}>
      {(steps) => (
        <section class="home-part home-steps" aria-labelledby="first-steps">
          <div class="home-head">
            <h3 id="first-steps">{t('first_steps')}</h3>
            <button type="button" class="button button-quiet" onClick={dismiss}>
              {t('first_steps_dismiss')}
            </button>
          </div>
          <ul>
            <For each={FIRST_STEPS}>
              {({ id, label, path }) => (
                <li class="home-step" classList={{ 'home-step-done': steps()[id] }}>
                  <Show when={steps()[id]} fallback={<Circle size={16} aria-hidden="true" />}>
                    <CircleCheck size={16} aria-hidden="true" />
                  </Show>
                  <Show
                    when={!steps()[id]}
                    fallback={
                      <span>
                        {t(label)} <span class="visually-hidden">{t('first_steps_done')}</span>
                      </span>
                    }
                  >
                    <Show
                      when={path}
                      fallback={
                        <a href={client.url('/help/deployment.html').href} target="_blank" rel="noopener">
                          {t(label)}
                        </a>
                      }
                    >
                      {(to) => <A href={to()}>{t(label)}</A>}
                    </Show>
                  </Show>
                </li>
              )}
            </For>
          </ul>
        </section>
      )}
    </Show>
  );
}
