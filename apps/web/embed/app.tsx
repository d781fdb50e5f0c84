import { QueryClient, QueryClientProvider } from '@tanstack/solid-query';
import { createEffect, onCleanup, type ParentProps } from 'solid-js';
import { createStore } from 'solid-js/store';
import { AppProvider } from '../app/context.ts';
import { THEMES } from '../app/page-look.ts';
import { type PreferenceValues, readPreferences, zoomed } from '../app/preferences.ts';
import type { Session } from '../app/session.ts';
import { createTranslate, followTexts } from '../i18n/languages.ts';
import { refuseStrayDrops } from '../workspace/drag.ts';
import type { ViewParts } from './element.ts';
import { followLook } from './look.ts';
import { createAttention, followInside } from './root-events.ts';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/content.css';
import '../styles/motion.css';

/** What the views need around them. Nothing is stored in the browser, and the page around the element stays as it is. */
export function EmbeddedApp(props: ParentProps<{ parts: ViewParts }>) {
  const { parts } = props;
  const queries = new QueryClient();
  onCleanup(() => queries.clear());
  const preferences = createEmbeddedPreferences(parts);
  const language = () => preferences.values.language;
  const texts = followTexts(language, parts.texts);
  const t = createTranslate(language, () => texts() ?? parts.texts);
  const portals = document.createElement('div');
  const place = {
    root: parts.root,
    themed: parts.place,
    portal: { mount: portals },
    mayFocus: createAttention(parts.root),
    is_guest: true,
  };
  followInside(parts.root);
  refuseStrayDrops(place);
  const app = { client: parts.session.client, preferences, t, session: NOBODY, place };
  return (
    <QueryClientProvider client={queries}>
      <AppProvider value={app}>{props.children}</AppProvider>
      {portals}
    </QueryClientProvider>
  );
}

/** From the element's attributes. */
function createEmbeddedPreferences(parts: ViewParts) {
  const { root, place, look } = parts;
  const looked = followLook(parts);
  const [values, update] = createStore<PreferenceValues>({
    ...readPreferences({ language: look.language }, navigator.languages),
    renderer: root.host.getAttribute('renderer') === 'dom' ? 'dom' : 'auto',
  });
  createEffect(() => {
    looked();
    update({
      theme: THEMES.find((one) => one === look.theme) ?? 'system',
      language: look.language,
      ...(look.font_size === undefined ? {} : { font_size: look.font_size }),
    });
  });
  createEffect(() => {
    place.lang = values.language;
    if (values.theme === 'system') delete place.dataset['theme'];
    else place.dataset['theme'] = values.theme;
  });
  return {
    values,
    set: <K extends keyof PreferenceValues>(name: K, value: PreferenceValues[K]) => update({ [name]: value }),
    zoom: (step: 1 | -1 | 0) => update({ font_size: zoomed(values.font_size, step) }),
  };
}

/** An embedded session has no account to show or to leave. */
const NOBODY: Session = {
  user: () => undefined,
  error: () => null,
  farewell: () => undefined,
  last_farewell: () => undefined,
  signed_in: () => true,
  signIn: () => Promise.resolve(undefined),
  changePassword: () => Promise.resolve(),
  verify: () => undefined,
  signOut: () => Promise.resolve(),
  signOutEverywhere: () => Promise.resolve(),
};
