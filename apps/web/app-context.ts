import { createContext, useContext } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import type { Preferences } from './account/preferences.ts';
import type { Session } from './account/session.ts';
import type { Translate } from './i18n/languages.ts';
import type { PagePlace } from './lib/root.ts';

/** Dependencies available to every view; created once in `mount.tsx`. */
export interface App {
  readonly client: GatewayClient;
  readonly session: Session;
  readonly preferences: Preferences;
  readonly t: Translate;
  readonly place: PagePlace;
}

const Context = createContext<App>();
export const AppProvider = Context.Provider;

export function useApp(): App {
  const app = useContext(Context);
  if (!app) throw new Error('Outside the application');
  return app;
}
