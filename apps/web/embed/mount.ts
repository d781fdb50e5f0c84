import type { MountOptions } from './mount-options.ts';
import { gatewayUrl } from './styles.ts';

/** The element takes its place at once; the interface is loaded then. */
export function mountInterface(element: HTMLElement, options: MountOptions = {}): () => void {
  let is_disposed = false;
  let close = () => undefined as void;
  const host = element.appendChild(document.createElement('div'));
  host.style.height = '100%';
  import('./interface.tsx').then(({ openInterface }) => {
    if (!is_disposed) close = openInterface(host, { ...options, baseUrl: options.baseUrl ?? gatewayUrl() });
  }, reportError);
  return () => {
    if (is_disposed) return;
    is_disposed = true;
    close();
    host.remove();
  };
}
