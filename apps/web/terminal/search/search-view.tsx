import ArrowDown from 'lucide-solid/icons/arrow-down';
import ArrowUp from 'lucide-solid/icons/arrow-up';
import CaseSensitive from 'lucide-solid/icons/case-sensitive';
import Regex from 'lucide-solid/icons/regex';
import X from 'lucide-solid/icons/x';
import { createEffect, createSignal, on } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../../app/context.ts';
import type { TerminalController } from '../controller.ts';
import { type Found, MOST_FOUND } from './pane-search.ts';
import './search.css';

/** The search box in the corner of the terminal. */
export function TerminalSearch(props: { controller: TerminalController }) {
  const { t } = useApp();
  const [term, setTerm] = createSignal('');
  const [is_case_sensitive, setCaseSensitive] = createSignal(false);
  const [is_regex, setRegex] = createSignal(false);
  let field: HTMLInputElement | undefined;
  const search = () => props.controller.search;
  const find = (way: 'here' | 'next' | 'previous') => {
    const wish = { term: term(), is_case_sensitive: is_case_sensitive(), is_regex: is_regex() };
    void props.controller.pane()?.search.find(wish, way);
  };
  createEffect(on(search().wishes, () => field?.select()));
  createEffect(on([term, is_case_sensitive, is_regex], () => find('here'), { defer: true }));

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') search().close();
    else if (event.key === 'Enter') find(event.shiftKey ? 'next' : 'previous');
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <search class="terminal-search" onKeyDown={onKeyDown}>
      <input
        ref={(input) => {
          field = input;
        }}
        class="field-input"
        type="text"
        aria-label={t('terminal_search')}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={term()}
        onInput={(event) => setTerm(event.currentTarget.value)}
      />
      <span class="terminal-search-found" role="status">
        {term() === '' ? '' : foundText(search().found(), t)}
      </span>
      <Tool
        label={t('terminal_search_case')}
        icon={CaseSensitive}
        pressed={is_case_sensitive()}
        onPress={() => setCaseSensitive((before) => !before)}
      />
      <Tool
        label={t('terminal_search_regex')}
        icon={Regex}
        pressed={is_regex()}
        onPress={() => setRegex((before) => !before)}
      />
      <Tool label={t('terminal_search_previous')} icon={ArrowUp} onPress={() => find('previous')} />
      <Tool label={t('terminal_search_next')} icon={ArrowDown} onPress={() => find('next')} />
      <Tool label={t('terminal_search_close')} icon={X} onPress={() => search().close()} />
    </search>
  );
}

interface ToolProps {
  readonly label: string;
  readonly icon: typeof X;
  readonly pressed?: boolean;
  readonly onPress: () => void;
}

function Tool(props: ToolProps) {
  return (
    <button
      type="button"
      class="icon-button icon-button-small"
      aria-label={props.label}
      title={props.label}
      aria-pressed={props.pressed}
      onClick={() => props.onPress()}
    >
      <Dynamic component={props.icon} size={16} aria-hidden="true" />
    </button>
  );
}

function foundText({ at, count }: Found, t: ReturnType<typeof useApp>['t']): string {
  if (count === 0) return t('terminal_search_none');
  if (count >= MOST_FOUND) return t('terminal_search_many', { count });
  return at === 0 ? t('files_search_found', { count }) : t('terminal_search_found', { at, count });
}
