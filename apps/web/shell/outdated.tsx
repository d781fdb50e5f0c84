import { createSignal, onCleanup, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { isPartGone } from '../lib/load-again.ts';

/** Says that the gateway, which was updated, no longer has the parts of this page that are not loaded yet. */
export function OutdatedNotice() {
  const { place, t } = useApp();
  const [is_outdated, setOutdated] = createSignal(false);
  /** A part that did not come although the gateway has it is offered again where it is missing. */
  const onMissingPart = async ({ payload }: VitePreloadErrorEvent) => {
    if (!place.is_guest && (await isPartGone(payload))) setOutdated(true);
  };
  window.addEventListener('vite:preloadError', onMissingPart);
  onCleanup(() => window.removeEventListener('vite:preloadError', onMissingPart));
  return (
    <Show when={is_outdated()}>
      <p class="page-notice" role="alert">
        {t('page_outdated')}
        <button type="button" class="button" onClick={() => location.reload()}>
          {t('reload_page')}
        </button>
      </p>
    </Show>
  );
}
