import Table from 'lucide-solid/icons/table';
import { createSignal, createUniqueId, For, Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatInstant } from '../../lib/format.ts';
import { ChartPlot } from './plot.tsx';
import { type ChartData, firstMeasured, formatStep, isFlat } from './shape.ts';
import './chart.css';

interface Props {
  readonly title: string;
  readonly data: ChartData;
  /** The total or latest value of a part, for the legend. */
  readonly summary: (part: number) => number;
  readonly format: (value: number) => string;
}

/** A time series as a chart or as a table. */
export function Chart(props: Props) {
  const { t } = useApp();
  const title_id = createUniqueId();
  const [is_table, setTable] = createSignal(false);
  return (
    <figure class="chart">
      <figcaption class="chart-head">
        <h4 class="chart-title" id={title_id}>
          {props.title}
        </h4>
        <button
          type="button"
          class="icon-button icon-button-small"
          aria-label={t('chart_table_of', { name: props.title })}
          title={t('chart_table')}
          aria-pressed={is_table()}
          onClick={() => setTable(!is_table())}
        >
          <Table size={15} aria-hidden="true" />
        </button>
      </figcaption>
      <ul class="chart-legend">
        <For each={props.data.parts}>
          {(part, i) => (
            <li>
              <span class="chart-key" style={{ background: `var(--${part.token})` }} aria-hidden="true" />{' '}
              {part.label} <strong>{props.format(props.summary(i()))}</strong>
            </li>
          )}
        </For>
      </ul>
      <Switch fallback={<ChartPlot {...props} />}>
        <Match when={is_table()}>
          <ChartTable data={props.data} format={props.format} title_id={title_id} />
        </Match>
        <Match when={isFlat(props.data)}>
          <NothingYet data={props.data} />
        </Match>
      </Switch>
    </figure>
  );
}

/** Instead of an empty drawing. */
function NothingYet(props: { data: ChartData }) {
  const { preferences, t } = useApp();
  const since = () => {
    const first = firstMeasured(props.data);
    return first === undefined ? undefined : new Date((props.data.times[first] ?? 0) * 1000).toISOString();
  };
  return (
    <p class="chart-none">
      <Show when={since()} fallback={t('chart_not_measured_yet')}>
        {(at) => t('chart_none_since', { time: formatInstant(at(), preferences.values.language) })}
      </Show>
    </p>
  );
}

interface TableProps extends Pick<Props, 'data' | 'format'> {
  readonly title_id: string;
}

/** Newest first; steps without a measurement are left out. */
function ChartTable(props: TableProps) {
  const { preferences, t } = useApp();
  const steps = () => {
    const measured = props.data.parts[0]?.values ?? [];
    return measured.flatMap((value, i) => (value === null ? [] : [i])).reverse();
  };
  const when = (step: number) =>
    formatStep(props.data.times[step] ?? 0, props.data.step_s, preferences.values.language);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
    <section class="chart-table" aria-labelledby={props.title_id} tabIndex={0}>
      <table aria-labelledby={props.title_id}>
        <thead>
          <tr>
            <th scope="col">{t('time')}</th>
            <For each={props.data.parts}>{({ label }) => <th scope="col">{label}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={steps()}>
            {(step) => (
              <tr>
                <th scope="row">{when(step)}</th>
                <For each={props.data.parts}>
                  {({ values }) => <td>{props.format(values[step] ?? 0)}</td>}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}
