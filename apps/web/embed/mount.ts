import { languageOf } from '../i18n/languages.ts';
import { drawFailure, loadError } from './failure.ts';
import type { MountOptions } from './mount-options.ts';
import { followPage } from './page-life.ts';
import { gatewayUrl, sharedSheet } from './styles.ts';

/** The element takes its place at once; the interface is loaded then. */
export function mountInterface(element: HTMLElement, options: MountOptions = {}): () => void {
  let is_disposed = false;
  let close: (() => void) | undefined;
  const host = element.appendChild(document.createElement('div'));
  host.style.height = '100%';
  const place = host.attachShadow({ mode: 'open' });
  function load(): void {
    place.replaceChildren();
    import('./interface.tsx').then(({ openInterface }) => {
      if (!is_disposed)
        close = openInterface(place, { ...options, baseUrl: options.baseUrl ?? gatewayUrl() });
    }, fail);
  }
  function fail(error: unknown): void {
    if (is_disposed) return;
    const language = languageOf([options.language, ...navigator.languages]);
    place.adoptedStyleSheets = [sharedSheet()];
    place.append(drawFailure(loadError(error, language).message, language, load));
  }
  load();
  function dispose(): void {
    if (is_disposed) return;
    is_disposed = true;
    stopFollowing();
    close?.();
    host.remove();
  }
  // The token is lost with the page. A page that is shown again asks for the user by itself.
  const stopFollowing = followPage({ left: dispose, shown_again: () => undefined });
  return dispose;
}
