import { useApp } from '../app-context.ts';
import './waiting.css';

/** In the place of something that is fetched; said only when it takes a while. */
export function Waiting() {
  const { t } = useApp();
  return (
    <div class="splash" role="status">
      <span class="splash-waiting">
        <span class="spinner" aria-hidden="true" /> {t('loading')}
      </span>
    </div>
  );
}
