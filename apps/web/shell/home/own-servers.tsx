import FolderOpen from 'lucide-solid/icons/folder-open';
import { createUniqueId, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { Name } from '../../parts/name.tsx';
import { useKnownServers } from '../../servers/known-servers.ts';
import { addressOf, type Server } from '../../servers/servers.ts';
import { StatusDot } from '../../servers/status/dot.tsx';
import { stateWords, useStatusWatch } from '../../servers/status/status.ts';
import { firstOffer, isOffered, useOpening } from '../rail/opening.ts';

const MOST = 8;

/** The servers that the user comes back to, and those that do not answer. */
export function OwnServers(props: { servers: readonly Server[] }) {
  const { t } = useApp();
  const { own, serverOf } = useKnownServers();
  const { states } = useStatusWatch();
  const named = (ids: readonly number[]) => ids.flatMap((id) => serverOf(id) ?? []).slice(0, MOST);
  const favorites = () => named(own.favorites());
  const recents = () => named(own.recents().filter((id) => !own.favorites().includes(id)));
  const offline = () => props.servers.filter(({ id }) => states()(id) === 'offline');
  return (
    <div class="home-lists">
      <ServerRows title={t('favorites')} servers={favorites()} />
      <ServerRows title={t('recents')} servers={recents()} />
      <ServerRows
        title={t('home_offline', { count: offline().length })}
        servers={offline().slice(0, MOST)}
        empty={favorites().length + recents().length > 0 ? t('home_none_offline') : undefined}
      />
    </div>
  );
}

interface RowsProps {
  readonly title: string;
  readonly servers: readonly Server[];
  /** Shown in place of no servers; without it the part is left out. */
  readonly empty?: string | undefined;
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
      </section>
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
