import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Name } from '../../parts/name.tsx';
import { useRecordingTabs } from '../open-recording.ts';
import { formatDuration } from '../recordings.ts';
import type { Listed } from './list.ts';
import './search.css';

const MOST_LINES = 3;

/** The lines of a recording that have the text; each jumps to its moment. */
export function MatchingLines(props: { listed: Listed; text: string }) {
  const { t } = useApp();
  const open = useRecordingTabs();
  return (
    <ul
      class="recording-lines"
      aria-label={t('recordings_lines_of', { name: props.listed.recording.server_name })}
    >
      <For each={props.listed.matches.slice(0, MOST_LINES)}>
        {({ at_s, line }) => (
          <li>
            <button
              type="button"
              class="recording-line"
              title={t('recordings_jump', { time: formatDuration(at_s) })}
              onClick={() => open(props.listed.recording, at_s)}
            >
              <span class="recording-line-time">{formatDuration(at_s)}</span>
              <code>
                <MarkedLine line={line} text={props.text} />
              </code>
            </button>
          </li>
        )}
      </For>
      <Show when={props.listed.matches.length > MOST_LINES}>
        <li class="recording-line-more">
          {t('recordings_more_lines', { count: props.listed.matches.length - MOST_LINES })}
        </li>
      </Show>
    </ul>
  );
}

function MarkedLine(props: { line: string; text: string }) {
  const at = () => props.line.toLowerCase().indexOf(props.text.toLowerCase());
  const end = () => at() + props.text.length;
  return (
    <Show when={at() >= 0} fallback={<Name text={props.line} />}>
      <Name text={props.line.slice(0, at())} />
      <mark>
        <Name text={props.line.slice(at(), end())} />
      </mark>
      <Name text={props.line.slice(end())} />
    </Show>
  );
}
