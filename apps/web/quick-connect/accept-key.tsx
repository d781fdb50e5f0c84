import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { AcceptKeyQuestion } from '../servers/host-keys/accept-question.tsx';
import type { PresentedKey } from '../servers/host-keys/presented.ts';
import { acceptQuickKey, formatPlace, pinOf, type QuickKey, quickKeysQuery } from './host-keys.ts';

interface ButtonProps {
  readonly host: string;
  readonly port: number;
  readonly presented: PresentedKey | undefined;
  readonly onAccepted: () => void;
}

/** Shown with a changed host key of a quick connection: pins the new one. */
export function AcceptQuickKeyButton(props: ButtonProps) {
  const { client, t } = useApp();
  const keys = useQuery(() => quickKeysQuery(client));
  const [asking, setAsking] = createSignal<QuestionProps>();
  const why = useReadOnlyReason();
  const question = () => {
    const pin = why() === undefined ? pinOf(keys.data ?? [], props) : undefined;
    return pin && props.presented ? { pin, presented: props.presented } : undefined;
  };
  return (
    <Show when={question()}>
      {(present) => (
        <>
          <button type="button" class="button" onClick={() => setAsking(present())}>
            {t('accept_new_key')}
          </button>
          <Show when={asking()}>
            {(asked) => (
              <AcceptQuickKey
                {...asked()}
                onAccepted={props.onAccepted}
                onClose={() => setAsking(undefined)}
              />
            )}
          </Show>
        </>
      )}
    </Show>
  );
}

interface QuestionProps {
  readonly pin: QuickKey;
  readonly presented: PresentedKey;
}

function AcceptQuickKey(props: QuestionProps & { onAccepted: () => void; onClose: () => void }) {
  const { client } = useApp();
  const queries = useQueryClient();
  async function accept(): Promise<void> {
    await acceptQuickKey(client, props.pin, props.presented.host_key);
    await queries.invalidateQueries({ queryKey: quickKeysQuery(client).queryKey });
  }
  return (
    <AcceptKeyQuestion
      name={formatPlace(props.pin)}
      pinned={props.pin.fingerprint}
      presented={props.presented.fingerprint}
      accept={accept}
      onAccepted={props.onAccepted}
      onClose={props.onClose}
    />
  );
}
