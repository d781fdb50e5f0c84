import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { TerminalController } from './controller.ts';

/** Notices from the gateway during a session. */
export function TerminalNotice(props: { controller: TerminalController }) {
  const { t } = useApp();
  const dismiss = () => {
    props.controller.facts.note(undefined);
    props.controller.focus();
  };
  const present = () => (props.controller.ended() ? undefined : props.controller.facts.notice());
  return (
    <Show when={present()}>
      {(notice) => (
        <div class="banner" role="status">
          <p class="banner-text">{t.optional(`notice_${notice().code}`) ?? notice().message}</p>
          <div class="banner-actions">
            <button type="button" class="button button-quiet" onClick={dismiss}>
              {t('dismiss')}
            </button>
          </div>
        </div>
      )}
    </Show>
  );
}
