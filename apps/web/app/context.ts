import { type Component, createContext, type JSX, type ParentProps, useContext } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import type { Translate } from '../i18n/languages.ts';
import type { PagePlace } from '../lib/root.ts';
import type { PanePlace } from './pane-place.ts';
import type { Preferences } from './preferences.ts';
import type { Session } from './session.ts';

export interface GuestRouterProps {
  readonly root: Component<ParentProps>;
  readonly children: JSX.Element;
}

/** Dependencies available to every view; created once in `mount.tsx`. */
export interface App {
  readonly client: GatewayClient;
  readonly session: Session;
  readonly preferences: Preferences;
  readonly t: Translate;
  readonly place: PagePlace;
  /** Instead of the page's address. */
  readonly Router?: Component<GuestRouterProps>;
  /** For terminals in a shadow root. */
  readonly pane_place?: PanePlace;
}

const Context = createContext<App>();
export const AppProvider = Context.Provider;

export function useApp(): App {
  const app = useContext(Context);
  if (!app) throw new Error('Outside the application');
  return app;
}
