import { onCleanup, type ParentProps, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { Translate } from '../i18n/languages.ts';
import { copyText } from '../lib/clipboard.ts';
import { canReceive } from '../open-terminals/broadcast.ts';
import { useOpenTerminals } from '../open-terminals/open-terminals.ts';
import { TerminalWindow, type TerminalWindowProps } from '../open-terminals/terminal-window.tsx';
import type { TerminalHandle } from '../open-terminals/terminals.ts';
import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import { loadable } from '../parts/loadable.tsx';
import type { Command } from '../workspace/commands/command.ts';
import type { Feature, FeatureCommands } from '../workspace/features.ts';
import type { PaneProps, Tab } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { finishAction } from './alerts/finish-action.ts';
import { FinishItem } from './alerts/finish-item.tsx';
import { BroadcastStatus } from './broadcast/frame.tsx';
import { DeadLink } from './shares/dead-link.tsx';
import { openJoin } from './shares/joins.ts';
import { canShare, createShares, SharesProvider } from './shares/shares.ts';

declare module '../workspace/windows.ts' {
  interface Windows {
    share: TerminalWindowProps;
    broadcast: TerminalWindowProps;
    connection: TerminalWindowProps;
    dead_link: unknown;
  }
}

const TerminalTab = loadable<PaneProps>(async () => (await import('./tab.tsx')).TerminalTab);
const ShareDialog = loadableDialog(async () => (await import('./shares/dialog.tsx')).ShareDialog);
const BroadcastDialog = loadableDialog(async () => (await import('./broadcast/dialog.tsx')).BroadcastDialog);
const ConnectionDialog = loadableDialog(async () => (await import('./bar/connection.tsx')).ConnectionDialog);

export const terminalFeature: Feature = {
  views: { terminal: TerminalTab },
  windows: {
    share: {
      View: (props) => (
        <TerminalWindow {...props}>
          {(handle, close) => <ShareDialog handle={handle} onClose={close} />}
        </TerminalWindow>
      ),
    },
    broadcast: {
      View: (props) => (
        <TerminalWindow {...props}>
          {(handle, close) => <BroadcastDialog handle={handle} onClose={close} />}
        </TerminalWindow>
      ),
    },
    connection: {
      View: (props) => (
        <TerminalWindow {...props}>
          {(handle, close) => <ConnectionDialog handle={handle} onClose={close} />}
        </TerminalWindow>
      ),
    },
    dead_link: { View: DeadLink },
  },
  createCommands: createTerminalCommands,
  TabItems: TerminalItems,
  Status: BroadcastStatus,
  Provider: TerminalProvider,
  start() {
    const { place, t } = useApp();
    if (!place.is_guest) openJoin(useWorkspace(), t('join_tab'));
    preloadTerminal();
  },
};

function TerminalProvider(props: ParentProps) {
  const shares = createShares();
  return <SharesProvider value={shares}>{props.children}</SharesProvider>;
}

/** Commands for the active terminal. */
function createTerminalCommands(): FeatureCommands {
  const { t } = useApp();
  const { tabs, notifier, show } = useWorkspace();
  const { terminals, broadcast } = useOpenTerminals();
  function commandsOf(handle: TerminalHandle): Command[] {
    const { tab_id } = handle;
    const hint = handle.server_name();
    const finish = finishAction(handle, notifier);
    const open = (kind: 'share' | 'snippets' | 'broadcast' | 'connection') => () => show({ kind, tab_id });
    return [
      ...(canShare(handle) ? [{ title: t('share_terminal'), hint, run: open('share') }] : []),
      ...(canReceive(handle)
        ? [
            { title: t('snippet_send_one'), hint: 'Ctrl+Shift+S', run: open('snippets') },
            { title: t('broadcast_begin'), hint: 'Ctrl+Shift+B', run: open('broadcast') },
          ]
        : []),
      ...(handle.ended() ? [] : [{ title: t(finish.label), hint, run: finish.run }]),
      { title: t('terminal_search'), hint: 'Ctrl+Shift+F', also: t('also_search'), run: handle.search },
      ...textCommands(handle, t),
      ...(handle.role() === 'owner' && handle.connection().length > 0
        ? [{ title: t('connection_details'), hint, run: open('connection') }]
        : []),
      ...(broadcast.members().length > 0
        ? [{ title: t('broadcast_stop'), hint: t('action'), run: broadcast.stop }]
        : []),
    ];
  }
  return {
    tab() {
      const handle = terminals.of(tabs.active()?.id ?? '');
      return handle ? commandsOf(handle) : [];
    },
  };
}

/** What can be done with the text of a terminal. */
function textCommands(handle: TerminalHandle, t: Translate): Command[] {
  const hint = handle.server_name();
  const selection = handle.selection();
  return [
    ...(selection === ''
      ? []
      : [
          { title: t('clipboard_copy'), hint: 'Ctrl+Shift+C', run: () => void copyText(selection) },
          { title: t('copy_html'), hint, run: () => void handle.copyHtml() },
        ]),
    { title: t('save_output'), hint, also: t('also_save_output'), run: () => void handle.saveOutput() },
    { title: t('terminal_clear'), hint, also: t('also_clear'), run: handle.clear },
  ];
}

function TerminalItems(props: { tab: Tab }) {
  const { terminals } = useOpenTerminals();
  return <Show when={terminals.of(props.tab.id)}>{(terminal) => <FinishItem terminal={terminal()} />}</Show>;
}

const PRELOAD_MS = 500; // after what the first screen itself needs

/** The first click on a server then waits for the host only. */
function preloadTerminal(): void {
  const app = useApp();
  const { terminals } = useOpenTerminals();
  let cancel = () => {};
  const preload = async () => {
    await TerminalTab.prefetch();
    const { prepareTerminal } = await import('./opening/rehearsal.ts');
    cancel = prepareTerminal(app, terminals);
  };
  const timer = setTimeout(() => void preload().catch(() => undefined), PRELOAD_MS); // a click tries again
  onCleanup(() => {
    clearTimeout(timer);
    cancel();
  });
}
