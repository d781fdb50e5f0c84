import { useApp } from '../../app-context.ts';
import { ReadOnlyNote } from '../../parts/read-only.tsx';
import { PasswordForm } from '../password-form.tsx';
import { Door } from './door.tsx';

export function ForcedChange() {
  const { session, t } = useApp();
  return (
    <Door title={t('change_password')}>
      <p class="door-lead">{t('forced_change', { username: session.user()?.username ?? '' })}</p>
      <ReadOnlyNote />
      <PasswordForm
        forced
        onDone={() => undefined}
        onCancel={() => void session.signOut()}
        cancel_label={t('sign_out')}
      />
    </Door>
  );
}
