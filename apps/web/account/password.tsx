import CircleCheck from 'lucide-solid/icons/circle-check';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';
import { PasswordForm } from './password-form.tsx';
import { textsOfSource } from './sources.ts';

export function AccountPassword() {
  const { session, t } = useApp();
  const [round, setRound] = createSignal(1); // a new number mounts a fresh, empty form
  const [changed, setChanged] = createSignal(false);
  const why_fixed = useReadOnlyReason();
  const why = () => {
    const user = session.user();
    const key = user && textsOfSource(user).why_no_password;
    return key ? t(key) : why_fixed();
  };
  const restart = (is_changed: boolean) => {
    setChanged(is_changed);
    setRound(round() + 1);
  };
  return (
    <section class="section" aria-labelledby="password-title">
      <SectionTitle id="password-title" text={t('change_password')} />
      <Show when={why() === undefined} fallback={<p class="section-lead">{why()}</p>}>
        <p class="section-lead">{t('change_password_note')}</p>
        <Show when={changed()}>
          <p class="outcome good" role="status">
            <CircleCheck size={17} aria-hidden="true" /> {t('password_changed')}
          </p>
        </Show>
        <Show when={round()} keyed>
          <div class="section-form">
            <PasswordForm
              forced={false}
              onDone={() => restart(true)}
              onCancel={() => restart(false)}
              cancel_label={t('clear')}
            />
          </div>
        </Show>
      </Show>
    </section>
  );
}
