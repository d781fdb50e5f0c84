import { useQueryClient } from '@tanstack/solid-query';
import { useApp } from '../app/context.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { forgetQuickKey, formatPlace, type QuickKey, quickKeysQuery } from './host-keys.ts';

interface ForgetProps {
  readonly pin: QuickKey;
  readonly onClose: () => void;
}

/** Asks before forgetting a pinned host key. */
export function ForgetQuickKey(props: ForgetProps) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  async function forget(): Promise<void> {
    await forgetQuickKey(client, props.pin);
    await queries.invalidateQueries({ queryKey: quickKeysQuery(client).queryKey });
  }
  return (
    <Confirm
      title={t('quick_forget_of', { name: formatPlace(props.pin) })}
      text={t('quick_forget_text')}
      action={t('quick_forget_now')}
      failure={t('quick_not_forgotten')}
      danger
      onConfirm={forget}
      onClose={props.onClose}
    >
      <dl class="facts">
        <dt>{t('pinned_key')}</dt>
        <dd>
          <code class="fingerprint">{props.pin.fingerprint}</code>
        </dd>
      </dl>
    </Confirm>
  );
}
