import { createSignal, createUniqueId, For, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { encodingOptions } from '../lib/encodings.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { ChoiceField } from '../parts/fields/combo.tsx';
import { Field } from '../parts/fields/field.tsx';
import { FormActions } from '../parts/fields/form-actions.tsx';
import { MoreButton } from '../parts/fields/more-button.tsx';
import { SwitchField } from '../parts/fields/switch.tsx';
import { useWorkspace } from '../workspace/workspace.ts';
import { createQuickDraft, type QuickDraft } from './draft.ts';
import { createQuickRecents, openQuick, type QuickRecents } from './quick-connect.ts';
import { QuickSecretFields } from './secret-fields.tsx';
import { keepSecrets } from './secrets.ts';
import './quick-connect.css';

/** Connects to an unregistered host. The credentials are sent to the gateway and stored nowhere. */
export function QuickConnect(props: { onClose: () => void }) {
  const { session, t } = useApp();
  const { tabs } = useWorkspace();
  const recents = createQuickRecents(session.user()?.id ?? 0);
  const draft = createQuickDraft();

  function connect(event: SubmitEvent): void {
    event.preventDefault();
    const target = draft.target();
    if (!target) return;
    props.onClose();
    keepSecrets(openQuick(tabs, target), draft.secrets());
    recents.add(target);
  }

  return (
    <Dialog title={t('quick_connect')} description={t('quick_text')} sticky onClose={props.onClose}>
      <form class="dialog-form" novalidate onSubmit={connect}>
        <Field
          label={t('quick_line')}
          value={draft.values.line}
          onChange={draft.read}
          description={t('quick_line_hint')}
          error={draft.lineProblem()}
          class="field-mono"
          input={{ autocomplete: 'off', autocapitalize: 'none' }}
        />
        <Recents recents={recents} onPick={draft.read} />
        <PlaceFields draft={draft} />
        <QuickSecretFields draft={draft} />
        <MoreFields draft={draft} />
        <FormActions action={t('quick_go')} busy={false} onCancel={props.onClose} />
      </form>
      <RecentsSwitch recents={recents} />
    </Dialog>
  );
}

function PlaceFields(props: { draft: QuickDraft }) {
  const { t } = useApp();
  return (
    <div class="quick-place">
      <Field
        label={t('username')}
        value={props.draft.values.username}
        onChange={(username) => props.draft.set({ username })}
        error={props.draft.problem('username')}
        required
        input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: 150 }}
      />
      <Field
        label={t('hostname')}
        value={props.draft.values.host}
        onChange={(host) => props.draft.set({ host })}
        error={props.draft.problem('host')}
        required
        input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: 255 }}
      />
      <Field
        label={t('port')}
        value={props.draft.values.port}
        onChange={(port) => props.draft.set({ port })}
        error={props.draft.problem('port')}
        required
        input={{ inputmode: 'numeric', autocomplete: 'off', maxlength: 5 }}
      />
    </div>
  );
}

/** For hosts that do not write UTF-8, and for old devices. */
function MoreFields(props: { draft: QuickDraft }) {
  const { t } = useApp();
  const id = createUniqueId();
  const [is_open, setOpen] = createSignal(false);
  const is_shown = () => is_open() || props.draft.problem('terminal_type') !== undefined;
  const encodings = () =>
    encodingOptions(props.draft.values.terminal_encoding, (script) => t(`script_${script}`));
  return (
    <>
      <MoreButton
        is_open={is_shown()}
        controls={id}
        hint={t('quick_more_hint')}
        onPress={() => setOpen(!is_shown())}
      />
      <Show when={is_shown()}>
        <div class="quick-more" id={id}>
          <ChoiceField
            label={t('terminal_encoding')}
            description={t('terminal_encoding_hint')}
            value={props.draft.values.terminal_encoding}
            options={encodings()}
            onChange={(terminal_encoding) => props.draft.set({ terminal_encoding })}
          />
          <Field
            label={t('terminal_type')}
            description={t('terminal_type_hint')}
            value={props.draft.values.terminal_type}
            onChange={(terminal_type) => props.draft.set({ terminal_type })}
            error={props.draft.problem('terminal_type')}
            required
            input={{ maxlength: 64, autocapitalize: 'none', autocomplete: 'off' }}
          />
        </div>
      </Show>
    </>
  );
}

function Recents(props: { recents: QuickRecents; onPick: (line: string) => void }) {
  const { t } = useApp();
  return (
    <Show when={props.recents.list().length > 0}>
      <ul class="quick-recents" aria-label={t('quick_recents')}>
        <For each={props.recents.list()}>
          {(line) => (
            <li>
              <button type="button" class="chip" onClick={() => props.onPick(line)}>
                {line}
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function RecentsSwitch(props: { recents: QuickRecents }) {
  const { t } = useApp();
  return (
    <div class="quick-keep">
      <SwitchField
        label={t('quick_remember')}
        description={t('quick_remember_text')}
        checked={props.recents.on()}
        onChange={props.recents.setOn}
      />
      <Show when={props.recents.list().length > 0}>
        <button type="button" class="button" onClick={() => props.recents.clear()}>
          {t('quick_clear')}
        </button>
      </Show>
    </div>
  );
}
