import { useQueryClient } from '@tanstack/solid-query';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { Field } from '../../parts/fields/field.tsx';
import { FilePicker } from '../../parts/fields/file-picker.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { TextList } from '../../parts/text-list.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { revokedKeysQuery } from '../host-keys/revoked.ts';
import { ImportDialog, type ImportFormProps } from './dialog.tsx';
import { type ImportedHostKeys, MAX_TEXT_BYTES, sendHostKeys } from './import.ts';

/** Imports host key pins from a `known_hosts` file. */
export function ImportHostKeys(props: { onClose: () => void }) {
  const { t } = useApp();
  return (
    <ImportDialog<ImportedHostKeys>
      title={t('import_host_keys')}
      form={(form) => <HostKeyForm {...form} />}
      result={(result) => <Imported result={result} />}
      onClose={props.onClose}
    />
  );
}

function HostKeyForm(props: ImportFormProps<ImportedHostKeys>) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const attempt = createAttempt();
  const type = (text: string) => {
    attempt.forget();
    props.onText(text);
  };

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    await attempt.run(async () => {
      const result = await sendHostKeys(client, props.text);
      await queries.invalidateQueries({ queryKey: ['servers'] });
      await queries.invalidateQueries({ queryKey: revokedKeysQuery(client).queryKey });
      props.onImported(result);
    });
  }

  return (
    <form class="dialog-form" onSubmit={(event) => void submit(event)}>
      <p class="dialog-lead">{t('import_host_keys_text')}</p>
      <Field
        label={t('known_hosts_source')}
        value={props.text}
        onChange={type}
        multiline
        class="field-mono"
        area={{ rows: 7, autocomplete: 'off', autocapitalize: 'none' }}
      />
      <FilePicker max_bytes={MAX_TEXT_BYTES} too_large={t('import_too_large', { size: 1 })} onText={type} />
      <Show when={attempt.error()}>
        <Trouble title={t('host_keys_not_imported')} error={attempt.error()} compact />
      </Show>
      <FormActions
        action={t('pin_keys')}
        busy={attempt.busy()}
        blocked={props.text.trim() === ''}
        onCancel={() => props.onCancel()}
      />
    </form>
  );
}

function Imported(props: { result: ImportedHostKeys }) {
  const { t } = useApp();
  const counts = () => ({ pinned: props.result.pinned.length, unchanged: props.result.unchanged });
  return (
    <>
      <p class={props.result.pinned.length > 0 ? 'good' : ''} role="status">
        {t('imported_host_keys', counts())}
      </p>
      <Warnings told={props.result} />
      <TextList title={t('pinned')} items={props.result.pinned}>
        {({ name, fingerprint }) => (
          <span class="text-list-item">
            {name} <code class="fingerprint">{fingerprint}</code>
          </span>
        )}
      </TextList>
    </>
  );
}
