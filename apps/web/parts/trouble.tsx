import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { type ParentProps, Show } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../app/context.ts';
import type { Translate } from '../i18n/languages.ts';
import { onOneLine } from '../i18n/reason.ts';
import type { RefusalText } from '../i18n/refusals.ts';
import { Said } from './name.tsx';
import './trouble.css';

interface Props {
  /** What failed. */
  readonly title: string;
  readonly error: unknown;
  readonly compact?: boolean;
}

/** An error where it happened: what failed, why, and what to do next. */
export function Trouble(props: ParentProps<Props>) {
  const { t } = useApp();
  const reason = () => refusalOf(props.error, t);
  const hint = () =>
    props.error instanceof ClientError ? t.optional(`hint_${props.error.code}`) : undefined;
  return (
    <div class="trouble" classList={{ 'trouble-compact': props.compact ?? false }} role="alert">
      <TriangleAlert class="trouble-icon" size={18} aria-hidden="true" />
      <div class="trouble-text">
        <p class="trouble-title">
          <Said text={props.title} />
        </p>
        <p>
          <Said text={reason().text} />
        </p>
        <Show when={reason().specifics}>
          {(specifics) => (
            <p class="trouble-hint">
              <Said text={specifics()} />
            </p>
          )}
        </Show>
        <Show when={hint()}>{(text) => <p class="trouble-hint">{text()}</p>}</Show>
        <Show when={props.children}>
          <div class="trouble-actions">{props.children}</div>
        </Show>
      </div>
    </div>
  );
}

function refusalOf(error: unknown, t: Translate): RefusalText {
  if (error instanceof ClientError) return t.refusal(error.code, error.detail);
  return { text: error instanceof Error ? error.message : String(error) };
}

/** The reason for an error on one line. */
export function reasonOf(error: unknown, t: Translate): string {
  return onOneLine(refusalOf(error, t));
}
