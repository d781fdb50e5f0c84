import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { KeyCheck } from './key-check.tsx';

interface Props {
  /** What has presented the key. */
  readonly name: string;
  readonly pinned: string;
  readonly presented: string;
  /** How many further keys of the host would be forgotten. */
  readonly announced?: number;
  readonly accept: () => Promise<void>;
  readonly onAccepted?: (() => void) | undefined;
  readonly onClose: () => void;
}

/** Shows the fingerprints of both keys, and pins the new one when the user accepts it. */
export function AcceptKeyQuestion(props: Props) {
  const { t } = useApp();
  let is_accepted = false;
  async function confirm(): Promise<void> {
    await props.accept();
    is_accepted = true;
  }
  function close(): void {
    props.onClose();
    if (is_accepted) props.onAccepted?.();
  }
  return (
    <Confirm
      title={t('accept_new_key_of', { name: props.name })}
      text={t('accept_new_key_text')}
      action={t('accept_new_key_action')}
      failure={t('accept_new_key_failed')}
      danger
      onConfirm={confirm}
      onClose={close}
    >
      <dl class="facts">
        <dt>{t('pinned_key')}</dt>
        <dd>
          <code class="fingerprint">{props.pinned || t('no_key_yet')}</code>
        </dd>
        <dt>{t('presented_key')}</dt>
        <dd>
          <code class="fingerprint">{props.presented}</code>
        </dd>
        <Show when={props.announced}>
          {(count) => (
            <>
              <dt>{t('announced_keys_too')}</dt>
              <dd>{count()}</dd>
            </>
          )}
        </Show>
      </dl>
      <KeyCheck />
    </Confirm>
  );
}
