import KeyRound from 'lucide-solid/icons/key-round';
import { createUniqueId, For, Show } from 'solid-js';
import type { PromptFrame } from '#client/terminal/ending.ts';
import { useApp } from '../app/context.ts';
import { goToNextEmpty } from '../parts/fields/empty-fields.ts';
import { Lines, Name, Said } from '../parts/name.tsx';
import '../parts/fields/field.css';
import './prompt.css';

const MAX_ANSWER = 4096; // the gateway's limit

interface Props {
  readonly prompt: PromptFrame;
  readonly onAnswer: (answers: string[]) => void;
  readonly onGiveUp: () => void;
}

/** A host's prompt before it opens a shell. Answers are held only in the fields, which are cleared when sent. */
export function TerminalPrompt(props: Props) {
  const { t } = useApp();
  const id = createUniqueId();
  const fields: HTMLInputElement[] = [];
  const first_to_fill = () => {
    const at = props.prompt.prompts.findIndex(({ value }) => !value);
    return Math.max(0, at);
  };

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const answers = fields.map(({ value }) => value);
    for (const field of fields) field.value = '';
    props.onAnswer(answers);
  }

  return (
    <div class="prompt-place">
      <form
        class="prompt"
        aria-labelledby={`${id}-title`}
        aria-describedby={props.prompt.instructions ? `${id}-text` : undefined}
        autocomplete="off"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Escape') props.onGiveUp();
          else goToNextEmpty(event);
        }}
      >
        <h2 class="prompt-title" id={`${id}-title`}>
          <KeyRound size={16} aria-hidden="true" /> <Said text={t('asked_by', { name: props.prompt.name })} />
        </h2>
        <Show when={props.prompt.instructions}>
          {(text) => (
            <p class="prompt-text" id={`${id}-text`}>
              <Lines text={text()} />
            </p>
          )}
        </Show>
        <For each={props.prompt.prompts}>
          {({ text, echo, value }, index) => (
            <div class="field">
              <label class="field-label" for={`${id}-${index()}`}>
                <Name text={text.trim() || t('answer_nr', { number: index() + 1 })} />
              </label>
              <input
                id={`${id}-${index()}`}
                class="field-input"
                type={echo ? 'text' : 'password'}
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                maxlength={MAX_ANSWER}
                value={value ?? ''}
                data-takes-focus={index() === first_to_fill() ? '' : undefined}
                ref={(input) => fields.push(input)}
              />
            </div>
          )}
        </For>
        <div class="actions">
          <button type="button" class="button" onClick={() => props.onGiveUp()}>
            {t('cancel')}
          </button>
          <button
            type="submit"
            class="button button-primary"
            data-takes-focus={props.prompt.prompts.length === 0 ? '' : undefined}
          >
            {t('go_on')}
          </button>
        </div>
      </form>
    </div>
  );
}
