import { createUniqueId, For, Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatInstant, formatNumber } from '../../lib/format.ts';
import { Field } from '../../parts/fields/field.tsx';
import { FilePicker } from '../../parts/fields/file-picker.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { reasonOf, Trouble } from '../../parts/trouble.tsx';
import {
  BACKUP_MODES,
  type BackupMode,
  type FoundBundle,
  MAX_BUNDLE_BYTES,
  MAX_BUNDLE_MIB,
  MAX_PASSPHRASE_LENGTH,
} from './backup.ts';
import { BackupOutcome, BackupPlan, kindText } from './report.tsx';
import { createRestore } from './restore.ts';

type Restore = ReturnType<typeof createRestore>;

/** Restores a backup file, after showing what the restore would do. */
export function BackupRestore() {
  const { t } = useApp();
  const restore = createRestore();
  const why = useReadOnlyReason();
  return (
    <section class="backup-part" aria-labelledby="backup-restore-title">
      <h4 class="section-title" id="backup-restore-title">
        {t('backup_restore')}
      </h4>
      <FilePicker
        max_bytes={MAX_BUNDLE_BYTES}
        too_large={t('backup_file_too_large', { size: MAX_BUNDLE_MIB })}
        why={why()}
        disabled={restore.restoring.busy()}
        onText={restore.choose}
      />
      <Found found={restore.found()} />
      <Show when={restore.found().kind === 'bundle'}>
        <RestoreForm restore={restore} />
      </Show>
      <Show when={restore.planned()}>{(plan) => <BackupPlan plan={plan()} restore={restore} />}</Show>
      <Show when={restore.outcome()}>{(outcome) => <BackupOutcome outcome={outcome()} />}</Show>
    </section>
  );
}

/** Describes the file as far as possible without its passphrase. */
function Found(props: { found: FoundBundle }) {
  const { preferences, t } = useApp();
  const bad = () => (props.found.kind === 'bad' ? props.found : undefined);
  const good = () => (props.found.kind === 'bundle' ? props.found : undefined);
  const count = (value: number) => formatNumber(value, preferences.values.language);
  return (
    <div role="status">
      <Switch fallback={<p class="field-hint">{t('backup_choose_hint')}</p>}>
        <Match when={bad()}>{(found) => <p class="bad">{t(found().why)}</p>}</Match>
        <Match when={good()}>
          {(found) => (
            <dl class="facts">
              <dt>{t('backup_made')}</dt>
              <dd>{formatInstant(found().created_at, preferences.values.language)}</dd>
              <dt>{t('backup_made_by')}</dt>
              <dd>Sallyport {found().source_version}</dd>
              <dt>{t('backup_holds')}</dt>
              <dd>
                <ul class="backup-kinds">
                  <For each={found().counts} fallback={<li>{t('backup_holds_nothing')}</li>}>
                    {(counted) => (
                      <li>
                        {kindText(counted.kind, t)} <strong>{count(counted.count)}</strong>
                      </li>
                    )}
                  </For>
                </ul>
              </dd>
            </dl>
          )}
        </Match>
      </Switch>
    </div>
  );
}

function RestoreForm(props: { restore: Restore }) {
  const { t } = useApp();
  const { typed, planning, restoring } = props.restore;
  const is_busy = () => planning.busy() || restoring.busy();
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!is_busy()) await props.restore.look();
  }
  return (
    <form class="backup-form" onSubmit={(event) => void submit(event)}>
      <ModeChoice
        mode={typed.mode}
        disabled={restoring.busy()}
        onChange={(mode) => props.restore.change({ mode })}
      />
      <Field
        label={t('backup_passphrase_of')}
        value={typed.passphrase}
        onChange={(passphrase) => props.restore.change({ passphrase })}
        description={t('backup_passphrase_hint')}
        error={props.restore.is_wrong() ? reasonOf(planning.error(), t) : undefined}
        disabled={restoring.busy()}
        input={{ type: 'password', autocomplete: 'new-password', maxlength: MAX_PASSPHRASE_LENGTH }}
      />
      <Show when={planning.error() && !props.restore.is_wrong()}>
        <Trouble title={t('backup_not_read')} error={planning.error()} compact />
      </Show>
      <p class="backup-state" role="status">
        <Show when={planning.busy()}>
          <span class="spinner" aria-hidden="true" /> {t('backup_reading')}
        </Show>
      </p>
      <button type="submit" class="button" aria-disabled={is_busy() || typed.passphrase === ''}>
        {t('backup_look')}
      </button>
    </form>
  );
}

interface ModeProps {
  readonly mode: BackupMode;
  readonly disabled: boolean;
  readonly onChange: (mode: BackupMode) => void;
}

function ModeChoice(props: ModeProps) {
  const { t } = useApp();
  const name = createUniqueId();
  return (
    <fieldset class="backup-modes" disabled={props.disabled}>
      <legend class="field-label">{t('backup_mode')}</legend>
      <For each={BACKUP_MODES}>
        {(mode) => (
          <label class="backup-mode">
            <input
              type="radio"
              name={name}
              checked={props.mode === mode}
              aria-describedby={`${name}-${mode}`}
              onChange={() => props.onChange(mode)}
            />
            <span>
              <span class="switch-label">{t(`backup_mode_${mode}`)}</span>
              <span class="field-hint" id={`${name}-${mode}`}>
                {t(`backup_mode_${mode}_text`)}
              </span>
            </span>
          </label>
        )}
      </For>
    </fieldset>
  );
}
