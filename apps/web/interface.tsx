import { QueryClient, QueryClientProvider } from '@tanstack/solid-query';
import { onCleanup, Show } from 'solid-js';
import { createClient } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';
import { createStepUpQuestion } from './account/step-up/question.ts';
import { type App, AppProvider } from './app/context.ts';
import { createPreferences, type PreferenceValues } from './app/preferences.ts';
import { createSession, type TokenKeeper } from './app/session.ts';
import { AppGate, prefetchWorkspace } from './app.tsx';
import { createTranslate, followTexts } from './i18n/languages.ts';
import { takeClientId } from './lib/client-id.ts';
import { copyRealNames } from './lib/copied-names.ts';
import { loadable } from './parts/loadable.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/content.css';
import './styles/motion.css';

/** Not before it is asked: the sign-in has no other dialog. */
const StepUpDialog = loadable(async () => (await import('./account/step-up/dialog.tsx')).StepUpDialog);

interface Props extends Pick<App, 'place' | 'Router' | 'pane_place'> {
  readonly keeper: TokenKeeper;
  /** The gateway's URL; relative to the page by default. */
  readonly base_url?: string;
  /** Override the stored preferences. */
  readonly given: Partial<PreferenceValues>;
}

/** The whole interface: sign-in, workspace and administration. */
export function Interface(props: Props) {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => error instanceof ClientError && error.status === 0 && failures < 2,
      },
    },
  });
  onCleanup(() => queries.clear());
  return (
    <QueryClientProvider client={queries}>
      <Wired {...props} />
    </QueryClientProvider>
  );
}

function Wired(props: Props) {
  const { keeper, place, base_url, given, Router, pane_place } = props;
  onCleanup(copyRealNames(place));
  const question = createStepUpQuestion(keeper.token);
  const client = createClient({
    ...(base_url === undefined ? {} : { base_url }),
    credentials: { token: keeper.token, refused: keeper.refused, confirm: question.ask },
    retries: 0, // the page says what it waits for
    client_id: takeClientId(),
  });
  const preferences = createPreferences(place, given);
  const language = () => preferences.values.language;
  const texts = followTexts(language);
  const session = createSession(client, keeper);
  if (session.signed_in()) prefetchWorkspace();
  const guest = { ...(Router ? { Router } : {}), ...(pane_place ? { pane_place } : {}) };
  return (
    <Show when={texts()}>
      {(loaded) => (
        <AppProvider
          value={{ client, preferences, t: createTranslate(language, loaded), session, place, ...guest }}
        >
          <AppGate />
          <Show when={question.asked()}>
            <StepUpDialog onAnswer={question.answer} />
          </Show>
        </AppProvider>
      )}
    </Show>
  );
}
