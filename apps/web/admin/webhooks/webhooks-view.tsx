import { useSearchParams } from '@solidjs/router';
import { useQuery, useQueryClient } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { followAskedNew } from '../../parts/asked-new.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { WebhookDeliveries } from './deliveries.tsx';
import { WebhookForm } from './form.tsx';
import { WebhookTable } from './table.tsx';
import { WebhookVerifyHelp } from './verify.tsx';
import { removeWebhook, WEBHOOKS_KEY, type Webhook, webhooksQuery } from './webhooks.ts';
import './webhooks.css';

/** The dialog open over the list. */
type Open =
  | { readonly kind: 'form'; readonly webhook: Webhook | undefined }
  | { readonly kind: 'delete'; readonly webhook: Webhook };

/** The webhooks, or the deliveries of the one in the page's address. */
export function AdminWebhooks() {
  const { client } = useApp();
  const webhooks = useQuery(() => webhooksQuery(client));
  const [query, setQuery] = useSearchParams();
  const [testing_id, setTesting] = createSignal<number>();
  const [returned_id, setReturned] = createSignal<number>();
  const shown = () => webhooks.data?.find(({ id }) => String(id) === query['hook']);
  function open({ id }: Webhook, test: boolean): void {
    setTesting(test ? id : undefined);
    setQuery({ hook: id });
  }
  function close(): void {
    setReturned(shown()?.id);
    setQuery({ hook: undefined });
  }
  return (
    <Show
      when={shown()}
      fallback={<WebhookList webhooks={webhooks} returned_id={returned_id()} onOpen={open} />}
    >
      {(webhook) => (
        <WebhookDeliveries webhook={webhook()} test={testing_id() === webhook().id} onClose={close} />
      )}
    </Show>
  );
}

interface ListProps {
  readonly webhooks: {
    readonly data: readonly Webhook[] | undefined;
    readonly isPending: boolean;
    readonly error: unknown;
    refetch(): Promise<unknown>;
  };
  readonly returned_id: number | undefined;
  readonly onOpen: (webhook: Webhook, test: boolean) => void;
}

function WebhookList(props: ListProps) {
  const { t } = useApp();
  const [open, setOpen] = createSignal<Open>();
  const why = useReadOnlyReason();
  followAskedNew(() => setOpen({ kind: 'form', webhook: undefined }));
  return (
    <section class="section section-wide" aria-labelledby="webhooks-title">
      <div class="section-head">
        <SectionTitle id="webhooks-title" text={t('webhooks')} />
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
      <QueryState query={props.webhooks} failure={t('webhooks_failed')}>
        {(known) => (
          <WebhookTable
            webhooks={known()}
            returned_id={props.returned_id}
            onEdit={(webhook) => setOpen({ kind: 'form', webhook })}
            onDelete={(webhook) => setOpen({ kind: 'delete', webhook })}
            onDeliveries={(webhook) => props.onOpen(webhook, false)}
            onTest={(webhook) => props.onOpen(webhook, true)}
          />
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
      {(open) =>
        open.kind === 'form' ? (
          <WebhookForm webhook={open.webhook} onSaved={refresh} onClose={props.onClose} />
        ) : (
          <Confirm
            title={t('delete_of', { name: open.webhook.name })}
            text={t('webhook_delete_text')}
            action={t('delete')}
            failure={t('webhook_not_deleted')}
            danger
            onConfirm={() => remove(open.webhook)}
            onClose={props.onClose}
          />
        )
      }
    </Show>
  );
}
