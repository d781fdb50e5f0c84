import {
  createEffect,
  createResource,
  createSignal,
  For,
  type JSX,
  Match,
  onCleanup,
  Show,
  Switch,
} from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { formatMoment, formatNumber, formatSize } from '../lib/format.ts';
import { Name } from '../parts/name.tsx';
import { type Cast, LoadError, loadCast } from './load-cast.ts';
import { CastReel, type Pace } from './reel.ts';
import { Screen } from './screen.tsx';
import type { createTexts } from './texts.ts';
import { markersOf } from './timeline.ts';

const SPEEDS = [0.5, 1, 1.5, 2, 4, 8, 16];
const IDLE_MS = 2000;
const CLOCK_MS = 250;

/** Options passed in the page's attributes. */
export interface About {
  readonly cast: string;
  readonly server: string;
  readonly username: string;
  readonly started: string;
  readonly status: string;
}

interface Common {
  readonly about: About;
  readonly language: string;
  readonly t: ReturnType<typeof createTexts>;
  /** Part of the workspace, which has its own main area and heading. */
  readonly is_pane?: boolean;
  /** False while another tab hides it. */
  readonly is_shown?: boolean;
  /** Further controls at the end of its row. */
  readonly tools?: () => JSX.Element;
  /** The time to show, in seconds from the start of the session. */
  readonly at_s?: number | undefined;
}

export function Replay(props: Common) {
  const [loaded, setLoaded] = createSignal(0);
  const [cast] = createResource(async () => {
    const [read] = await Promise.all([loadCast(props.about.cast, setLoaded), fontReady()]);
    return read;
  });
  const failure = () => {
    if (!cast.error) return cast()?.events.length === 0 ? props.t('empty') : undefined;
    return props.t(cast.error instanceof LoadError ? cast.error.failure : 'cannot_load');
  };
  return (
    <div class="replay">
      <Switch fallback={<Shell {...props} message={loadingText(props, loaded())} />}>
        <Match when={failure()}>{(message) => <Shell {...props} message={message()} is_alert />}</Match>
        <Match when={cast()}>{(read) => <Playing {...props} cast={read()} />}</Match>
      </Switch>
    </div>
  );
}

/** The player measures its font only once. */
async function fontReady(): Promise<void> {
  await Promise.allSettled([document.fonts.load('15px "JetBrains Mono Variable"')]);
}

function loadingText({ t, language }: Common, loaded_bytes: number): string {
  return t('loading', { loaded: loaded_bytes === 0 ? '' : formatSize(loaded_bytes, language) });
}

function markerLabel({ about, language, t }: Common) {
  return ({ end_ms, length_ms }: { end_ms: number; length_ms: number }) => {
    const minutes = Math.round(length_ms / 60_000);
    const pause = minutes < 90 ? t('minutes', { count: minutes }) : hours(minutes);
    return t('after_pause', { time: clockTime(about, language, end_ms), pause });
  };
  function hours(minutes: number): string {
    return t('hours', { count: formatNumber(minutes / 60, language, 1) });
  }
}

function clockTime({ started }: About, language: string, after_ms: number): string {
  const at = new Date(Date.parse(started) + after_ms);
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(at);
}

function Shell(props: Common & { message: string; is_alert?: boolean }) {
  return (
    <>
      <div class="replay-bar" classList={{ 'pane-bar': props.is_pane ?? false }}>
        <Facts {...props} />
        {props.tools?.()}
      </div>
      <Dynamic component={props.is_pane ? 'div' : 'main'} class="replay-stage">
        <p class="replay-message" role={props.is_alert ? 'alert' : 'status'}>
          {props.message}
        </p>
      </Dynamic>
    </>
  );
}

function Facts(props: Common) {
  const note = () => {
    if (props.about.status === 'recording') return props.t('recording');
    return props.about.status === 'interrupted' ? props.t('interrupted') : undefined;
  };
  return (
    <>
      <Dynamic component={props.is_pane ? 'h2' : 'h1'} class="replay-title">
        <Name text={props.about.server} />
      </Dynamic>
      <span class="replay-facts">
        <Name text={props.about.username} /> · {formatMoment(props.about.started, props.language)}
      </span>
      <Show when={note()}>{(text) => <p class="replay-note">{text()}</p>}</Show>
    </>
  );
}

function Playing(props: Common & { cast: Cast }) {
  const first: Pace = { speed: 1, idle_ms: IDLE_MS };
  const reel = new CastReel(props.cast, markersOf(props.cast.events, markerLabel(props)), first);
  const [pace, setPace] = createSignal(first);
  const [shown_ms, setShown] = createSignal(0);
  createEffect(() => props.at_s !== undefined && reel.show(props.at_s * 1000));
  const timer = setInterval(() => setShown(reel.shown_ms()), CLOCK_MS);
  onCleanup(() => clearInterval(timer));
  return (
    <>
      <div class="replay-bar" classList={{ 'pane-bar': props.is_pane ?? false }}>
        <Facts {...props} />
        <Controls
          {...props}
          pace={pace()}
          shown_ms={shown_ms()}
          choose={(chosen) => reel.change(setPace(chosen))}
        />
        {props.tools?.()}
      </div>
      <Dynamic component={props.is_pane ? 'div' : 'main'} class="replay-stage">
        <Screen reel={reel} is_shown={props.is_shown !== false} />
        <p class="visually-hidden">{props.t('keys')}</p>
      </Dynamic>
    </>
  );
}

interface ControlsProps extends Common {
  readonly pace: Pace;
  readonly shown_ms: number;
  choose(pace: Pace): void;
}

function Controls(props: ControlsProps) {
  const change = (part: Partial<Pace>) => props.choose({ ...props.pace, ...part });
  return (
    <div class="replay-controls">
      <span class="replay-when">
        <span class="visually-hidden">{props.t('when')} </span>
        {clockTime(props.about, props.language, props.shown_ms)}
      </span>
      <label>
        {props.t('speed')}
        <select onChange={(event) => change({ speed: Number(event.currentTarget.value) })}>
          <For each={SPEEDS}>
            {(speed) => (
              <option value={speed} selected={speed === props.pace.speed}>
                {speed}×
              </option>
            )}
          </For>
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={props.pace.idle_ms === IDLE_MS}
          onChange={(event) =>
            change({ idle_ms: event.currentTarget.checked ? IDLE_MS : Number.POSITIVE_INFINITY })
          }
        />
        {props.t('skip_pauses')}
      </label>
    </div>
  );
}
