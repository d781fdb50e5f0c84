import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { KeyCheck } from '../servers/host-keys/key-check.tsx';
import { forgetQuickKey, formatPlace, pinOf, type QuickKey, quickKeysQuery } from './host-keys.ts';

interface ForgetProps {
  readonly pin: QuickKey;
  /** Fingerprint of the refused key, if known. */
  readonly presented?: string | undefined;
  readonly onForgotten?: (() => void) | undefined;
  readonly onClose: () => void;
}

/** Asks before forgetting a pinned host key. */
export function ForgetQuickKey(props: ForgetProps) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  let forgotten = false;
  async function forget(): Promise<void> {
    await forgetQuickKey(client, props.pin);
    forgotten = true;
    await queries.invalidateQueries({ queryKey: quickKeysQuery(client).queryKey });
  }
  function close(): void {
    props.onClose();
    if (forgotten) props.onForgotten?.();
  }
  return (
    <Confirm
      title={t('quick_forget_of', { name: formatPlace(props.pin) })}
      text={t('quick_forget_text')}
      action={t('quick_forget_now')}
      failure={t('quick_not_forgotten')}
      danger
      onConfirm={forget}
      onClose={close}
    >
      <dl class="facts">
        <dt>{t('pinned_key')}</dt>
        <dd>
          <code class="fingerprint">{props.pin.fingerprint}</code>
        </dd>
        <Show when={props.presented}>
          <dt>{t('presented_key')}</dt>
          <dd>
            <code class="fingerprint">{props.presented}</code>
          </dd>
        </Show>
      </dl>
      <KeyCheck />
    </Confirm>
  );
}

interface ButtonProps {
  readonly host: string;
  readonly port: number;
  readonly presented: string | undefined;
  readonly onForgotten: () => void;
}

/** Shown with a changed host key: forgets the pinned key. */
export function ForgetQuickKeyButton(props: ButtonProps) {
  const { client, t } = useApp();
  const keys = useQuery(() => quickKeysQuery(client));
  const [asking, setAsking] = createSignal(false);
  const why = useReadOnlyReason();
  const pin = () => (why() === undefined ? pinOf(keys.data ?? [], props) : undefined);
  return (
    <Show when={pin()}>
      {(present) => (
        <>
          <button type="button" class="button" onClick={() => setAsking(true)}>
            {t('quick_forget')}
          </button>
          <Show when={asking()}>
            <ForgetQuickKey
              pin={present()}
              presented={props.presented}
              onForgotten={props.onForgotten}
              onClose={() => setAsking(false)}
            />
          </Show>
        </>
      )}
    </Show>
  );
}
