import { createRouter } from '@solidjs/router';
import { type Component, onCleanup } from 'solid-js';
import type { GuestRouterProps } from '../app/context.ts';

/** Keeps the path in memory: the address of the page around the element stays as it is. */
export function createGuestRouter(
  root: ShadowRoot,
  base_url: string,
  start: string,
): Component<GuestRouterProps> {
  const visits = createVisits(start);
  const prefix = `${base_url}#`; // opened in another tab, a link leads to the gateway's own page
  return createRouter({
    get: visits.get,
    set: visits.set,
    init: visits.listen,
    create({ base, navigatorFactory }) {
      const navigate = navigatorFactory(base);
      const onClick = (event: Event) => {
        const link = event instanceof MouseEvent ? linkOf(event) : undefined;
        if (!link?.href.startsWith(prefix)) return;
        event.preventDefault();
        navigate(link.href.slice(prefix.length), { resolve: false, replace: link.hasAttribute('replace') });
      };
      root.addEventListener('click', onClick);
      onCleanup(() => root.removeEventListener('click', onClick));
    },
    utils: {
      go: visits.go,
      renderPath: (path) => prefix + path,
      parsePath: (path) => (path.startsWith(prefix) ? path.slice(prefix.length) : path),
    },
  });
}

/** The router's own link that a plain click follows. */
function linkOf(event: MouseEvent): HTMLAnchorElement | undefined {
  const is_plain = event.button === 0 && !(event.metaKey || event.altKey || event.ctrlKey || event.shiftKey);
  if (!is_plain || event.defaultPrevented) return undefined;
  return event
    .composedPath()
    .find(
      (node): node is HTMLAnchorElement => node instanceof HTMLAnchorElement && node.hasAttribute('link'),
    );
}

function createVisits(start: string) {
  const paths = [start];
  const listeners = new Set<(path: string) => void>();
  let at = 0;
  const tell = () => {
    for (const listener of listeners) listener(paths[at] ?? '/');
  };
  return {
    get: () => paths[at] ?? '/',
    set({ value, replace }: { value: string; replace?: boolean }) {
      if (!replace) at += 1;
      paths.splice(at, paths.length - at, value);
      tell();
    },
    go(delta: number) {
      at = Math.max(0, Math.min(at + delta, paths.length - 1));
      tell();
    },
    listen(listener: (path?: string) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
