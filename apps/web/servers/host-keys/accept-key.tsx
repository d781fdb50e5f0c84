import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Match, onMount, Show, Switch } from 'solid-js';
import { take } from '#client/client.ts';
import { useApp } from '../../app/context.ts';
import { reasonIn } from '../../i18n/reason.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { createConnectionTest } from '../connection-test/connection-test.ts';
import { hopNamed, type Server, serversQuery } from '../servers.ts';
import { AcceptKeyQuestion } from './accept-question.tsx';
import { type PresentedKey, presentedKey } from './presented.ts';

interface Props {
  readonly server: Server;
  readonly presented: PresentedKey;
  readonly onAccepted?: (() => void) | undefined;
  readonly onClose: () => void;
}

/** Pins exactly the presented key, whatever the host presents next. */
export function AcceptNewKey(props: Props) {
  const { client } = useApp();
  const queries = useQueryClient();
  async function accept(): Promise<void> {
    const { host_key } = props.presented;
    const path = { id: props.server.id };
    await take(client.http.PUT('/api/servers/{id}/host-key', { params: { path }, body: { host_key } }));
    await queries.invalidateQueries({ queryKey: ['servers'] });
  }
  return (
    <AcceptKeyQuestion
      name={props.server.name}
      pinned={props.server.host_key_fingerprint}
      presented={props.presented.fingerprint}
      announced={props.server.announced_host_keys.length}
      accept={accept}
      onAccepted={props.onAccepted}
      onClose={props.onClose}
    />
  );
}

/** Asks the host for its key first: accepts a new one, or forgets the pin of a host that cannot be reached. */
export function LookAtHostKey(props: { server: Server; onClose: () => void }) {
  const test = createConnectionTest(props.server.id);
  onMount(() => void test.run());
  const failed = () => test.progress().stages.find(({ state }) => state === 'failed');
  const presented = () => {
    const stage = failed();
    if (stage?.name !== 'host_key' || stage.hop !== props.server.name) return undefined;
    return presentedKey(stage);
  };
  return (
    <Show
      when={presented()}
      fallback={<PinnedKey server={props.server} test={test} onClose={props.onClose} />}
    >
      {(key) => <AcceptNewKey server={props.server} presented={key()} onClose={props.onClose} />}
    </Show>
  );
}

interface PinnedProps {
  readonly server: Server;
  readonly test: ReturnType<typeof createConnectionTest>;
  readonly onClose: () => void;
}

function PinnedKey(props: PinnedProps) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const passed = () =>
    props.test
      .progress()
      .stages.some(
        ({ name, hop, state }) => name === 'host_key' && hop === props.server.name && state === 'passed',
      );
  const verdict = () => {
    const found = props.test.progress().verdict;
    return found && (found.code === null ? found.message : reasonIn(found.code, found.message, t));
  };
  async function forget(): Promise<void> {
    await client.http.DELETE('/api/servers/{id}/host-key', { params: { path: { id: props.server.id } } });
    await queries.invalidateQueries({ queryKey: ['servers'] });
  }
  return (
    <Confirm
      title={t('host_key_of', { name: props.server.name })}
      text={t('forget_key_text')}
      action={t('forget_key_action')}
      failure={t('forget_key_failed')}
      danger
      onConfirm={forget}
      onClose={props.onClose}
    >
      <dl class="facts">
        <dt>{t('pinned_key')}</dt>
        <dd>
          <code class="fingerprint">{props.server.host_key_fingerprint || t('no_key_yet')}</code>
        </dd>
      </dl>
      <p role="status">
        <Switch fallback={verdict() ?? t('host_key_not_seen')}>
          <Match when={passed()}>{t('host_key_unchanged')}</Match>
          <Match when={props.test.busy()}>
            <span class="spinner" aria-hidden="true" /> {t('host_key_looking')}
          </Match>
        </Switch>
      </p>
    </Confirm>
  );
}

interface ButtonProps {
  /** The server the connection was for. */
  readonly server_id: number;
  /** Name of the hop whose key was refused. */
  readonly hop: string | undefined;
  readonly presented: PresentedKey | undefined;
  readonly onAccepted: () => void;
}

/** Lets administrators accept a changed key, which may belong to a jump host. */
export function AcceptKeyButton(props: ButtonProps) {
  const { client, session, t } = useApp();
  const servers = useQuery(() => serversQuery(client));
  const [asking, setAsking] = createSignal<{ server: Server; presented: PresentedKey }>();
  const why = useReadOnlyReason();
  const may = () => session.user()?.is_admin === true && why() === undefined;
  const question = () => {
    const server = hopNamed(servers.data ?? [], props.server_id, props.hop);
    return may() && server && props.presented ? { server, presented: props.presented } : undefined;
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
              <AcceptNewKey {...asked()} onAccepted={props.onAccepted} onClose={() => setAsking(undefined)} />
            )}
          </Show>
        </>
      )}
    </Show>
  );
}
