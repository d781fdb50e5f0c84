import { A, useSearchParams } from '@solidjs/router';
import { useQuery } from '@tanstack/solid-query';
import { createMemo, For, type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatNumber } from '../../lib/format.ts';
import { healthQuery } from '../../lib/gateway-info.ts';
import { Chart } from '../../parts/charts/chart.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { barsOf } from './bars.ts';
import {
  CHARTS,
  type ChartPlan,
  failedLoginsPath,
  formatValue,
  isMeasured,
  type Overview as Overviewed,
  overviewQuery,
  PERIODS,
  type Period,
  periodOf,
  skewOf,
  summaryOf,
  valuesOf,
} from './overview.ts';
import './overview.css';

/** Current numbers and their history. The period is part of the page's address. */
export function Overview() {
  const { client, t } = useApp();
  const [query, setQuery] = useSearchParams();
  const hours = () => periodOf(query['hours']);
  const overview = useQuery(() => overviewQuery(client, hours()));
  return (
    <section class="section section-wide" aria-labelledby="overview-title">
      <SectionTitle id="overview-title" text={t('overview')} />
      <QueryState query={overview} failure={t('overview_failed_to_load')}>
        {(known) => (
          <>
            <Present overview={known()} hours={hours()} />
            <PeriodChoice hours={hours()} onChange={(chosen) => setQuery({ hours: chosen })} />
            <Show when={isMeasured(known().points)} fallback={<p class="empty">{t('overview_empty')}</p>}>
              <div class="overview-charts" aria-busy={overview.isPlaceholderData}>
                <For each={CHARTS}>
                  {(plan) => <PlannedChart plan={plan} overview={known()} hours={hours()} />}
                </For>
              </div>
              <p class="field-hint">{t('overview_bars')}</p>
            </Show>
            <Instances overview={known()} />
          </>
        )}
      </QueryState>
    </section>
  );
}

/** The current numbers; each links to the list of what it counts. */
function Present(props: { overview: Overviewed; hours: Period }) {
  const { preferences, t } = useApp();
  const count = (value: number) => formatNumber(value, preferences.values.language);
  const servers = () => props.overview.servers;
  const failed = () => summaryOf(valuesOf(props.overview.points, 'failed_logins'), true);
  return (
    <ul class="overview-tiles">
      <Tile
        href="/admin/servers"
        label={t('servers')}
        count={count(servers().online + servers().offline + servers().unchecked)}
      >
        <For each={STATES}>
          {(state) => (
            <A class="overview-state" href={`/admin/servers?q=${encodeURIComponent(`is:${state}`)}`}>
              {t(`overview_${state}_count`, { count: count(servers()[state]) })}
            </A>
          )}
        </For>
        <Show when={servers().connected}>
          {(connected) => (
            <span class="overview-said">
              {t('overview_post_quantum', {
                count: count(servers().post_quantum ?? 0),
                all: count(connected()),
              })}
            </span>
          )}
        </Show>
      </Tile>
      <Tile href="/admin/terminals" label={t('live_terminals')} count={count(props.overview.sessions)} />
      <Tile href="/admin/users" label={t('users')} count={count(props.overview.users)} />
      <Tile
        href={failedLoginsPath(props.overview)}
        label={`${t('overview_failed_logins')} (${t(`overview_hours_${props.hours}`)})`}
        count={count(failed())}
      />
    </ul>
  );
}

const STATES = ['online', 'offline', 'unchecked'] as const;

function Tile(props: ParentProps<{ href: string; label: string; count: string }>) {
  return (
    <li class="overview-tile">
      <A class="overview-number" href={props.href}>
        <span class="overview-label">{props.label}</span> <strong>{props.count}</strong>
      </A>
      <Show when={props.children}>
        <div class="overview-states">{props.children}</div>
      </Show>
    </li>
  );
}

function PeriodChoice(props: { hours: Period; onChange: (hours: Period) => void }) {
  const { t } = useApp();
  return (
    <fieldset class="overview-periods">
      <legend class="visually-hidden">{t('overview_period')}</legend>
      <For each={PERIODS}>
        {(hours) => (
          <button
            type="button"
            class="button"
            aria-pressed={props.hours === hours}
            onClick={() => props.onChange(hours)}
          >
            {t(`overview_hours_${hours}`)}
          </button>
        )}
      </For>
    </fieldset>
  );
}

function PlannedChart(props: { plan: ChartPlan; overview: Overviewed; hours: Period }) {
  const { preferences, t } = useApp();
  const { title, parts, is_counted, unit } = props.plan;
  const data = createMemo(() => {
    const { points, step_s } = barsOf(props.overview, props.hours, -60 * new Date().getTimezoneOffset());
    return {
      times: points.map(({ at }) => Date.parse(at) / 1000),
      step_s,
      parts: parts.map(({ metric, label, token }) => ({
        label: t(label),
        token,
        values: valuesOf(points, metric),
      })),
      unit,
    };
  });
  const measured = (part: number) => {
    const metric = parts[part]?.metric;
    return metric ? valuesOf(props.overview.points, metric) : [];
  };
  return (
    <Chart
      title={t(title)}
      data={data()}
      summary={(part) => summaryOf(measured(part), is_counted)}
      format={(value) => formatValue(value, unit, preferences.values.language)}
    />
  );
}

function Instances(props: { overview: Overviewed }) {
  const { client, preferences, t } = useApp();
  const health = useQuery(() => healthQuery(client));
  const versionText = (version: string | null) =>
    version === null ? t('overview_version_unknown') : t('overview_version', { version });
  const seconds = (s: number) => formatValue(s, 'count', preferences.values.language);
  return (
    <>
      <h4 class="section-title">{t('overview_instances')}</h4>
      <ul class="rows">
        <For each={props.overview.instances}>
          {({ instance_id, machine, version, clock_skew_ms }) => (
            <li class="row">
              <span class="row-text">
                <span class="row-name">
                  <code>{instance_id}</code>
                  <Show when={health.data?.instance_id === instance_id}>
                    <span class="badge">{t('overview_this_one')}</span>
                  </Show>
                </span>
                <span class="row-facts">
                  {machine} · {versionText(version)}
                </span>
                <Show when={skewOf(clock_skew_ms)}>
                  {(skew) => <span class="bad">{t(skew().key, { seconds: seconds(skew().s) })}</span>}
                </Show>
              </span>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}
