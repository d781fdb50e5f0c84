import { useApp } from '../app/context.ts';
import { formatSize } from '../lib/format.ts';
import './banner.css';

/** The gateway answers, but the host takes nothing of what is typed. */
export function UnreadInput(props: { bytes: number }) {
  const { preferences, t } = useApp();
  return (
    <div class="banner banner-cut-off" role="status">
      <p class="banner-text">
        <strong>{t('input_unread')}</strong>
        <span class="banner-hint">
          {t('input_unread_hint', { size: formatSize(props.bytes, preferences.values.language) })}
        </span>
      </p>
    </div>
  );
}
