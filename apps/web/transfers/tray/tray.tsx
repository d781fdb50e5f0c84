import ArrowUpDown from 'lucide-solid/icons/arrow-up-down';
import { createEffect, createSignal, createUniqueId, on, onCleanup, type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { listen } from '../../lib/root.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { loadable } from '../../parts/loadable.tsx';
import { useTransfers } from '../transfers.ts';
import type { ConflictProps } from './conflict.tsx';
import { shortText } from './summary-text.ts';
import './tray.css';

const TransferPanel = loadable(async () => (await import('./panel.tsx')).TransferPanel, {
  Placeholder: () => null,
  Frame: (props) => <section class="transfer-panel">{props.children}</section>,
});

const TransferConflict = loadable<ConflictProps>(
  async () => (await import('./conflict.tsx')).TransferConflict,
  { Placeholder: () => null, Frame: ConflictNotLoaded },
);

/** A file whose question cannot be asked is skipped when the dialog is closed. */
function ConflictNotLoaded(props: ParentProps<ConflictProps>) {
  const { t } = useApp();
  return (
    <Dialog title={t('loading')} sticky onClose={() => props.question.answer('skip', false)}>
      {props.children}
    </Dialog>
  );
}

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
          <TransferPanel id={panel_id} onClose={close} />
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
