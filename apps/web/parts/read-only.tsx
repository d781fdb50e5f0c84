import { useQuery } from '@tanstack/solid-query';
import Info from 'lucide-solid/icons/info';
import { type Accessor, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { configQuery } from '../lib/gateway-info.ts';

/** Why the gateway accepts no changes; undefined while it does. */
export function useReadOnlyReason(): Accessor<string | undefined> {
  const { client, t } = useApp();
  const config = useQuery(() => configQuery(client));
  return () => (config.data?.demo_mode ? t('why_demo') : undefined);
}

/** Explains why the controls next to it are disabled; renders nothing while changes are accepted. */
export function ReadOnlyNote() {
  const why = useReadOnlyReason();
  return (
    <Show when={why()}>
      {(text) => (
        <p class="note">
          <Info size={16} aria-hidden="true" /> <span>{text()}</span>
        </p>
      )}
    </Show>
  );
}
