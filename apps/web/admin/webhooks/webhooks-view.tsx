import { useQuery, useQueryClient } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { WebhookDeliveries } from './deliveries.tsx';
import { WebhookForm } from './form.tsx';
import { WebhookRow } from './row.tsx';
import { WebhookVerifyHelp } from './verify.tsx';
import { removeWebhook, WEBHOOKS_KEY, type Webhook, webhooksQuery } from './webhooks.ts';
import './webhooks.css';

/** The dialog open over the list. */
type Open =
  | { readonly kind: 'form'; readonly webhook: Webhook | undefined }
  | { readonly kind: 'delete'; readonly webhook: Webhook }
  | { readonly kind: 'deliveries'; readonly webhook: Webhook; readonly test: boolean };

export function AdminWebhooks() {
  const { client, t } = useApp();
  const webhooks = useQuery(() => webhooksQuery(client));
  const [open, setOpen] = createSignal<Open>();
  const why = useReadOnlyReason();
  return (
    <section class="section section-wide" aria-labelledby="webhooks-title">
      <div class="section-head">
        <h3 class="section-title" id="webhooks-title">
          {t('webhooks')}
        </h3>
        <ReasonButton
          class="button button-primary"
          why={why()}
          onPress={() => setOpen({ kind: 'form', webhook: undefined })}
        >
          <Plus size={16} aria-hidden="true" /> {t('webhook_create')}
        </ReasonButton>
      </div>
      <ReadOnlyNote />
      <p class="section-lead">{t('webhooks_lead')}</p>
      <QueryState query={webhooks} failure={t('webhooks_failed')}>
        {(known) => (
          <Show when={known().length > 0} fallback={<p class="empty">{t('webhooks_empty')}</p>}>
            <ul class="rows" aria-label={t('webhooks')}>
              <For each={known()}>
                {(webhook) => (
                  <WebhookRow
                    webhook={webhook}
                    onEdit={() => setOpen({ kind: 'form', webhook })}
                    onDelete={() => setOpen({ kind: 'delete', webhook })}
                    onDeliveries={() => setOpen({ kind: 'deliveries', webhook, test: false })}
                    onTest={() => setOpen({ kind: 'deliveries', webhook, test: true })}
                  />
                )}
              </For>
            </ul>
          </Show>
        )}
      </QueryState>
      <WebhookVerifyHelp />
      <Opened open={open()} onClose={() => setOpen(undefined)} />
    </section>
  );
}

function Opened(props: { open: Open | undefined; onClose: () => void }) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
  async function remove(webhook: Webhook): Promise<void> {
    await removeWebhook(client, webhook);
    await refresh();
  }
  return (
    <Show when={props.open} keyed>
      {(open) => {
        switch (open.kind) {
          case 'form':
            return <WebhookForm webhook={open.webhook} onSaved={refresh} onClose={props.onClose} />;
          case 'deliveries':
            return <WebhookDeliveries webhook={open.webhook} test={open.test} onClose={props.onClose} />;
          case 'delete':
            return (
              <Confirm
                title={t('delete_of', { name: open.webhook.name })}
                text={t('webhook_delete_text')}
                action={t('delete')}
                failure={t('webhook_not_deleted')}
                danger
                onConfirm={() => remove(open.webhook)}
                onClose={props.onClose}
              />
            );
        }
      }}
    </Show>
  );
}
