import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { KeyCheck } from '../servers/host-keys/key-check.tsx';
import type { PresentedKey } from '../servers/host-keys/presented.ts';
import { acceptQuickKey, formatPlace, pinOf, type QuickKey, quickKeysQuery } from './host-keys.ts';

interface ButtonProps {
  readonly host: string;
  readonly port: number;
  readonly presented: PresentedKey | undefined;
  readonly onAccepted: () => void;
}

/** Shown with a changed host key of a quick connection: pins the new one. */
export function AcceptQuickKeyButton(props: ButtonProps) {
  const { client, t } = useApp();
  const keys = useQuery(() => quickKeysQuery(client));
  const [asking, setAsking] = createSignal<QuestionProps>();
  const why = useReadOnlyReason();
  const question = () => {
    const pin = why() === undefined ? pinOf(keys.data ?? [], props) : undefined;
    return pin && props.presented ? { pin, presented: props.presented } : undefined;
  };
  return (
    <Show when={question()}>
      {(present) => (
        <>
          <button type="button" class="button" onClick={() => setAsking(present())}>
            {t('accept_new_key')}
          </button>
          <Show when={asking()}>
            {(asked) => (
              <AcceptQuickKey
                {...asked()}
                onAccepted={props.onAccepted}
                onClose={() => setAsking(undefined)}
              />
            )}
          </Show>
        </>
      )}
    </Show>
  );
}

interface QuestionProps {
  readonly pin: QuickKey;
  readonly presented: PresentedKey;
}

function AcceptQuickKey(props: QuestionProps & { onAccepted: () => void; onClose: () => void }) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  let accepted = false;
  async function accept(): Promise<void> {
    await acceptQuickKey(client, props.pin, props.presented.host_key);
    accepted = true;
    await queries.invalidateQueries({ queryKey: quickKeysQuery(client).queryKey });
  }
  function close(): void {
    props.onClose();
    if (accepted) props.onAccepted();
  }
  return (
    <Confirm
      title={t('accept_new_key_of', { name: formatPlace(props.pin) })}
      text={t('accept_new_key_text')}
      action={t('accept_new_key_action')}
      failure={t('accept_new_key_failed')}
      danger
      onConfirm={accept}
      onClose={close}
    >
      <dl class="facts">
        <dt>{t('pinned_key')}</dt>
        <dd>
          <code class="fingerprint">{props.pin.fingerprint}</code>
        </dd>
        <dt>{t('presented_key')}</dt>
        <dd>
          <code class="fingerprint">{props.presented.fingerprint}</code>
        </dd>
      </dl>
      <KeyCheck />
    </Confirm>
  );
}
