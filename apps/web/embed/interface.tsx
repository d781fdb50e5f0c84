import { render } from 'solid-js/web';
import { createClient } from '#client/client.ts';
import { THEMES } from '../app/page-look.ts';
import type { PreferenceValues } from '../app/preferences.ts';
import { createTokenKeeper } from '../app/session.ts';
import { languageOf } from '../i18n/languages.ts';
import { Interface } from '../interface.tsx';
import type { MountOptions } from './mount-options.ts';
import { panePlaceIn } from './pane-place.ts';
import { followInside } from './root-events.ts';
import { createGuestRouter } from './router.ts';
import { sharedSheet, useFont } from './styles.ts';
import './embed.css';

type Options = MountOptions & { readonly baseUrl: string };

/** The interface in a shadow root. Its token is kept in memory only, and dropped with it. */
export function openInterface(root: ShadowRoot, options: Options): () => void {
  const font = useFont();
  const base_url = new URL(`${options.baseUrl.replace(/\/$/, '')}/`, document.baseURI).href;
  root.adoptedStyleSheets = [sharedSheet()];
  const themed = document.createElement('div');
  themed.className = 'sallyport sallyport-interface';
  themed.style.setProperty('--viewport-height', '100%');
  const inside = document.createElement('div');
  inside.className = 'sallyport-inside';
  const portals = document.createElement('div');
  themed.append(inside, portals);
  root.append(themed);
  followInside(root);
  const place = { root, themed, portal: { mount: portals }, is_guest: true };
  const keeper = createTokenKeeper();
  const Router = createGuestRouter(root, base_url, options.path ?? '/');
  const dispose = render(
    () => (
      <Interface
        keeper={keeper}
        base_url={base_url}
        place={place}
        given={preferencesOf(options)}
        Router={Router}
        pane_place={panePlaceIn(root)}
      />
    ),
    inside,
  );
  return () => {
    const token = keeper.token();
    if (token !== undefined) signOut(base_url, token);
    keeper.drop('signed_out');
    dispose();
    font.release();
    root.replaceChildren();
    root.adoptedStyleSheets = [];
  };
}

function preferencesOf({ theme, language, renderer }: Options): Partial<PreferenceValues> {
  return {
    theme: THEMES.find((one) => one === theme) ?? 'system',
    ...(language === undefined ? {} : { language: languageOf([language]) }),
    ...(renderer === 'dom' ? { renderer } : {}),
  };
}

/** The page may be going away. */
function signOut(base_url: string, token: string): void {
  const { http } = createClient({ base_url, credentials: token, retries: 0 });
  http.POST('/api/auth/logout', { keepalive: true }).catch(() => undefined);
}
