import ChevronRight from 'lucide-solid/icons/chevron-right';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import './more-button.css';

interface Props {
  readonly is_open: boolean;
  /** The id of what it shows. */
  readonly controls: string;
  /** Says what is behind the button while it is closed. */
  readonly hint: string;
  readonly onPress: () => void;
}

/** Shows the fields that most people leave as they are. */
export function MoreButton(props: Props) {
  const { t } = useApp();
  return (
    <button
      type="button"
      class="form-more"
      aria-expanded={props.is_open}
      aria-controls={props.is_open ? props.controls : undefined}
      onClick={() => props.onPress()}
    >
      <ChevronRight size={16} aria-hidden="true" />
      {t('form_more')}
      <Show when={!props.is_open}>
        <span class="form-more-hint">{props.hint}</span>
      </Show>
    </button>
  );
}
