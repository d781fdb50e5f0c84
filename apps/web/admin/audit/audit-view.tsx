import { useSearchParams } from '@solidjs/router';
import { useQuery } from '@tanstack/solid-query';
import { createEffect, createMemo, on, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatNumber } from '../../lib/format.ts';
import { QueryBar } from '../../parts/query-bar/query-bar.tsx';
import { isEmpty, withToken } from '../../parts/query-bar/read.ts';
import { createQueryState } from '../../parts/query-bar/state.ts';
import { QueryState } from '../../parts/query-state.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { auditQuery, formatTotal, spanOf, type Total } from './audit.ts';
import { auditConditions, auditProblem, createAuditKeys } from './query.ts';
import { AuditTable } from './table.tsx';
import { createAuditTools } from './tools.tsx';
import './audit.css';

/** The audit log. What it is asked for is part of the page's address. */
export function AuditLog() {
  const { client, t } = useApp();
  const { keys, servers } = createAuditKeys();
  const state = createQueryState(keys);
  const [params, setParams] = useSearchParams();
  const page = () => Math.max(0, Math.trunc(Number([params['page']].flat()[0])) || 0);
  const conditions = createMemo(() => auditConditions(state.query(), servers()));
  const log = useQuery(() => auditQuery(client, conditions(), page()));
  const tools = createAuditTools({
    conditions,
    busy: () => log.isFetching,
    onRefresh: () => void log.refetch(),
  });
  let place: HTMLElement | undefined;
  const page_shown = () => log.data?.page;
  createEffect(
    on(page_shown, (_, before) => before !== undefined && place?.scrollIntoView({ block: 'start' }), {
      defer: true,
    }),
  );
  return (
    <section class="section section-wide section-list" aria-labelledby="audit-title" ref={place}>
      <SectionTitle id="audit-title" text={t('audit_log')} />
      <QueryBar
        id="audit"
        label={t('audit_bar')}
        placeholder={t('audit_bar_hint')}
        keys={keys()}
        state={state}
        problem={auditProblem(state.query(), servers())}
      >
        {tools.buttons}
      </QueryBar>
      {tools.results}
      <QueryState query={log} failure={t('audit_failed')}>
        {(known) => (
          <Show
            when={known().entries.length > 0}
            fallback={<p class="empty">{t(isEmpty(state.query()) ? 'audit_empty' : 'audit_no_match')}</p>}
          >
            <AuditTable
              entries={known().entries}
              onToken={(token) => state.replace(withToken(state.query(), token))}
            />
            <Pager
              page={known().page}
              shown={known().entries.length}
              total={known().total}
              onGo={(to) => setParams({ page: to > 0 ? String(to) : undefined })}
            />
          </Show>
        )}
      </QueryState>
      {tools.last}
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
