import { type JSX, Match, Switch } from 'solid-js';
import { useApp } from '../app/context.ts';
import { Trouble } from './trouble.tsx';

interface Asked<T> {
  readonly data: T | undefined;
  readonly isPending: boolean;
  readonly error: unknown;
  refetch(): Promise<unknown>;
}

interface Props<T> {
  readonly query: Asked<T>;
  /** Title of the error. */
  readonly failure: string;
  readonly children: (data: () => T) => JSX.Element;
}

/** Renders a query's data, or its loading or error state. */
export function QueryState<T>(props: Props<T>) {
  const { t } = useApp();
  return (
    <Switch>
      <Match when={props.query.data}>{(data) => props.children(data)}</Match>
      <Match when={props.query.error}>
        <Trouble title={props.failure} error={props.query.error}>
          <button type="button" class="button" onClick={() => void props.query.refetch()}>
            {t('try_again')}
          </button>
        </Trouble>
      </Match>
      <Match when={props.query.isPending}>
        <p class="section-lead" role="status">
          {t('loading')}
        </p>
      </Match>
    </Switch>
  );
}
