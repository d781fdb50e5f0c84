import { createSignal, onCleanup, Show } from 'solid-js';
import { useApp } from '../app/context.ts';

/** Says that the gateway, which was updated, no longer has the parts of this page that are not loaded yet. */
export function OutdatedNotice() {
  const { client, place, t } = useApp();
  const [is_outdated, setOutdated] = createSignal(false);
  const isGatewayUp = () =>
    client.http.GET('/api/health').then(
      ({ response }) => response.ok,
      () => false, // the part is missing because nothing can be reached
    );
  const onMissingPart = async () => {
    if (!place.is_guest && (await isGatewayUp())) setOutdated(true);
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
