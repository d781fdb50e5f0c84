import { createSignal, createUniqueId, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { CheckField } from '../../parts/fields/check.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { createBatchRun } from '../changes/batch-run.ts';
import type { FileTab } from '../file-tab.ts';
import type { Entry } from '../list/entries.ts';
import { BatchForm } from './batch-form.tsx';
import { bitOf, fromOctal, locksOwnerOut, modeOf, SPECIAL, specialBit, toOctal, WHAT, WHO } from './mode.ts';

interface Props {
  readonly entries: readonly Entry[];
  readonly files: FileTab;
  readonly onClose: () => void;
}

/** Permissions as checkboxes and as an octal number, kept in sync. */
export function ChangeMode(props: Props) {
  const { t } = useApp();
  const { entries, files } = props;
  const run = createBatchRun();
  const present = presentMode(entries);
  const [typed, setTyped] = createSignal(present === undefined ? '' : toOctal(present));
  const [recursive, setRecursive] = createSignal(false);
  const mode = () => fromOctal(typed());
  const has_directories = entries.some(({ is_dir }) => is_dir);
  const [only] = entries;

  async function change(): Promise<void> {
    const done = new Set(run.outcome()?.done);
    const due = entries.filter(({ path }) => !done.has(path));
    const wanted = { mode: typed().trim(), recursive: recursive() };
    const is_done = await run.start(due.length, (progress) =>
      files.changes.changeMode(due, wanted, progress),
    );
    if (is_done) props.onClose();
  }
  return (
    <Dialog
      title={t('files_chmod_of', {
        name: entries.length === 1 ? (only?.name ?? '') : t('files_count', { count: entries.length }),
      })}
      onClose={() => (run.running() ? run.cancel() : props.onClose())}
    >
      <BatchForm
        run={run}
        action={t('files_chmod_action')}
        blocked={mode() === undefined}
        failure={(values) => t('files_mode_unchanged', values)}
        onStart={() => void change()}
        onClose={props.onClose}
      >
        <Show when={present === undefined}>
          <p class="dialog-lead">{t(entries.length > 1 ? 'files_modes_differ' : 'files_mode_of_link')}</p>
        </Show>
        <ModeGrid mode={mode() ?? 0} onChange={(next) => setTyped(toOctal(next))} />
        <Field
          class="mode-octal"
          label={t('files_octal')}
          value={typed()}
          onChange={setTyped}
          error={typed() === '' || mode() !== undefined ? undefined : t('files_octal_rule')}
          input={{ inputmode: 'numeric', maxlength: 4, autocomplete: 'off' }}
        />
        <Show when={has_directories}>
          <CheckField
            label={t('files_recursive')}
            description={t('files_recursive_hint')}
            checked={recursive()}
            onChange={setRecursive}
          />
        </Show>
        <Show when={has_directories && locksOwnerOut(mode() ?? 0o700)}>
          <p class="note note-warning">{t('files_mode_locks_out')}</p>
        </Show>
      </BatchForm>
    </Dialog>
  );
}

/** Undefined if they differ, or for a link whose target's mode is unknown. */
function presentMode(entries: readonly Entry[]): number | undefined {
  const modes = entries.map(({ permissions, is_symlink }) => (is_symlink ? undefined : modeOf(permissions)));
  return modes.every((mode) => mode === modes[0]) ? modes[0] : undefined;
}

function ModeGrid(props: { mode: number; onChange: (mode: number) => void }) {
  const { t } = useApp();
  return (
    <table class="mode-grid" aria-label={t('column_permissions')}>
      <thead>
        <tr>
          <td />
          <For each={WHAT}>{(what) => <th scope="col">{t(`files_mode_${what}`)}</th>}</For>
          <th scope="col">{t('files_mode_special')}</th>
        </tr>
      </thead>
      <tbody>
        <For each={WHO}>
          {(who, row) => (
            <tr>
              <th scope="row">{t(`files_mode_${who}`)}</th>
              <For each={WHAT}>
                {(what) => (
                  <td>
                    <BitBox
                      {...props}
                      bit={bitOf(who, what)}
                      label={`${t(`files_mode_${who}`)}: ${t(`files_mode_${what}`)}`}
                    />
                  </td>
                )}
              </For>
              <td>
                <For each={SPECIAL.slice(row(), row() + 1)}>
                  {(special) => (
                    <BitBox {...props} bit={specialBit(special)} label={t(`files_mode_${special}`)} named />
                  )}
                </For>
              </td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

interface BitProps {
  readonly mode: number;
  readonly bit: number;
  readonly label: string;
  /** Whether to show the label beside the checkbox. */
  readonly named?: boolean;
  readonly onChange: (mode: number) => void;
}

function BitBox(props: BitProps) {
  const id = createUniqueId();
  return (
    <span class="mode-bit">
      <input
        type="checkbox"
        id={id}
        aria-label={props.label}
        checked={(props.mode & props.bit) !== 0}
        onChange={() => props.onChange(props.mode ^ props.bit)}
      />
      <Show when={props.named}>
        <label for={id}>{props.label}</label>
      </Show>
    </span>
  );
}
