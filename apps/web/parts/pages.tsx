import { Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { spanOfPage } from './page-span.ts';
import './pages.css';

interface Props {
  readonly page: number;
  /** Rows of a full page, of this one, and of all. */
  readonly each: number;
  readonly shown: number;
  readonly total: number;
  readonly onGo: (page: number) => void;
}

/** From page to page of a list that begins with the newest; nothing where one page is all. */
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
