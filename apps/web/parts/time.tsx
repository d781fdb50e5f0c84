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

/** A time in a list, as short as it can be; the tooltip and screen readers have all of it. */
export function Time(props: Props) {
  const { preferences } = useApp();
  const now = createClock(MINUTE_MS);
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
  const whole = () => formatWhole(props.at, preferences.values.language);
  return (
    <time class="time" dateTime={props.at} title={whole()}>
      <span aria-hidden="true">{props.text}</span>
      <span class="visually-hidden">{whole()}</span>
    </time>
  );
}
