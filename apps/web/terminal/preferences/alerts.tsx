import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { BELLS, PROGRAM_NOTIFICATIONS } from '../../app/preferences.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { Choice, PreferenceSection, Toggle } from './controls.tsx';

export function AlertPreferences() {
  const { values } = useApp().preferences;
  const { notifier } = useWorkspace();
  const is_wanted = () =>
    values.program_notifications === 'notify' || values.notify_bell || values.notify_transfers;
  return (
    <PreferenceSection id="preferences-alerts" title="preferences_alerts">
      <Choice name="bell" values={BELLS} />
      <Toggle name="notify_bell" hint="notify_bell_hint" />
      <Choice name="program_notifications" values={PROGRAM_NOTIFICATIONS} hint="program_notifications_hint" />
      <Toggle name="notify_transfers" hint="notify_transfers_hint" />
      <Show when={is_wanted() && notifier.permission() !== 'granted'}>
        <NoPermission />
      </Show>
    </PreferenceSection>
  );
}

/** Notifications are wanted, and the browser does not show any. */
function NoPermission() {
  const { t } = useApp();
  const { notifier } = useWorkspace();
  const is_denied = () => notifier.permission() === 'denied';
  return (
    <div class="note note-warning" role="note">
      <TriangleAlert size={16} aria-hidden="true" />
      <div class="preferences-permission">
        <span>{t(is_denied() ? 'notifications_denied' : 'notifications_not_asked')}</span>
        <Show when={!is_denied()}>
          <button type="button" class="button" onClick={() => void notifier.ask()}>
            {t('notifications_ask')}
          </button>
        </Show>
      </div>
    </div>
  );
}
