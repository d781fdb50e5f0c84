import ChevronDown from 'lucide-solid/icons/chevron-down';
import { createEffect, For, on, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createFocusHold } from '../../parts/focus.ts';
import { isOver, mayGoOn } from '../row.ts';
import { useTransfers } from '../transfers.ts';
import { TransferLine } from './line.tsx';
import { rateText } from './words.ts';

/** The list of transfers, with what can be done with all of them. */
export function TransferPanel(props: { id: string; onClose: () => void }) {
  const { preferences, t } = useApp();
  const { rows, summary, pauseAll, resumeAll, clearEnded } = useTransfers();
  let list: HTMLUListElement | undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    props.onClose();
  };
  createEffect(
    on(
      () => rows.length,
      (count, before = 0) => count > before && list?.lastElementChild?.scrollIntoView({ block: 'nearest' }),
    ),
  );
  return (
    <section
      class="transfer-panel"
      id={props.id}
      aria-label={t('transfer_title')}
      onKeyDown={onKeyDown}
      ref={createFocusHold()}
    >
      <header class="transfer-head">
        <h2 class="transfer-title">{t('transfer_title')}</h2>
        <span class="transfer-rate">{rateText(summary(), preferences.values.language, t)}</span>
        <Show when={summary().active > 0}>
          <button type="button" class="link-button" onClick={pauseAll}>
            {t('transfer_pause_all')}
          </button>
        </Show>
        <Show when={rows.some(mayGoOn)}>
          <button type="button" class="link-button" onClick={resumeAll}>
            {t('transfer_resume_all')}
          </button>
        </Show>
        <Show when={rows.some(isOver)}>
          <button type="button" class="link-button" onClick={clearEnded}>
            {t('transfer_clear')}
          </button>
        </Show>
        <button
          type="button"
          class="icon-button icon-button-small"
          aria-label={t('transfer_hide')}
          title={t('transfer_hide')}
          onClick={() => props.onClose()}
        >
          <ChevronDown size={16} aria-hidden="true" />
        </button>
      </header>
      <ul class="transfer-list" ref={list}>
        <For each={rows}>{(row) => <TransferLine row={row} />}</For>
      </ul>
    </section>
  );
}
