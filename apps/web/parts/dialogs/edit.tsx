import { createSignal, type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Confirm } from './confirm.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly title: string;
  readonly wide?: boolean;
  readonly dirty: boolean;
  readonly onClose: () => void;
  /** Gets a `close` that first asks about unsaved changes. */
  readonly children: (close: () => void) => JSX.Element;
}

/** A dialog around a form; asks before discarding changes. */
export function EditDialog(props: Props) {
  const { t } = useApp();
  const [leaving, setLeaving] = createSignal(false);
  const close = () => (props.dirty ? setLeaving(true) : props.onClose());
  return (
    <Dialog title={props.title} wide={props.wide ?? false} sticky onClose={close}>
      {props.children(close)}
      <Show when={leaving()}>
        <Confirm
          title={t('discard_title')}
          text={t('discard_text')}
          action={t('discard')}
          danger
          onConfirm={props.onClose}
          onClose={() => setLeaving(false)}
        />
      </Show>
    </Dialog>
  );
}
