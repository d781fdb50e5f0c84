import { type Component, createSignal, Match, onMount, type ParentProps, Show, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { failureOf } from '#client/transport/client-error.ts';
import { useApp } from '../app/context.ts';
import { loadAgain } from '../lib/load-again.ts';
import { Trouble } from './trouble.tsx';
import { Waiting } from './waiting.tsx';

type State<P extends object> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly component: Component<P> }
  | { readonly kind: 'failed'; readonly error: unknown };

interface Prefetchable {
  /** Afterwards the view is shown at once. Not `preload`, which the router would call. */
  readonly prefetch: () => Promise<unknown>;
}

interface Around<P extends object> {
  readonly Placeholder: Component;
  /** Around what is shown if the view cannot be loaded. */
  readonly Frame: Component<ParentProps<P>>;
}

/** A lazily loaded view. Not `lazy` with Suspense: every query below would suspend the whole view. */
export function loadable<P extends object>(
  load: () => Promise<Component<P>>,
  { Placeholder, Frame }: Around<P> = { Placeholder: Waiting, Frame: Splash },
): Component<P> & Prefetchable {
  let loaded: Component<P> | undefined;
  const prefetch = async () => {
    loaded ??= await loadAgain(load);
    return loaded;
  };
  function Loadable(props: P) {
    const { place, t } = useApp();
    const [state, setState] = createSignal<State<P>>(
      loaded ? { kind: 'ready', component: loaded } : { kind: 'loading' },
    );
    const ready = () => pick(state(), 'ready')?.component;
    const attempt = () =>
      prefetch().then(
        (component) => setState({ kind: 'ready', component }),
        (error: unknown) => setState({ kind: 'failed', error }),
      );
    function again(): void {
      setState({ kind: 'loading' });
      void attempt();
    }
    onMount(() => loaded || void attempt());
    return (
      <Switch fallback={<Placeholder />}>
        <Match when={ready()}>{(component) => <Dynamic component={component()} {...props} />}</Match>
        <Match when={pick(state(), 'failed')}>
          {(failed) => (
            <Frame {...props}>
              <Trouble title={t('part_failed')} error={failureOf(failed().error)}>
                <button type="button" class="button" onClick={again}>
                  {t('try_again')}
                </button>
                {/* Some browsers remember that a part did not come. The page of another site is not reloaded. */}
                <Show when={!place.is_guest}>
                  <button type="button" class="button" onClick={() => location.reload()}>
                    {t('reload_page')}
                  </button>
                </Show>
              </Trouble>
            </Frame>
          )}
        </Match>
      </Switch>
    );
  }
  return Object.assign(Loadable, { prefetch });
}

function Splash(props: ParentProps) {
  return <div class="splash">{props.children}</div>;
}

function pick<S extends { kind: string }, K extends S['kind']>(state: S, kind: K) {
  return isKind(state, kind) ? state : undefined;
}

function isKind<S extends { kind: string }, K extends S['kind']>(
  state: S,
  kind: K,
): state is Extract<S, { kind: K }> {
  return state.kind === kind;
}
