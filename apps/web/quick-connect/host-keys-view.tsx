import { useQuery } from '@tanstack/solid-query';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { formatInstant } from '../lib/format.ts';
import { QueryState } from '../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { ForgetQuickKey } from './forget-key.tsx';
import { formatPlace, type QuickKey, quickKeysQuery } from './host-keys.ts';

/** The host keys pinned by the user's quick connections. */
export function QuickKeys() {
  const { client, t } = useApp();
  const keys = useQuery(() => quickKeysQuery(client));
  const [forgetting, forget] = createSignal<QuickKey>();
  return (
    <section class="section" aria-labelledby="quick-keys-title">
      <h3 class="section-title" id="quick-keys-title">
        {t('quick_keys')}
      </h3>
      <p class="section-lead">{t('quick_keys_lead')}</p>
      <ReadOnlyNote />
      <QueryState query={keys} failure={t('quick_keys_failed')}>
        {(known) => (
          <Show when={known().length > 0} fallback={<p class="empty">{t('quick_keys_none')}</p>}>
            <ul class="rows" aria-label={t('quick_keys')}>
              <For each={known()}>{(key) => <KeyRow pin={key} onForget={() => forget(key)} />}</For>
            </ul>
          </Show>
        )}
      </QueryState>
      <Show when={forgetting()}>
        {(pin) => <ForgetQuickKey pin={pin()} onClose={() => forget(undefined)} />}
      </Show>
    </section>
  );
}

function KeyRow(props: { pin: QuickKey; onForget: () => void }) {
  const { preferences, t } = useApp();
  const why = useReadOnlyReason();
  return (
    <li class="row">
      <div class="row-text">
        <p class="row-name">{formatPlace(props.pin)}</p>
        <p class="row-facts">
          <code>{props.pin.fingerprint}</code> ·{' '}
          {t('quick_pinned_on', { time: formatInstant(props.pin.created_at, preferences.values.language) })}
        </p>
      </div>
      <ReasonButton
        label={t('quick_forget_named', { name: formatPlace(props.pin) })}
        why={why()}
        onPress={() => props.onForget()}
      >
        {t('quick_forget')}
      </ReasonButton>
    </li>
  );
}
