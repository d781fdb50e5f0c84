import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { type ParentProps, Show } from 'solid-js';
import { ClientError } from '#client/client-error.ts';
import { useApp } from '../state/app-context.ts';
import './trouble.css';

interface Props {
  /** What failed. */
  readonly title: string;
  readonly error: unknown;
  readonly compact?: boolean;
}

/** What failed, why, and the next step, in the place where it happened. */
export function Trouble(props: ParentProps<Props>) {
  const { t } = useApp();
  const hint = () =>
    props.error instanceof ClientError ? t.optional(`hint_${props.error.code}`) : undefined;
  return (
    <div class="trouble" classList={{ 'trouble-compact': props.compact ?? false }} role="alert">
      <TriangleAlert class="trouble-icon" size={18} aria-hidden="true" />
      <div class="trouble-text">
        <p class="trouble-title">{props.title}</p>
        <p>{reasonOf(props.error)}</p>
        <Show when={hint()}>{(text) => <p class="trouble-hint">{text()}</p>}</Show>
        <Show when={props.children}>
          <div class="trouble-actions">{props.children}</div>
        </Show>
      </div>
    </div>
  );
}

export function reasonOf(error: unknown): string {
  if (error instanceof ClientError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}
