import { useSearchParams } from '@solidjs/router';
import { useQuery } from '@tanstack/solid-query';
import { createEffect, createMemo, on, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatNumber } from '../../lib/format.ts';
import { QueryState } from '../../parts/query-state.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import {
  type AuditFilter,
  auditQuery,
  filterOf,
  formatTotal,
  isFiltered,
  queryOf,
  spanOf,
  type Total,
} from './audit.ts';
import { AuditFilters } from './filters.tsx';
import { AuditTable } from './table.tsx';
import { AuditTools } from './tools.tsx';
import './audit.css';

/** The audit log. Its filter is part of the page's address. */
export function AuditLog() {
  const { client, t } = useApp();
  const [query, setQuery] = useSearchParams();
  const filter = createMemo(() => filterOf(query));
  const log = useQuery(() => auditQuery(client, filter()));
  const change = (part: Partial<AuditFilter>) =>
    setQuery(queryOf({ ...filter(), page: 0, ...part }), { replace: part.page === undefined });
  let place: HTMLElement | undefined;
  const page_shown = () => log.data?.page;
  createEffect(on(page_shown, () => place?.scrollIntoView({ block: 'start' }), { defer: true }));
  return (
    <section class="section section-wide" aria-labelledby="audit-title" ref={place}>
      <SectionTitle id="audit-title" text={t('audit_log')} />
      <AuditFilters filter={filter()} onChange={change} />
      <AuditTools filter={filter()} onRefresh={() => void log.refetch()} busy={log.isFetching} />
      <QueryState query={log} failure={t('audit_failed')}>
        {(page) => (
          <Show
            when={page().entries.length > 0}
            fallback={<p class="empty">{t(isFiltered(filter()) ? 'audit_no_match' : 'audit_empty')}</p>}
          >
            <AuditTable entries={page().entries} onFilter={change} />
            <Pager
              page={page().page}
              shown={page().entries.length}
              total={page().total}
              onGo={(to) => change({ page: to })}
            />
          </Show>
        )}
      </QueryState>
    </section>
  );
}

interface PagerProps {
  readonly page: number;
  readonly shown: number;
  readonly total: Total;
  readonly onGo: (page: number) => void;
}

function Pager(props: PagerProps) {
  const { preferences, t } = useApp();
  const span = () => spanOf(props.page, props.shown, props.total);
  const count = (value: number) => formatNumber(value, preferences.values.language);
  const total = () => formatTotal(props.total, preferences.values.language);
  return (
    <nav class="pager" aria-label={t('pages')}>
      <button
        type="button"
        class="button"
        disabled={props.page === 0}
        onClick={() => props.onGo(props.page - 1)}
      >
        {t('newer_entries')}
      </button>
      <span role="status">
        {t('entries_span', { from: count(span().from), to: count(span().to), total: total() })}
      </span>
      <button
        type="button"
        class="button"
        disabled={!span().has_older}
        onClick={() => props.onGo(props.page + 1)}
      >
        {t('older_entries')}
      </button>
    </nav>
  );
}
