import ArrowDown from 'lucide-solid/icons/arrow-down';
import ArrowUp from 'lucide-solid/icons/arrow-up';
import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { Comparison } from './open-comparison.ts';

/** How many differences there are, and the way from one to the next. */
export function Differences(props: { comparison: Comparison }) {
  const { t } = useApp();
  const count = () => props.comparison.differences();
  return (
    <>
      <span class="comparison-count" role="status">
        {t('comparison_differences', { count: count() })}
      </span>
      <Show when={count() > 0}>
        <button
          type="button"
          class="pane-tool"
          aria-label={t('comparison_previous')}
          title={`${t('comparison_previous')} (Shift+F7)`}
          onClick={() => props.comparison.previous()}
        >
          <ArrowUp size={15} aria-hidden="true" />
        </button>
        <button
          type="button"
          class="pane-tool"
          aria-label={t('comparison_next')}
          title={`${t('comparison_next')} (F7)`}
          onClick={() => props.comparison.next()}
        >
          <ArrowDown size={15} aria-hidden="true" />
        </button>
      </Show>
    </>
  );
}
