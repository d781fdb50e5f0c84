import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { type Tab, titleOf } from '../../workspace/tabs/tabs.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

interface Props {
  readonly tab_id: string;
  readonly onClose: () => void;
}

export function RenameTab(props: Props) {
  const { tabs } = useWorkspace();
  const tab = () => tabs.list.find(({ id }) => id === props.tab_id);
  return <Show when={tab()}>{(present) => <RenameForm tab={present()} onClose={props.onClose} />}</Show>;
}

function RenameForm(props: { tab: Tab; onClose: () => void }) {
  const { t } = useApp();
  const { tabs } = useWorkspace();
  const [title, setTitle] = createSignal(titleOf(props.tab));
  function rename(event: SubmitEvent): void {
    event.preventDefault();
    const wanted = title().trim();
    const automatic = titleOf({ ...props.tab, title: undefined });
    tabs.rename(props.tab.id, wanted === automatic ? '' : wanted);
    props.onClose();
  }
  return (
    <Dialog title={t('tab_rename_title')} onClose={props.onClose}>
      <form class="dialog-form" onSubmit={rename}>
        <Field
          label={t('name')}
          description={t('tab_rename_hint')}
          value={title()}
          onChange={setTitle}
          input={{ autocomplete: 'off', maxlength: 80 }}
        />
        <FormActions action={t('tab_rename_action')} busy={false} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
