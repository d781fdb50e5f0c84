import { For, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { Lines } from '../parts/name.tsx';
import type { TerminalController } from './controller.ts';
import './host-banners.css';

/** What hosts say before they let the user in; outside of the screen, so that it is never taken for output. */
export function HostBanners(props: { controller: TerminalController }) {
  const { t } = useApp();
  const dismiss = () => {
    props.controller.facts.dismissBanners();
    props.controller.focus();
  };
  return (
    <Show when={props.controller.facts.banners().length > 0}>
      <div class="host-banners" role="status">
        <div class="host-banners-texts" tabindex="0">
          <For each={props.controller.facts.banners()}>
            {({ name, text }) => (
              <>
                <p class="host-banner-name">{t('banner_from', { name })}</p>
                <pre class="host-banner-text">
                  <Lines text={text} />
                </pre>
              </>
            )}
          </For>
        </div>
        <button type="button" class="button button-quiet" onClick={dismiss}>
          {t('dismiss')}
        </button>
      </div>
    </Show>
  );
}
