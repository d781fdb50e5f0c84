import { useQuery } from '@tanstack/solid-query';
import { createEffect, createResource, Show } from 'solid-js';
import { castLink } from '#client/recording-links.ts';
import { useApp } from '../app/context.ts';
import { Trouble } from '../parts/trouble.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { Replay } from '../player/replay.tsx';
import { createTexts, languageFor } from '../player/texts.ts';
import { createPaneFocus } from '../workspace/panes/focus.ts';
import { usePaneHost } from '../workspace/panes/host.ts';
import type { PaneProps, Tab } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { type Recording, recordingQuery } from './recordings.ts';
import 'asciinema-player/dist/bundle/asciinema-player.css';
import '../player/replay.css';

/** Plays a recording inside the page. */
export function RecordingView(props: PaneProps) {
  const { client, t } = useApp();
  const workspace = useWorkspace();
  const { tab } = props;
  const recording = useQuery(() => recordingQuery(client, tab.recording_id ?? 0));
  let root: HTMLElement | undefined;
  createPaneFocus(
    workspace,
    () => props.active,
    () => root?.querySelector<HTMLElement>('.ap-wrapper, button')?.focus(),
    () => root,
  );
  createEffect(() =>
    workspace.setStatus(tab.id, {
      text: recording.error ? 'state_failed' : 'state_listed',
      tone: recording.error ? 'bad' : 'good',
    }),
  );
  return (
    <section class="recording-view" aria-label={t('recording_of', { name: tab.server_name })} ref={root}>
      <Show
        when={recording.data}
        fallback={
          <Show when={recording.error} fallback={<Waiting />}>
            <div class="splash">
              <Trouble title={t('recordings_failed')} error={recording.error}>
                <button type="button" class="button" onClick={() => void recording.refetch()}>
                  {t('try_again')}
                </button>
              </Trouble>
            </div>
          </Show>
        }
      >
        {(data) => <Player tab={tab} recording={data()} is_shown={workspace.panes.isShown(tab.id)} />}
      </Show>
    </section>
  );
}

function Player(props: { tab: Tab; recording: Recording; is_shown: boolean }) {
  const { client, preferences, t } = useApp();
  const { tools } = usePaneHost();
  const [cast, { refetch }] = createResource(() => castLink(client, props.recording.id));
  const language = () => languageFor([preferences.values.language]);
  const about = (link: string) => {
    const { server_name, username, started_at, status } = props.recording;
    return { cast: link, server: server_name, username, started: started_at, status };
  };
  return (
    <Show
      when={!cast.error && cast()}
      fallback={
        <Show when={cast.error} fallback={<Waiting />}>
          <div class="splash">
            <Trouble title={t('recordings_failed')} error={cast.error}>
              <button type="button" class="button" onClick={() => void refetch()}>
                {t('try_again')}
              </button>
            </Trouble>
          </div>
        </Show>
      }
    >
      {(link) => (
        <Replay
          about={about(link())}
          language={language()}
          t={createTexts(language())}
          is_pane
          tools={() => tools(props.tab)}
          is_shown={props.is_shown}
          at_s={props.tab.at_s}
        />
      )}
    </Show>
  );
}
