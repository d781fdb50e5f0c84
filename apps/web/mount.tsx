import { QueryClient, QueryClientProvider } from '@tanstack/solid-query';
import { Show } from 'solid-js';
import { render } from 'solid-js/web';
import { createClient } from '#client/client.ts';
import { ClientError } from '#client/client-error.ts';
import { createPreferences, type RendererChoice } from './account/preferences.ts';
import { createSession, createTokenKeeper } from './account/session.ts';
import { StepUpDialog } from './account/step-up/dialog.tsx';
import { createStepUpQuestion } from './account/step-up/question.ts';
import { AppGate } from './app.tsx';
import { AppProvider } from './app-context.ts';
import { createTranslate } from './i18n/languages.ts';
import { documentPlace } from './lib/root.ts';
import './styles/fonts.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/content.css';
import './styles/motion.css';

export interface MountOptions {
  /** The gateway's URL; relative to the page by default. */
  readonly base_url?: string;
  /** `dom` renders terminal text in the DOM; also set by `#/?renderer=dom`. */
  readonly renderer?: RendererChoice;
}

/** Renders the interface into an element; returns a function that removes it. */
export function mount(element: HTMLElement, options: MountOptions = {}): () => void {
  return render(() => <Root {...options} />, element);
}

function Root(props: MountOptions) {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => error instanceof ClientError && error.status === 0 && failures < 2,
      },
    },
  });
  return (
    <QueryClientProvider client={queries}>
      <Wired base_url={props.base_url} renderer={props.renderer ?? rendererOfHash()} />
    </QueryClientProvider>
  );
}

function Wired(props: { base_url: string | undefined; renderer: RendererChoice | undefined }) {
  const keeper = createTokenKeeper();
  const question = createStepUpQuestion(keeper.token);
  const client = createClient({
    ...(props.base_url === undefined ? {} : { base_url: props.base_url }),
    token: keeper.token,
    on_unauthorized: keeper.refused,
    on_step_up: question.ask,
  });
  const preferences = createPreferences(props.renderer);
  const t = createTranslate(() => preferences.values.language);
  const session = createSession(client, keeper);
  return (
    <AppProvider value={{ client, preferences, t, session, place: documentPlace() }}>
      <AppGate />
      <Show when={question.asked()}>
        <StepUpDialog onAnswer={question.answer} />
      </Show>
    </AppProvider>
  );
}

function rendererOfHash(): RendererChoice | undefined {
  return new URLSearchParams(location.hash.split('?')[1]).get('renderer') === 'dom' ? 'dom' : undefined;
}
