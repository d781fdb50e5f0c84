import ArrowUpDown from 'lucide-solid/icons/arrow-up-down';
import ChevronDown from 'lucide-solid/icons/chevron-down';
import { createEffect, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { listen } from '../../lib/root.ts';
import { createFocusHold } from '../../parts/focus.ts';
import { isOver, mayGoOn } from '../row.ts';
import { useTransfers } from '../transfers.ts';
import { TransferConflict } from './conflict.tsx';
import { TransferLine } from './line.tsx';
import { shortText } from './summary-text.ts';
import { rateText } from './words.ts';
import './tray.css';

/** The status line's summary of transfers, which opens the list. */
export function TransferTray() {
  const { t } = useApp();
  const { rows, summary, questions, is_open, setOpen } = useTransfers();
  const panel_id = createUniqueId();
  let toggle: HTMLButtonElement | undefined;
  const close = () => {
    setOpen(false);
    toggle?.focus();
  };
  createEffect(
    on(
      () => summary().active,
      (active, before) => active > 0 && !before && setOpen(true),
    ),
  );
  createEffect(
    on(
      () => rows.some(({ state }) => state === 'waiting'),
      (is_waiting) => is_waiting && setOpen(true), // since the page was left: nothing goes on by itself
    ),
  );
  createFold(() => setOpen(false));
  return (
    <>
      <Show when={rows.length > 0}>
        <button
          type="button"
          class="transfer-toggle"
          aria-expanded={is_open()}
          aria-controls={is_open() ? panel_id : undefined}
          onClick={() => setOpen(!is_open())}
          ref={toggle}
        >
          <ArrowUpDown size={13} aria-hidden="true" />
          {shortText(summary(), t)}
        </button>
        <Show when={is_open()}>
          <Panel id={panel_id} onClose={close} />
        </Show>
      </Show>
      <News />
      <Show when={questions()[0]}>
        {(question) => <TransferConflict question={question()} count={questions().length} />}
      </Show>
    </>
  );
}

/** Folds the list once everything is finished and the user goes on elsewhere, where it would cover something. */
function createFold(fold: () => void): void {
  const { summary } = useTransfers();
  const isFinished = () => summary().active + summary().failed + summary().paused === 0;
  const goOn = ({ target }: Event) => {
    const is_elsewhere = target instanceof Element && !target.closest('.transfer-panel, .transfer-toggle');
    if (isFinished() && is_elsewhere) fold();
  };
  onCleanup(listen(useApp().place, ['pointerdown', 'keydown'], goOn));
}

function Panel(props: { id: string; onClose: () => void }) {
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

/** Announced once when transfers start, fail or finish, but not during progress. */
function News() {
  const { t } = useApp();
  const { summary } = useTransfers();
  const [news, setNews] = createSignal('');
  createEffect(
    on(
      () => [summary().active, summary().failed] as const,
      ([active, failed], before: readonly [number, number] = [0, 0]) => {
        if (failed > before[1]) setNews(t('transfer_news_failed', { count: failed }));
        else if (active > 0 && before[0] === 0) setNews(t('transfer_news_begun'));
        else if (active === 0 && before[0] > 0)
          setNews(summary().paused > 0 ? t('transfer_news_paused') : t('transfer_news_done'));
      },
    ),
  );
  return (
    <p class="visually-hidden" role="status">
      {news()}
    </p>
  );
}
