import { useApp } from '../../app/context.ts';
import { ReadOnlyNote } from '../../parts/read-only.tsx';
import { PasswordForm } from '../password-form.tsx';
import { SignInFrame } from './frame.tsx';

export function ForcedChange() {
  const { session, t } = useApp();
  return (
    <SignInFrame title={t('change_password')}>
      <p class="sign-in-lead">{t('forced_change', { username: session.user()?.username ?? '' })}</p>
      <ReadOnlyNote />
      <PasswordForm
        forced
        onDone={() => undefined}
        onCancel={() => void session.signOut()}
        cancel_label={t('sign_out')}
      />
    </SignInFrame>
  );
}
