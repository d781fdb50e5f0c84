import { createEffect, createSignal, For, on, onMount, Show } from 'solid-js';
import type { RecordingSearch } from '#client/recording-search.ts';
import { useApp } from '../../app/context.ts';
import { createAddressValue } from '../../lib/address-text.ts';
import { Field } from '../../parts/fields/field.tsx';
import { Name } from '../../parts/name.tsx';
import { Time } from '../../parts/time.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useRecordingTabs } from '../open-recording.ts';
import { formatDuration, type Recording } from '../recordings.ts';
import { LONGEST_TEXT, SHORTEST_TEXT } from './address.ts';
import { createRecordingSearch } from './search.ts';
import './search.css';

interface Props {
  /** Which recordings to search. */
  readonly among: Omit<RecordingSearch, 'text'>;
}

/** Finds recordings by what their terminals showed. The text is part of the page's address once it is searched. */
export function RecordingTextSearch(props: Props) {
  const { t } = useApp();
  const search = createRecordingSearch();
  const kept = createAddressValue('text');
  const [text, setText] = createSignal(kept.value() ?? '');
  const is_short = () => text().trim().length < SHORTEST_TEXT;
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (search.busy()) search.stop();
    else if (!is_short()) {
      kept.set(text());
      begin();
    }
  }
  const begin = () => search.run({ ...props.among, text: text() });
  onMount(() => is_short() || begin());
  createEffect(
    on(
      kept.value,
      (shown = '') => {
        if (shown === text()) return;
        setText(shown);
        if (is_short()) search.clear();
        else begin();
      },
      { defer: true },
    ),
  );
  const goOn = (to: string) => search.run({ ...props.among, text: text(), to }, true);
  return (
    <search class="recording-search" aria-label={t('recordings_text_search')}>
      <form class="recording-search-form" onSubmit={submit}>
        <Field
          label={t('recordings_on_screen')}
          description={t('recordings_text_hint')}
          value={text()}
          onChange={setText}
          input={{ type: 'search', autocomplete: 'off', autocapitalize: 'none', maxlength: LONGEST_TEXT }}
        />
        <button type="submit" class="button" aria-disabled={!search.busy() && is_short()}>
          {t(search.busy() ? 'stop' : 'search')}
        </button>
      </form>
      <Show when={search.error()}>
        <Trouble title={t('recordings_text_failed')} error={search.error()} compact />
      </Show>
      <Show when={search.state()}>
        {(state) => (
          <>
            <p class="recording-search-state" role="status">
              <Show when={search.busy()}>
                <span class="spinner" aria-hidden="true" />{' '}
              </Show>
              {t('recordings_text_found', { count: state().found.length, searched: state().searched })}
              <Show when={(state().done?.skipped ?? 0) > 0}>
                {' '}
                {t('recordings_text_skipped', { count: state().done?.skipped ?? 0 })}
              </Show>
            </p>
            <ul class="recording-finds" aria-label={t('recordings_text_results')}>
              <For each={state().found}>
                {({ recording, matches }) => <Found recording={recording} matches={matches} text={text()} />}
              </For>
            </ul>
            <Show when={state().done?.continue_to}>
              {(to) => (
                <button type="button" class="button fit" onClick={() => goOn(to())}>
                  {t('recordings_text_more')}
                </button>
              )}
            </Show>
          </>
        )}
      </Show>
    </search>
  );
}

interface FoundProps {
  readonly recording: Recording;
  readonly matches: readonly { readonly at_s: number; readonly line: string }[];
  readonly text: string;
}

function Found(props: FoundProps) {
  const open = useRecordingTabs();
  const { server_name, username, started_at } = props.recording;
  return (
    <li class="recording-find">
      <p class="recording-find-title">
        <Name text={server_name} /> · <Name text={username} /> · <Time at={started_at} />
      </p>
      <ul>
        <For each={props.matches}>
          {({ at_s, line }) => (
            <li>
              <button type="button" class="recording-line" onClick={() => open(props.recording, at_s)}>
                <span class="recording-line-time">{formatDuration(at_s)}</span>
                <code>
                  <Marked line={line} text={props.text} />
                </code>
              </button>
            </li>
          )}
        </For>
      </ul>
    </li>
  );
}

function Marked(props: { line: string; text: string }) {
  const at = () => props.line.toLowerCase().indexOf(props.text.trim().toLowerCase());
  const end = () => at() + props.text.trim().length;
  return (
    <Show when={at() >= 0} fallback={props.line}>
      {props.line.slice(0, at())}
      <mark>{props.line.slice(at(), end())}</mark>
      {props.line.slice(end())}
    </Show>
  );
}
