import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createComputed, createMemo, createSignal, on, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { groupsQuery } from '../../lib/users.ts';
import { Field } from '../../parts/fields/field.tsx';
import { FilePicker } from '../../parts/fields/file-picker.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { KnownNames } from '../../parts/fields/known-names.tsx';
import { TextList } from '../../parts/text-list.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { serversQuery } from '../servers.ts';
import { ImportDialog, type ImportFormProps } from './dialog.tsx';
import { type ImportedServers, MAX_SERVERS_BYTES, namesIn, previewOf, sendImport } from './import.ts';
import { ImportPreview, ImportTrouble } from './preview.tsx';

/** Imports servers from an export or an OpenSSH configuration, with a preview. */
export function ImportServers(props: { onClose: () => void }) {
  const { t } = useApp();
  return (
    <ImportDialog<ImportedServers>
      title={t('import_servers')}
      form={(form) => <ImportForm {...form} />}
      result={(result) => <Imported result={result} />}
      onClose={props.onClose}
    />
  );
}

function ImportForm(props: ImportFormProps<ImportedServers>) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const attempt = createAttempt();
  const [options, update] = createStore({ group: '', username: '' });
  const preview = createMemo(() => previewOf(props.text));
  const servers = useQuery(() => serversQuery(client));
  const known = createMemo(() => new Set(servers.data?.map(({ name }) => name)));
  const names = createMemo(() => namesIn(preview()));
  const [left_out, leaveOut] = createSignal<ReadonlySet<string>>(new Set());
  /** What exists already is left out unless the user chooses it. */
  createComputed(on(names, (found) => leaveOut(new Set(found.filter((name) => known().has(name))))));
  const chosen = () => names().filter((name) => !left_out().has(name));
  const can_send = () => chosen().length > 0;
  function choose(some: readonly string[], is_chosen: boolean): void {
    const next = new Set(left_out());
    for (const name of some) {
      if (is_chosen) next.delete(name);
      else next.add(name);
    }
    leaveOut(next);
  }
  const type = (text: string) => {
    attempt.forget();
    props.onText(text);
  };

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!can_send()) return;
    await attempt.run(async () => {
      const result = await sendImport(client, props.text, { ...options, chosen: chosen() });
      await queries.invalidateQueries({ queryKey: ['servers'] });
      props.onImported(result);
      props.onText(''); // it may contain credentials
    });
  }

  return (
    <form class="dialog-form" onSubmit={(event) => void submit(event)}>
      <p class="dialog-lead">{t('import_servers_text')}</p>
      <Field
        label={t('import_source')}
        value={props.text}
        onChange={type}
        multiline
        class="field-mono"
        area={{ rows: 7, autocomplete: 'off', autocapitalize: 'none' }}
      />
      <FilePicker
        max_bytes={MAX_SERVERS_BYTES}
        too_large={t('import_too_large', { size: 8 })}
        onText={type}
      />
      <ImportPreview preview={preview()} known={known()} chosen={new Set(chosen())} onChoose={choose} />
      <Show when={preview().kind === 'ssh_config'}>
        <SshConfigFields {...options} onChange={update} />
      </Show>
      <Show when={attempt.error()}>
        <ImportTrouble error={attempt.error()} preview={preview()} />
      </Show>
      <FormActions
        action={t('import')}
        busy={attempt.busy()}
        blocked={!can_send()}
        onCancel={() => props.onCancel()}
      />
    </form>
  );
}

interface SshConfigProps {
  readonly group: string;
  readonly username: string;
  readonly onChange: (change: { group?: string; username?: string }) => void;
}

/** Values that an OpenSSH configuration does not contain. */
function SshConfigFields(props: SshConfigProps) {
  const { client, session, t } = useApp();
  const groups = useQuery(() => groupsQuery(client));
  return (
    <>
      <Field
        label={t('group')}
        description={t('group_hint')}
        value={props.group}
        onChange={(group) => props.onChange({ group })}
        input={{ list: 'import-groups', autocomplete: 'off' }}
      />
      <KnownNames id="import-groups" names={groups.data ?? []} />
      <Field
        label={t('ssh_username')}
        description={t('import_username_hint', { name: session.user()?.username ?? '' })}
        value={props.username}
        onChange={(username) => props.onChange({ username })}
        input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: 150 }}
      />
    </>
  );
}

function Imported(props: { result: ImportedServers }) {
  const { t } = useApp();
  return (
    <>
      <p class="good" role="status">
        {t('imported_servers', { count: props.result.created.length })}
      </p>
      <Warnings told={props.result} />
      <TextList title={t('added')} items={props.result.created}>
        {({ name, hostname }) => `${name} (${hostname})`}
      </TextList>
    </>
  );
}
