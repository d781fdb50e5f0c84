import { useApp } from '../app/context.ts';
import './waiting.css';

/** A loading placeholder that appears only after a delay. */
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
