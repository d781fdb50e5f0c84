import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { createSignal, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { dayOf } from '../../lib/expiry.ts';
import { formatSize } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-file.ts';
import { Field } from '../../parts/fields/field.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { exportBackup, MAX_PASSPHRASE_LENGTH, MIN_PASSPHRASE_LENGTH, strengthOf } from './backup.ts';

const EMPTY = { passphrase: '', again: '' };

/** Exports everything to one file, encrypted with a passphrase that is not stored. */
export function BackupExport() {
  const { t } = useApp();
  const form = createExport();
  const { typed } = form;
  return (
    <form
      class="backup-part"
      aria-labelledby="backup-export-title"
      onSubmit={(event) => void form.submit(event)}
    >
      <h4 class="section-title" id="backup-export-title">
        {t('backup_export')}
      </h4>
      <Field
        label={t('passphrase')}
        value={typed.passphrase}
        onChange={(passphrase) => form.type({ passphrase })}
        description={form.hint()}
        error={form.is_short() ? t('backup_strength_short', { count: MIN_PASSPHRASE_LENGTH }) : undefined}
        input={{ type: 'password', autocomplete: 'new-password', maxlength: MAX_PASSPHRASE_LENGTH }}
      />
      <Field
        label={t('backup_again')}
        value={typed.again}
        onChange={(again) => form.type({ again })}
        error={form.differs() ? t('backup_differs') : undefined}
        input={{ type: 'password', autocomplete: 'new-password', maxlength: MAX_PASSPHRASE_LENGTH }}
      />
      <SwitchField
        label={t('backup_audit')}
        description={t('backup_audit_hint')}
        checked={typed.include_audit}
        onChange={(include_audit) => form.type({ include_audit })}
      />
      <p class="note note-warning">
        <TriangleAlert size={16} aria-hidden="true" /> <span>{t('backup_warning')}</span>
      </p>
      <Show when={form.unreadable()}>
        {(count) => (
          <p class="note note-warning" role="alert">
            <TriangleAlert size={16} aria-hidden="true" />
            <span>{t('backup_unreadable_secrets', { count: count() })}</span>
          </p>
        )}
      </Show>
      <Show when={form.error()}>
        <Trouble title={t('backup_not_made')} error={form.error()} compact />
      </Show>
      <p class="backup-state" role="status">
        <Show
          when={form.busy()}
          fallback={<Show when={form.saved()}>{(said) => <span class="good">{said()}</span>}</Show>}
        >
          <span class="spinner" aria-hidden="true" /> {t('backup_making')}
        </Show>
      </p>
      <ReasonButton class="button button-primary" submits why={form.why()} busy={form.busy()}>
        {t('backup_export_action')}
      </ReasonButton>
    </form>
  );
}

function createExport() {
  const { client, preferences, t } = useApp();
  const attempt = createAttempt();
  const why = useReadOnlyReason();
  const [typed, update] = createStore({ ...EMPTY, include_audit: false });
  const [saved, setSaved] = createSignal('');
  const [unreadable, setUnreadable] = createSignal(0);
  const [tried, setTried] = createSignal(false);
  const strength = () => strengthOf(typed.passphrase);
  const is_same = () => typed.passphrase === typed.again;
  const is_begun = () => typed.again !== '' && typed.passphrase.startsWith(typed.again);

  async function save(): Promise<void> {
    const { passphrase, include_audit } = typed;
    const { content, unreadable } = await exportBackup(client, { passphrase, include_audit });
    setUnreadable(unreadable);
    const name = `sallyport-backup-${dayOf(new Date())}.json`;
    saveFile(name, content);
    update(EMPTY);
    setTried(false);
    setSaved(t('backup_saved', { name, size: formatSize(content.size, preferences.values.language) }));
  }

  return {
    typed,
    why,
    saved,
    /** The number of secrets missing from the file because they could not be decrypted. */
    unreadable,
    busy: attempt.busy,
    error: attempt.error,
    is_short: () => tried() && strength() === 'short',
    /** Not while the repetition is still being typed. */
    differs: () => !is_same() && (tried() || (typed.again !== '' && !is_begun())),
    hint: () => t(`backup_strength_${strength()}`, { count: MIN_PASSPHRASE_LENGTH }),
    type(change: Partial<typeof typed>) {
      attempt.forget();
      setSaved('');
      update(change);
    },
    async submit(event: SubmitEvent) {
      event.preventDefault();
      setTried(true);
      if (why() === undefined && strength() !== 'short' && is_same()) await attempt.run(save);
    },
  };
}
