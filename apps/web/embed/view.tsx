import { createSignal, type JSX, Show } from 'solid-js';
import { render } from 'solid-js/web';
import { useApp } from '../app/context.ts';
import { EmbeddedApp } from './app.tsx';
import type { ElementView, ViewParts } from './element.ts';
import { toError } from './errors.ts';
import type { EmbedError } from './events.ts';
import { NoTicket } from './session.ts';
import '../terminal/banner.css';
import './embed.css';

export type Verbs = Omit<ElementView, 'dispose'>;

/** What the content of an element is given. */
export interface ContentProps {
  readonly parts: ViewParts;
  readonly onVerbs: (verbs: Verbs) => void;
}

/** Renders the content of an element into its shadow root. */
export function renderView(parts: ViewParts, Content: (props: ContentProps) => JSX.Element): ElementView {
  let verbs: Verbs | undefined;
  const onVerbs = (given: Verbs) => {
    verbs = given;
  };
  const dispose = render(
    () => (
      <EmbeddedApp parts={parts}>
        <Content parts={parts} onVerbs={onVerbs} />
      </EmbeddedApp>
    ),
    parts.place,
  );
  return {
    focus: () => verbs?.focus(),
    send: (text) => verbs?.send?.(text),
    fit: () => verbs?.fit(),
    dispose,
  };
}

/** Why the element shows nothing, or can do no more. */
export function createTrouble() {
  const { t } = useApp();
  const [trouble, setTrouble] = createSignal<EmbedError>();
  return {
    trouble,
    forget: () => setTrouble(undefined),
    fail(error: unknown): void {
      const is_over = error instanceof NoTicket;
      setTrouble(is_over ? { code: 'no_ticket', message: t('embed_ended') } : toError(error));
    },
    setTrouble,
  };
}

interface EndedProps {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly bad: boolean;
  readonly again: () => void;
}

/** Says that it is over, and opens it again. */
export function Ended(props: EndedProps) {
  const { t } = useApp();
  return (
    <div class="banner banner-cut-off" classList={{ 'banner-bad': props.bad }} role="alert">
      <span class="banner-text">
        <strong>{props.title}</strong>
        <Show when={props.detail}>{(detail) => <span>{detail()}</span>}</Show>
      </span>
      <button type="button" class="button" onClick={() => props.again()}>
        {t('open_again')}
      </button>
    </div>
  );
}
