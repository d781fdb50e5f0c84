import EllipsisVertical from 'lucide-solid/icons/ellipsis-vertical';
import X from 'lucide-solid/icons/x';
import { type Accessor, createEffect, createSignal, on, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { useApp } from '../../app/context.ts';
import { afterMove, isWithin, nameOf } from '../../lib/paths.ts';
import { Menu } from '../../parts/menu.tsx';
import { createDragState } from '../../workspace/drag.ts';
import type { PaneHost } from '../../workspace/panes/host.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';
import type { Unsaved } from '../../workspace/unsaved/unsaved.ts';
import type { PaneStatus } from '../../workspace/workspace.ts';
import type { ViewParts } from '../element.ts';
import { followLook } from '../look.ts';
import type { EmbedSession } from '../session.ts';

type RemovedFile = Pick<Tab, 'server_id' | 'path'>;

export interface FilesHost extends PaneHost {
  readonly list: Tab;
  /** The open file. */
  readonly file: Accessor<Tab | undefined>;
}

/** What is around the list of an element: one server, and at most one open file. */
export function createFilesHost(
  parts: ViewParts,
  session: Accessor<EmbedSession>,
  unsaved: Unsaved,
): FilesHost {
  const { look } = parts;
  const { t } = useApp();
  const looked = followLook(parts);
  const { id: server_id, name: server_name } = session().server;
  const place = { server_id, server_name, restored: false } as const;
  const [list, update] = createStore<Tab>({ ...place, id: 'list', kind: 'files', path: look.path });
  const [file, setFile] = createSignal<Tab>();
  const [focus_wish, setFocusWish] = createSignal(0);
  const report = createReport(parts, place);
  const [removed, setRemoved] = createSignal<RemovedFile | undefined>(undefined, { equals: false });
  let opened = 0;
  let setFilePath: (path: string) => void = () => undefined;

  async function leave(then: Tab | undefined): Promise<boolean> {
    const present = file();
    const is_left = present === undefined || (await unsaved.mayLeave(present.id));
    if (is_left) setFile(then);
    return is_left;
  }
  const wanted_path = () => {
    looked();
    return look.path;
  };
  createEffect(
    on(wanted_path, (path, before) => before !== undefined && path !== before && update({ path })),
  );

  return {
    ...{ list, file, focus_wish },
    drags: createDragState(),
    removed,
    noteRemoved: (place) => void setRemoved(place),
    moved({ from, to }) {
      const present = file();
      if (present && isWithin(present.path, from)) setFilePath(afterMove(present.path, from, to));
    },
    wishFocus: () => setFocusWish((wishes) => wishes + 1),
    servers: () => {
      looked();
      const { server } = session();
      const sftp_read_only = server.sftp_read_only || look.mode === 'ro';
      return [{ ...server, sftp_read_only, sftp_enabled: true }];
    },
    setStatus: (id, status) => id === list.id && report(status),
    setPath: (_, path) => update({ path }),
    openFile(_, path, is_new) {
      opened += 1;
      const [tab, setTab] = createStore<Tab>({
        ...{ ...place, id: `file-${opened}`, kind: 'file', path },
        ...(is_new ? { is_new } : {}),
      });
      void leave(tab).then((is_left) => {
        if (is_left) setFilePath = (next) => setTab({ path: next });
      });
    },
    showList: () => void leave(undefined),
    activate: () => undefined,
    close: () => void leave(undefined),
    tools: (tab, items) => (
      <Show when={tab.kind === 'file'}>
        <Menu
          label={t('pane_menu', { name: nameOf(tab.path) })}
          icon={<EllipsisVertical size={16} aria-hidden="true" />}
          class="pane-tool"
        >
          {items?.()}
        </Menu>
        <button
          type="button"
          class="icon-button"
          aria-label={t('close')}
          title={t('close')}
          onClick={() => void leave(undefined)}
        >
          <X size={16} aria-hidden="true" />
        </button>
      </Show>
    ),
  };
}

/** Tells the page once that the list is there, or why it is not. */
function createReport(
  { emit }: ViewParts,
  { server_id, server_name }: Pick<Tab, 'server_id' | 'server_name'>,
): (status: PaneStatus) => void {
  let is_ready = false;
  return ({ tone, note }) => {
    if (is_ready) return;
    if (tone === 'bad') emit('error', { code: 'not_listed', message: note ?? '' });
    if (tone !== 'good') return;
    is_ready = true;
    emit('ready', { server_id, server_name });
  };
}
