import { useQueryClient } from '@tanstack/solid-query';
import Ellipsis from 'lucide-solid/icons/ellipsis';
import { For, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { createClock } from '../../lib/clock.ts';
import { formatAgo, formatInstant } from '../../lib/format.ts';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { hostOf, lastStateOf, switchWebhook, WEBHOOKS_KEY, type Webhook } from './webhooks.ts';

const TICK_MS = 10_000;

interface Props {
  readonly webhook: Webhook;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
  readonly onDeliveries: () => void;
  readonly onTest: () => void;
}

export function WebhookRow(props: Props) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const attempt = createAttempt();
  const why = useReadOnlyReason();
  const name = () => props.webhook.name;
  function turn(enabled: boolean): void {
    void attempt.run(async () => {
      await switchWebhook(client, props.webhook, enabled);
      await queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
    });
  }
  return (
    <li class="row">
      <div class="row-text">
        <p class="row-name">
          {name()} <code class="webhook-host">{hostOf(props.webhook.url)}</code>
        </p>
        <p class="webhook-events">
          <For each={props.webhook.events}>{(event) => <EventBadge event={event} />}</For>
        </p>
        <LastFired webhook={props.webhook} />
        <Show when={attempt.error()}>
          <Trouble title={t('webhook_not_switched')} error={attempt.error()} compact />
        </Show>
      </div>
      <div class="row-actions webhook-actions">
        <SwitchField
          label={t('webhook_enabled')}
          about={name()}
          checked={props.webhook.enabled}
          disabled={why() !== undefined || attempt.busy()}
          onChange={turn}
        />
        <ReasonButton
          label={t('webhook_test_of', { name: name() })}
          why={why()}
          onPress={() => props.onTest()}
        >
          {t('webhook_test')}
        </ReasonButton>
        <button
          type="button"
          class="button"
          aria-label={t('webhook_deliveries_of', { name: name() })}
          onClick={() => props.onDeliveries()}
        >
          {t('webhook_deliveries')}
        </button>
        <Menu
          label={t('webhook_more_of', { name: name() })}
          icon={<Ellipsis size={16} aria-hidden="true" />}
          class="icon-button"
        >
          <MenuItem label={t('webhook_edit')} why={why()} onSelect={() => props.onEdit()} />
          <MenuSeparator />
          <MenuItem label={t('webhook_delete')} danger why={why()} onSelect={() => props.onDelete()} />
        </Menu>
      </div>
    </li>
  );
}

export function EventBadge(props: { event: string }) {
  const { t } = useApp();
  const label = () =>
    props.event === '*' ? t('webhook_all_events') : (t.optional(`event_${props.event}`) ?? props.event);
  return (
    <span class="badge" title={props.event}>
      {label()}
    </span>
  );
}

/** The time and outcome of the last delivery. */
function LastFired(props: { webhook: Webhook }) {
  const { preferences, t } = useApp();
  const now = createClock(TICK_MS);
  const language = () => preferences.values.language;
  const state = () => lastStateOf(props.webhook);
  const fired_at = () => props.webhook.last_fired_at ?? '';
  const words = () => t(`webhook_last_${state()}`, { status: props.webhook.last_status ?? 0 });
  const until = () => props.webhook.previous_secret_until;
  return (
    <p class="row-facts">
      <span classList={{ good: state() === 'good', bad: state() === 'refused' || state() === 'unanswered' }}>
        {words()}
      </span>
      <Show when={state() !== 'never'}>
        {' · '}
        <time dateTime={fired_at()} title={fired_at()}>
          {formatAgo(fired_at(), now(), language())}
        </time>
      </Show>
      {' · '}
      {t(props.webhook.has_secret ? 'webhook_signed' : 'webhook_unsigned')}
      <Show when={until()}>
        {(time) => ` · ${t('webhook_previous_secret', { time: formatInstant(time(), language()) })}`}
      </Show>
    </p>
  );
}
