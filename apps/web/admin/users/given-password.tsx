import { onMount } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Secret } from '../../parts/secret.tsx';

interface Props {
  /** What was done, such as a user created. */
  readonly text: string;
  readonly password: string;
  readonly onDismiss: () => void;
}

/** Shows a password just set for another user once more, so that it can be passed on. */
export function GivenPassword(props: Props) {
  const { t } = useApp();
  let place: HTMLDivElement | undefined;
  onMount(() => place?.focus());
  return (
    <div class="given" tabIndex={-1} ref={place} role="status">
      <p class="good">{props.text}</p>
      <p class="field-hint">{t('given_password_hint')}</p>
      <Secret label={t('password')} value={props.password} copy_label={t('copy_password')} />
      <button type="button" class="button" onClick={() => props.onDismiss()}>
        {t('dismiss')}
      </button>
    </div>
  );
}
