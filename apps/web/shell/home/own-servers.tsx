import { A } from '@solidjs/router';
import FolderOpen from 'lucide-solid/icons/folder-open';
import { createMemo, createUniqueId, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { isSameDay } from '../../lib/format.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { Name } from '../../parts/name.tsx';
import { minuteClock, Time } from '../../parts/time.tsx';
import { useKnownServers } from '../../servers/known-servers.ts';
import { addressOf, type Server } from '../../servers/servers.ts';
import { StatusDot } from '../../servers/status/dot.tsx';
import { type ShownStatus, stateWords, useStatusWatch } from '../../servers/status/status.ts';
import { firstOffer, isOffered, useOpening } from '../rail/opening.ts';

const MOST = 8;

/** The servers that the user comes back to, and those that do not answer. */
export function OwnServers(props: { servers: readonly Server[] }) {
  const { t } = useApp();
  const { own, serverOf } = useKnownServers();
  const { states, statusOf } = useStatusWatch();
  const named = (ids: readonly number[]) => ids.flatMap((id) => serverOf(id) ?? []).slice(0, MOST);
  const favorites = () => named(own.favorites());
  const recents = () => named(own.recents().filter((id) => !own.favorites().includes(id)));
  const offline = createMemo(() => offlineServers(props.servers, states(), statusOf));
  const now = minuteClock();
  const isFromToday = ({ since }: OfflineServer) => since !== null && isSameDay(since, now());
  const today = () => offline().filter(isFromToday);
  const longer = () => offline().filter((found) => !isFromToday(found));
  return (
    <div class="home-lists">
      <ServerRows title={t('favorites')} servers={favorites()} />
      <ServerRows title={t('recents')} servers={recents()} />
      <ServerRows
        title={t('home_offline_today', { count: today().length })}
        servers={serversIn(today())}
        more={today().length - MOST}
        empty={
          offline().length === 0 && favorites().length + recents().length > 0
            ? t('home_none_offline')
            : undefined
        }
      />
      <ServerRows
        title={t('home_offline_longer', { count: longer().length })}
        servers={serversIn(longer())}
        more={longer().length - MOST}
      />
    </div>
  );
}

interface OfflineServer {
  readonly server: Server;
  /** ISO 8601; null when it is not known. */
  readonly since: string | null;
}

/** Returns the offline servers, the latest to go offline first. */
function offlineServers(
  servers: readonly Server[],
  stateOf: (server_id: number) => ShownStatus['status'],
  statusOf: (server_id: number) => ShownStatus,
): OfflineServer[] {
  return servers
    .filter(({ id }) => stateOf(id) === 'offline')
    .map((server) => ({ server, since: statusOf(server.id).offline_since }))
    .toSorted((a, b) => momentOf(b) - momentOf(a));
}

const momentOf = ({ since }: OfflineServer) => (since === null ? 0 : Date.parse(since));
const serversIn = (found: readonly OfflineServer[]) => found.slice(0, MOST).map(({ server }) => server);

interface RowsProps {
  readonly title: string;
  readonly servers: readonly Server[];
  /** Shown in place of no servers; without it the part is left out. */
  readonly empty?: string | undefined;
  /** How many more are offline than are shown. */
  readonly more?: number;
}

function ServerRows(props: RowsProps) {
  const title_id = createUniqueId();
  return (
    <Show when={props.servers.length > 0 || props.empty !== undefined}>
      <section class="home-part" aria-labelledby={title_id}>
        <div class="home-head">
          <h3 id={title_id}>{props.title}</h3>
        </div>
        <ul>
          <For each={props.servers} fallback={<li class="home-soft">{props.empty}</li>}>
            {(server) => <ServerRow server={server} />}
          </For>
        </ul>
        <MoreOffline count={props.more ?? 0} />
      </section>
    </Show>
  );
}

function MoreOffline(props: { count: number }) {
  const { session, t } = useApp();
  const text = () => t('home_more_offline', { count: props.count });
  return (
    <Show when={props.count > 0}>
      <p class="home-soft">
        <Show when={session.user()?.is_admin} fallback={text()}>
          <A href="/admin/servers?q=is:offline">{text()}</A>
        </Show>
      </p>
    </Show>
  );
}

function ServerRow(props: { server: Server }) {
  const { t } = useApp();
  const opening = useOpening();
  const { statusOf } = useStatusWatch();
  const status = () => statusOf(props.server.id);
  const name = () => shownName(props.server.name);
  return (
    <li class="home-row">
      <button
        type="button"
        class="home-server"
        title={addressOf(props.server)}
        aria-disabled={firstOffer(props.server) === undefined}
        onClick={() => opening.open(props.server)}
      >
        <StatusDot status={status().status} />
        <span class="home-name">
          <Name text={props.server.name} />
        </span>
        <span class="visually-hidden">{stateWords(status(), t)}</span>
      </button>
      <Show when={status().offline_since}>
        {(since) => (
          <span class="home-soft">
            <Time at={since()} />
          </span>
        )}
      </Show>
      <Show when={isOffered(props.server, 'files') && firstOffer(props.server) !== 'files'}>
        <button
          type="button"
          class="icon-button"
          aria-label={t('files_named', { name: name() })}
          title={t('files_named', { name: name() })}
          onClick={() => opening.open(props.server, 'files')}
        >
          <FolderOpen size={16} aria-hidden="true" />
        </button>
      </Show>
    </li>
  );
}
