import { Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { useKnownServers } from '../../servers/known-servers.ts';
import type { Server } from '../../servers/servers.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { firstOffer, useOpenGroup, useOpening } from './opening.ts';
import type { RailModel } from './rail-model.ts';
import { groupOf, type Row } from './rows.ts';

interface Props {
  readonly row: Row | undefined;
  readonly index: number;
  readonly model: RailModel;
  /** The action opened something that takes the focus. */
  readonly onOpened: () => void;
}

/** Everything that can be done with a server, or with the sections. */
export function RailMenu(props: Props) {
  const { serverOf } = useKnownServers();
  const server = () => (props.row?.kind === 'server' ? serverOf(props.row.server_id) : undefined);
  return (
    <Switch>
      <Match when={server()}>{(found) => <ServerItems {...props} server={found()} />}</Match>
      <Match when={true}>
        <SectionItems {...props} />
      </Match>
    </Switch>
  );
}

/** Selects or deselects what the row stands for. */
function SelectItem(props: Props) {
  const { t } = useApp();
  const ids = () => {
    if (props.row?.kind === 'server') return [props.row.server_id];
    return props.row?.section.server_ids ?? [];
  };
  const label = () => {
    if (props.model.selection.hasAll(ids())) return t('rail_deselect');
    return t(props.row?.kind === 'server' ? 'rail_select' : 'rail_select_group');
  };
  return (
    <Show when={ids().length > 0}>
      <MenuItem
        label={label()}
        hint="Ctrl+Space"
        onSelect={() => props.model.selection.reach(props.index, 'toggle')}
      />
    </Show>
  );
}

function SectionItems(props: Props) {
  const { t } = useApp();
  const openGroup = useOpenGroup();
  const section = () => (props.row?.kind === 'section' ? props.row.section : undefined);
  const group = () => groupOf(section()?.id ?? '');
  const showOffline = () => {
    const found = section();
    return found && props.model.offlineIn(found) > 0 ? props.model.showOffline(found) : undefined;
  };
  return (
    <>
      <Show when={group() !== undefined}>
        <MenuItem
          label={t('rail_open_group')}
          hint="Ctrl+Enter"
          onSelect={() => {
            openGroup(group() ?? '');
            props.onOpened();
          }}
        />
      </Show>
      <Show when={showOffline()}>
        {(show) => <MenuItem label={t('rail_show_offline')} onSelect={() => show()()} />}
      </Show>
      <SelectItem {...props} />
      <MenuItem label={t('rail_expand_all')} onSelect={() => props.model.setAllOpen(true)} />
      <MenuItem label={t('rail_collapse_all')} onSelect={() => props.model.setAllOpen(false)} />
    </>
  );
}

function ServerItems(props: Props & { server: Server }) {
  const { t } = useApp();
  const { own } = useKnownServers();
  const { open, openBeside } = useOpening();
  const is_favorite = () => own.isFavorite(props.server.id);
  const why = (is_on: boolean, key: 'ssh_off' | 'sftp_off') => (is_on ? undefined : t(key));
  const opened = (work: () => void) => () => {
    work();
    props.onOpened();
  };
  return (
    <>
      <MenuItem
        label={t('open_a_terminal')}
        hint="Enter"
        why={why(props.server.ssh_enabled, 'ssh_off')}
        onSelect={opened(() => open(props.server, 'terminal'))}
      />
      <MenuItem
        label={t('open_beside')}
        hint="Ctrl+Enter"
        disabled={firstOffer(props.server) === undefined}
        onSelect={opened(() => openBeside(props.server))}
      />
      <MenuItem
        label={t('open_the_files')}
        hint="F"
        why={why(props.server.sftp_enabled, 'sftp_off')}
        onSelect={opened(() => open(props.server, 'files'))}
      />
      <MenuItem
        label={t(is_favorite() ? 'favorite_remove' : 'favorite_add')}
        hint="*"
        onSelect={() => own.toggleFavorite(props.server.id)}
      />
      <SelectItem {...props} />
      <MenuSeparator />
      <ChangeItems server={props.server} />
    </>
  );
}

function ChangeItems(props: { server: Server }) {
  const { session, t } = useApp();
  const { show, setSheetOpen } = useWorkspace();
  const why = useReadOnlyReason();
  const pick = (kind: 'test' | 'delete' | 'server_form' | 'host_key') => () => {
    setSheetOpen(false);
    show({ kind, server: props.server });
  };
  return (
    <>
      <MenuItem label={t('test_connection')} why={why()} onSelect={pick('test')} />
      <Show when={session.user()?.is_admin}>
        <MenuItem label={t('edit')} why={why()} onSelect={pick('server_form')} />
        <MenuItem
          label={t('accept_new_key')}
          disabled={props.server.host_key_fingerprint === ''}
          why={why()}
          onSelect={pick('host_key')}
        />
        <MenuSeparator />
        <MenuItem label={t('delete')} danger why={why()} onSelect={pick('delete')} />
      </Show>
    </>
  );
}
