import { A } from '@solidjs/router';
import { useQueryClient } from '@tanstack/solid-query';
import ChevronLeft from 'lucide-solid/icons/chevron-left';
import Plus from 'lucide-solid/icons/plus';
import { createMemo, createSignal, Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { usersQuery } from '../../lib/users.ts';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { BulkDialog } from '../../parts/table/bulk-dialog.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { serversQuery } from '../servers.ts';
import { useStatusWatch } from '../status/status.ts';
import { ServerTable } from '../table.tsx';
import { type AskedUsers, GroupAccess } from './access.tsx';
import { AddServers } from './add-servers.tsx';
import { countStates, type Group, gatherGroups, groupNamed, groupPath } from './groups.ts';
import { createRename, renameSteps } from './rename.ts';
import { States } from './states.tsx';

interface Props {
  readonly name: string;
  readonly groups: readonly Group[];
  readonly users: AskedUsers;
}

/** One group: its servers with their states, and for administrators the users who can reach them. */
export function GroupPage(props: Props) {
  const { session, t } = useApp();
  const { states } = useStatusWatch();
  const is_admin = () => session.user()?.is_admin === true;
  const group = createMemo(
    () => props.groups.find(({ name }) => name === props.name) ?? groupNamed(props.name, [], []),
  );
  return (
    <>
      <section class="section section-wide" aria-labelledby="groups-title">
        <div class="section-head">
          <div class="group-title">
            <A
              class="icon-button"
              href={groupPath(is_admin())}
              aria-label={t('groups_all')}
              title={t('groups_all')}
            >
              <ChevronLeft size={18} aria-hidden="true" />
            </A>
            <SectionTitle id="groups-title" text={props.name || t('ungrouped')} />
          </div>
          <Show when={is_admin()}>
            <GroupTools group={group()} />
          </Show>
        </div>
        <Show when={is_admin()}>
          <ReadOnlyNote />
        </Show>
        <Show when={group().servers.length > 0}>
          <p class="group-summary">
            <States counts={countStates(group().servers, states())} />
          </p>
        </Show>
        <ServerTable
          servers={group().servers}
          group={{ title_id: 'groups-title', empty: t(is_admin() ? 'group_empty_admin' : 'group_empty') }}
        />
      </section>
      <Show when={is_admin()}>
        <GroupAccess group={group()} users={props.users} />
      </Show>
    </>
  );
}

type Dialog =
  | { readonly kind: 'add' }
  | { readonly kind: 'rename'; readonly group: Group; readonly taken: readonly string[] };

function GroupTools(props: { group: Group }) {
  const { client, t } = useApp();
  const { show } = useWorkspace();
  const queries = useQueryClient();
  const why = useReadOnlyReason();
  const [dialog, setDialog] = createSignal<Dialog>();
  const renaming = createAttempt();
  const close = () => setDialog(undefined);
  /** Plans with what is stored now: a list that is out of date would undo changes of others. */
  async function planRename(): Promise<void> {
    const { name } = props.group;
    const [servers, users] = await Promise.all([
      queries.fetchQuery({ ...serversQuery(client), staleTime: 0 }),
      queries.fetchQuery({ ...usersQuery(client), staleTime: 0 }),
    ]);
    const taken = gatherGroups(servers, users).flatMap((group) => group.name || []);
    setDialog({ kind: 'rename', group: groupNamed(name, servers, users), taken });
  }
  const renamed = () => {
    const open = dialog();
    return open?.kind === 'rename' ? open : undefined;
  };
  return (
    <div class="section-tools">
      <ReasonButton class="button button-primary" why={why()} onPress={() => setDialog({ kind: 'add' })}>
        <Plus size={16} aria-hidden="true" /> {t('group_add_servers')}
      </ReasonButton>
      <ReasonButton
        why={why()}
        onPress={() => show({ kind: 'server_form', server: undefined, group: props.group.name })}
      >
        {t('group_new_server')}
      </ReasonButton>
      <Show when={props.group.name !== ''}>
        <ReasonButton why={why()} busy={renaming.busy()} onPress={() => void renaming.run(planRename)}>
          {t('group_rename')}
        </ReasonButton>
      </Show>
      <Show when={renaming.error()}>
        <Trouble title={t('group_not_loaded')} error={renaming.error()} compact />
      </Show>
      <Switch>
        <Match when={dialog()?.kind === 'add'}>
          <AddServers group={props.group.name} onClose={close} />
        </Match>
        <Match when={renamed()}>
          {(open) => <RenameGroup group={open().group} taken={open().taken} onClose={close} />}
        </Match>
      </Switch>
    </div>
  );
}

function RenameGroup(props: { group: Group; taken: readonly string[]; onClose: () => void }) {
  const { goTo } = useWorkspace();
  const [named, setNamed] = createSignal<string>();
  const { action, nameOf } = createRename(props.group, props.taken);
  /** Goes to the page of the new name once a step has begun: part of the group may have it already. */
  function close(): void {
    props.onClose();
    const name = named();
    if (name !== undefined) goTo(groupPath(true, name));
  }
  return (
    <BulkDialog
      action={{
        ...action,
        run: (step, name) => {
          setNamed(name);
          return action.run(step, name);
        },
      }}
      rows={renameSteps(props.group)}
      nameOf={nameOf}
      onClose={close}
    />
  );
}
