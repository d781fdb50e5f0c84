import Search from 'lucide-solid/icons/search';
import { createEffect, createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatToken } from '../../lib/query/tokens.ts';
import { Name } from '../name.tsx';
import { Chip } from './chip.tsx';
import type { Completion } from './complete.ts';
import { createCompleter } from './completer.ts';
import type { QueryKey } from './keys.ts';
import type { Problem } from './read.ts';
import { SavedSearches } from './saved-menu.tsx';
import type { QueryState } from './state.ts';
import '../menu.css';
import './query-bar.css';

interface Props {
  /** The saved searches of the list have this id. */
  readonly id: string;
  readonly label: string;
  readonly keys: readonly QueryKey[];
  readonly state: QueryState;
  /** Says what words find, while the query is empty. */
  readonly placeholder?: string;
  /** Why the list does not apply the whole query. */
  readonly problem?: Problem | undefined;
  /** Beside the bar: the tools of the list. */
  readonly children?: JSX.Element;
}

/** Searches a list by words and tokens in one line, with completion. */
export function QueryBar(props: Props) {
  return (
    <div class="query">
      <div class="query-line">
        <Bar {...props} />
        {props.children}
      </div>
      <Problems state={props.state} problem={props.problem} />
    </div>
  );
}

function Bar(props: Props) {
  const { t } = useApp();
  const { state } = props;
  const list_id = createUniqueId();
  let input: HTMLInputElement | undefined;
  const focus = () => input?.focus();
  const days = createDays(props, focus);
  const completer = createCompleter({
    state,
    keys: () => props.keys,
    labelOf: ({ label }) => t(label),
    pickDay: days.pick,
  });

  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLInputElement }): void {
    if (event.isComposing) return;
    if (completer.press(event)) event.preventDefault();
    else if (event.key === 'Enter') {
      event.preventDefault();
      state.finish();
      completer.close();
    } else if (event.key === 'Backspace' && isAtStart(event.currentTarget))
      state.remove(state.query().tokens.length - 1);
  }

  function onFocusOut({ currentTarget, relatedTarget }: FocusEvent & { currentTarget: HTMLElement }): void {
    if (relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) return;
    completer.close();
    if (document.hasFocus()) state.settle();
  }

  return (
    <search class="query-bar" aria-label={props.label} onFocusOut={onFocusOut}>
      <Search size={15} class="query-icon" aria-hidden="true" />
      <div class="query-parts">
        <For each={state.query().tokens}>
          {(token, at) => (
            <Chip
              token={token}
              onEdit={() => {
                state.edit(at());
                focus();
                completer.show();
              }}
              onRemove={() => {
                state.remove(at());
                focus();
              }}
            />
          )}
        </For>
        <input
          ref={input}
          class="query-input"
          role="combobox"
          aria-label={props.label}
          aria-autocomplete="list"
          aria-expanded={completer.is_shown()}
          aria-controls={completer.is_shown() ? list_id : undefined}
          aria-activedescendant={completer.cursor() >= 0 ? `${list_id}-${completer.cursor()}` : undefined}
          placeholder={state.query().tokens.length > 0 ? '' : (props.placeholder ?? props.label)}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          maxlength={1000}
          value={state.typed()}
          onInput={(event) => {
            state.type(event.currentTarget.value);
            event.currentTarget.value = state.typed();
            completer.show();
          }}
          onClick={completer.show}
          onKeyDown={onKeyDown}
        />
      </div>
      <SavedSearches id={props.id} state={state} onCleared={focus} />
      {days.field()}
      <Show when={completer.is_shown()}>
        <Completions
          id={list_id}
          label={t('query_suggestions')}
          options={completer.options()}
          cursor={completer.cursor()}
          onPoint={completer.setCursor}
          onChoose={completer.choose}
        />
      </Show>
    </search>
  );
}

function isAtStart({ selectionStart, selectionEnd }: HTMLInputElement): boolean {
  return selectionStart === 0 && selectionEnd === 0;
}

/** A day is chosen in the browser’s own calendar, whose field exists while it is open. */
function createDays(props: Props, focus: () => void) {
  const { t } = useApp();
  const [key, setKey] = createSignal<QueryKey>();
  let input: HTMLInputElement | undefined;
  function choose(value: string): void {
    const wanted = key();
    if (wanted && value !== '') props.state.complete(formatToken(wanted.key, value));
    setKey(undefined);
    focus();
  }
  return {
    pick(wanted: QueryKey): void {
      setKey(wanted);
      input?.focus();
      try {
        input?.showPicker();
      } catch {
        // Browsers refuse it in a frame of another site. The field takes a typed date as well.
      }
    },
    field: () => (
      <Show when={key()}>
        <input
          ref={input}
          type="date"
          class="query-day"
          aria-label={t('query_choose_day')}
          max="9998-12-31"
          onChange={(event) => choose(event.currentTarget.value)}
          onBlur={() => setKey(undefined)}
        />
      </Show>
    ),
  };
}

interface CompletionProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly Completion[];
  readonly cursor: number;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (option: Completion) => void;
}

function Completions(props: CompletionProps) {
  let list: HTMLDivElement | undefined;
  createEffect(() => list?.children[props.cursor]?.scrollIntoView({ block: 'nearest' }));
  return (
    <div class="menu query-list" role="listbox" id={props.id} aria-label={props.label} ref={list}>
      <For each={props.options}>
        {(option, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox takes the keys
          <div
            class="menu-item"
            role="option"
            tabIndex={-1}
            id={`${props.id}-${at()}`}
            aria-selected={at() === props.cursor}
            data-highlighted={at() === props.cursor ? '' : undefined}
            onPointerMove={() => props.onPoint(at())}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => props.onChoose(option)}
          >
            <CompletionText option={option} />
          </div>
        )}
      </For>
    </div>
  );
}

function CompletionText(props: { option: Completion }) {
  const { t } = useApp();
  const { option } = props;
  if (option.kind === 'day') return <span>{t('query_choose_day')}</span>;
  if (option.kind === 'key')
    return (
      <>
        <code>{option.text}</code>
        <span class="query-soft">{t(option.key.label)}</span>
      </>
    );
  const { value, label } = option.value;
  return (
    <>
      <span class="query-value">
        <span class="query-soft">{option.key.key}:</span>
        <Name text={label ?? value} />
      </span>
      <Show when={label !== undefined && label !== value}>
        <code class="query-soft">{value}</code>
      </Show>
    </>
  );
}

/** Says which parts of the query the list does not apply, and why. */
function Problems(props: Pick<Props, 'state' | 'problem'>) {
  const { t } = useApp();
  const problems = () => [
    ...props.state.query().tokens.flatMap(({ problem }) => problem ?? []),
    ...(props.problem ? [props.problem] : []),
  ];
  return (
    <div class="query-problems" role="status">
      <For each={problems()}>{({ text, values }) => <p class="field-error">{t(text, values)}</p>}</For>
    </div>
  );
}
