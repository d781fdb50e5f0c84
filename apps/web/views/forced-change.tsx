import { Door } from '../parts/door.tsx';
import { PasswordForm } from '../parts/password-form.tsx';
import { WhyFixed } from '../parts/why-fixed.tsx';
import { useApp } from '../state/app-context.ts';

export function ForcedChange() {
  const { session, t } = useApp();
  return (
    <Door title={t('change_password')}>
      <p class="door-lead">{t('forced_change', { username: session.user()?.username ?? '' })}</p>
      <WhyFixed />
      <PasswordForm
        forced
        onDone={() => undefined}
        onCancel={() => void session.signOut()}
        cancel_label={t('sign_out')}
      />
    </Door>
  );
}
