import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { spanOfPage } from './page-span.ts';
import './pages.css';

interface Props {
  readonly page: number;
  /** Rows on a full page, on this page, and in total. */
  readonly each: number;
  readonly shown: number;
  readonly total: number;
  readonly onGo: (page: number) => void;
}

/** Pagination of a newest-first list; renders nothing if there is only one page. */
export function Pages(props: Props) {
  const { t } = useApp();
  const span = () => spanOfPage(props.page, props);
  return (
    <Show when={props.page > 0 || span().has_more}>
      <nav class="pages" aria-label={t('pages')}>
        <button
          type="button"
          class="button"
          disabled={props.page === 0}
          onClick={() => props.onGo(props.page - 1)}
        >
          {t('newer_entries')}
        </button>
        <span role="status">
          {t('entries_span', { from: span().from, to: span().to, total: props.total })}
        </span>
        <button
          type="button"
          class="button"
          disabled={!span().has_more}
          onClick={() => props.onGo(props.page + 1)}
        >
          {t('older_entries')}
        </button>
      </nav>
    </Show>
  );
}
