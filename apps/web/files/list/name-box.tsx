import { createSignal, createUniqueId, onCleanup, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { activeElement } from '../../lib/root.ts';
import { isFocusLost } from '../../parts/focus.ts';
import { reasonOf } from '../../parts/trouble.tsx';
import type { FileTab } from '../file-tab.ts';
import { nameTrouble } from '../rights.ts';
import type { Entry } from './entries.ts';

interface Props {
  readonly entry: Entry;
  readonly files: FileTab;
  /** Returns the focus to the list. */
  readonly onDone: () => void;
}

/** Renames an entry in place: Enter or a click elsewhere renames, Escape cancels. */
export function NameBox(props: Props) {
  const { t } = useApp();
  const { entry, files } = props;
  const error_id = createUniqueId();
  let box: HTMLInputElement | undefined;
  const naming = createNaming(entry, files, () => {
    if (isFocusLost() || activeElement() === box) props.onDone();
  });
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape') naming.leave();
    else if (event.key === 'Enter') void naming.rename();
    else return;
    event.preventDefault();
  }
  return (
    <span class="file-naming">
      <input
        ref={(input) => {
          box = input;
          queueMicrotask(() => selectStem(input, entry));
        }}
        class="field-input file-name-input"
        aria-label={t('files_new_name_of', { name: entry.name })}
        aria-invalid={naming.trouble() !== undefined}
        aria-describedby={error_id}
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        value={naming.name()}
        onInput={(event) => naming.setName(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={naming.onBlur}
        onClick={(event) => event.stopPropagation()}
        onContextMenu={(event) => event.stopPropagation()} // the browser's own menu, with Paste
        onDblClick={(event) => event.stopPropagation()}
      />
      <span id={error_id} role="alert">
        <Show when={naming.trouble()}>{(text) => <span class="file-name-reason">{text()}</span>}</Show>
      </span>
    </span>
  );
}

function createNaming(entry: Entry, files: FileTab, onLeft: () => void) {
  const { t } = useApp();
  const [name, setName] = createSignal(entry.name);
  const attempt = createAttempt();
  let is_gone = false;
  onCleanup(() => {
    is_gone = true; // scrolling the row out of view also removes the focus, which must not rename
  });

  const mistake = () => (name() === entry.name ? undefined : nameTrouble(name(), files.all(), entry.name));
  const trouble = () => {
    if (attempt.error()) return reasonOf(attempt.error(), t);
    const why = mistake();
    return why && t(why);
  };
  function leave(): void {
    if (files.renaming() === entry.path) files.setRenaming(undefined);
    onLeft();
  }
  async function rename(): Promise<void> {
    if (is_gone || attempt.busy()) return;
    if (name() === entry.name) return leave();
    if (mistake() === undefined && (await attempt.run(() => files.changes.rename(entry, name())))) leave();
  }
  return {
    ...{ name, trouble, leave, rename },
    setName(typed: string) {
      attempt.forget();
      setName(typed);
    },
    /** A click elsewhere discards an invalid name. */
    onBlur: () => !is_gone && (trouble() ? leave() : void rename()),
  };
}

/** Selects the name without its extension, which rarely changes. */
function selectStem(input: HTMLInputElement, { name, is_dir }: Entry): void {
  const end = name.lastIndexOf('.');
  input.focus();
  input.setSelectionRange(0, is_dir || end <= 0 ? name.length : end);
}
