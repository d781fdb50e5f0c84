import Copy from 'lucide-solid/icons/copy';
import { createSignal } from 'solid-js';
import { useApp } from '../app/context.ts';
import { copyText } from '../lib/clipboard.ts';

interface Props {
  readonly text: string;
  /** The button's text, which names what it copies. */
  readonly label: string;
}

/** Shows whether copying succeeded. */
export function CopyButton(props: Props) {
  const { t } = useApp();
  const [outcome, setOutcome] = createSignal<'copied' | 'not_copied'>();
  async function copy(): Promise<void> {
    setOutcome(undefined);
    setOutcome((await copyText(props.text)) ? 'copied' : 'not_copied');
  }
  const said = () => {
    const key = outcome();
    return key && t(key);
  };
  return (
    <span class="copy">
      <button type="button" class="button" disabled={props.text === ''} onClick={() => void copy()}>
        <Copy size={15} aria-hidden="true" /> {props.label}
      </button>
      <span class="field-hint" role="status">
        {said()}
      </span>
    </span>
  );
}
