import { type Accessor, createMemo, createRoot } from 'solid-js';
import { useApp } from '../app/context.ts';
import { createClock } from '../lib/clock.ts';
import { formatAgo, formatWhen, formatWhole } from '../lib/format.ts';
import './time.css';

interface Props {
  /** ISO 8601. */
  readonly at: string;
  readonly has_seconds?: boolean;
}

const MINUTE_MS = 60_000;

let shared_clock: Accessor<number> | undefined;

/** One timer for all rows of all lists: a list that is scrolled draws hundreds of rows a second. */
export function minuteClock(): Accessor<number> {
  shared_clock ??= createRoot(() => createClock(MINUTE_MS));
  return shared_clock;
}

/** A time in a list, as short as it can be; the tooltip and screen readers have all of it. */
export function Time(props: Props) {
  const { preferences } = useApp();
  const now = minuteClock();
  const text = () =>
    formatWhen(props.at, {
      now_ms: now(),
      language: preferences.values.language,
      has_seconds: props.has_seconds,
    });
  return <TimeText at={props.at} text={text()} />;
}

/** How long ago something was, such as `3 minutes ago`. */
export function Ago(props: { at: string; now_ms: number }) {
  const { preferences } = useApp();
  return <TimeText at={props.at} text={formatAgo(props.at, props.now_ms, preferences.values.language)} />;
}

function TimeText(props: { at: string; text: string }) {
  const { preferences } = useApp();
  const whole = createMemo(() => formatWhole(props.at, preferences.values.language));
  return (
    <time class="time" dateTime={props.at} title={whole()}>
      <span aria-hidden="true">{props.text}</span>
      <span class="visually-hidden">{whole()}</span>
    </time>
  );
}
