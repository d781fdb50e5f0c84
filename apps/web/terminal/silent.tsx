import { useApp } from '../app/context.ts';
import { createClock } from '../lib/clock.ts';
import './banner.css';

const SILENT_S = 3; // shown from then on

/** The line looks open, but nothing answers what is typed. */
export function Silent(props: { since_ms: number; onReconnect: () => void }) {
  const { t } = useApp();
  const now = createClock();
  const seconds = () => Math.max(SILENT_S, Math.floor((now() - props.since_ms) / 1000));
  return (
    <div class="banner banner-cut-off">
      <p class="banner-text">
        <strong>
          <span aria-hidden="true">{t('no_answer', { seconds: seconds() })}</span>
          <span class="visually-hidden" role="status">
            {t('state_silent')}
          </span>
        </strong>
        <span class="banner-hint">{t('no_answer_hint')}</span>
      </p>
      <div class="banner-actions">
        <button type="button" class="button" onClick={() => props.onReconnect()}>
          {t('reconnect_now')}
        </button>
      </div>
    </div>
  );
}
