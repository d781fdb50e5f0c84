import Copy from 'lucide-solid/icons/copy';
import TextCursorInput from 'lucide-solid/icons/text-cursor-input';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { copyText } from '../lib/clipboard.ts';
import { promptText } from '../lib/visible-text.ts';
import { ReasonButton } from '../parts/reason-button.tsx';

/** Puts text at the cursor of a terminal, without a line end. */
export interface Inserting {
  /** Why it cannot be done now; undefined if it can. */
  why(): string | undefined;
  insert(text: string): void;
}

/** The buttons of a code block. */
export function CodeTools(props: { code: string; inserting: Inserting | undefined }) {
  const { t } = useApp();
  const [outcome, setOutcome] = createSignal<'copied' | 'not_copied'>();
  async function copy(): Promise<void> {
    setOutcome((await copyText(props.code)) ? 'copied' : 'not_copied');
  }
  const said = () => {
    const key = outcome();
    return key && t(key);
  };
  return (
    <div class="agent-code-tools">
      <span class="agent-code-said" role="status">
        {said()}
      </span>
      <button type="button" class="agent-code-tool" onClick={() => void copy()}>
        <Copy size={13} aria-hidden="true" /> {t('agent_copy')}
      </button>
      <Show when={props.inserting}>
        {(inserting) => (
          <ReasonButton
            class="agent-code-tool"
            title={t('agent_insert_hint')}
            why={inserting().why()}
            onPress={() => inserting().insert(promptText(props.code))}
          >
            <TextCursorInput size={13} aria-hidden="true" /> {t('agent_insert')}
          </ReasonButton>
        )}
      </Show>
    </div>
  );
}
