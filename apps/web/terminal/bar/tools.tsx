import Bot from 'lucide-solid/icons/bot';
import Code from 'lucide-solid/icons/code';
import EllipsisVertical from 'lucide-solid/icons/ellipsis-vertical';
import RadioTower from 'lucide-solid/icons/radio-tower';
import Share2 from 'lucide-solid/icons/share-2';
import { For } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../../app-context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { Menu, MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { useWorkspace } from '../../shell/workspace.ts';
import { canReceive } from '../broadcast/broadcast.ts';
import type { TerminalHandle } from '../terminals.ts';

interface Props {
  readonly handle: TerminalHandle;
}

interface Tool {
  readonly kind: 'share' | 'snippets' | 'broadcast' | 'agent';
  readonly text: TextKey;
  readonly label: TextKey;
  readonly icon: typeof Share2;
  readonly hint?: string;
  /** Why the tool is disabled, if it is. */
  why(): string | undefined;
}

function createTools(handle: TerminalHandle): () => readonly Tool[] {
  const { t } = useApp();
  const { terminals } = useWorkspace();
  const whyNoShell = () => (handle.session_id() === undefined ? t('bar_no_shell') : undefined);
  const whyNoKeys = () => whyNoShell() ?? (handle.mode() === 'ro' ? t('bar_read_only') : undefined);
  const whyAlone = () =>
    terminals.list().filter(canReceive).length < 2 ? t('broadcast_needs_two') : undefined;
  const share = {
    kind: 'share',
    text: 'share',
    label: 'share_terminal',
    icon: Share2,
    why: whyNoShell,
  } as const;
  const others = [
    {
      kind: 'snippets',
      text: 'snippets',
      label: 'snippet_send_one',
      icon: Code,
      hint: 'Ctrl+Shift+S',
      why: whyNoKeys,
    },
    {
      kind: 'broadcast',
      text: 'broadcast',
      label: 'broadcast_begin',
      icon: RadioTower,
      hint: 'Ctrl+Shift+B',
      why: () => whyNoKeys() ?? whyAlone(),
    },
  ] as const;
  const agent = {
    kind: 'agent',
    text: 'agent_ask_short',
    label: 'agent_ask',
    icon: Bot,
    why: () => undefined,
  } as const;
  return () => [
    ...(handle.role() === 'owner' ? [share] : []),
    ...others,
    ...(handle.server_id() > 0 ? [agent] : []),
  ];
}

function usePress({ tab_id }: TerminalHandle): (tool: Tool) => void {
  const { agent, show } = useWorkspace();
  return ({ kind }) => (kind === 'agent' ? agent.open({ tab_id }) : show({ kind, tab_id }));
}

/** Side by side if there is room. */
export function TerminalTools(props: Props) {
  const { t } = useApp();
  const press = usePress(props.handle);
  const tools = createTools(props.handle);
  return (
    <div class="terminal-tools">
      <For each={tools()}>
        {(tool) => (
          <ToolButton
            tool={tool}
            text={t(tool.text)}
            title={tool.hint ? `${t(tool.label)} (${tool.hint})` : t(tool.label)}
            onPress={() => press(tool)}
          />
        )}
      </For>
    </div>
  );
}

interface ButtonProps {
  readonly tool: Tool;
  readonly text: string;
  readonly title: string;
  readonly onPress: () => void;
}

function ToolButton(props: ButtonProps) {
  return (
    <ReasonButton
      class="terminal-tool"
      title={props.title}
      why={props.tool.why()}
      onPress={() => props.onPress()}
    >
      <Dynamic component={props.tool.icon} size={15} aria-hidden="true" />
      <span class="terminal-tool-text">{props.text}</span>
    </ReasonButton>
  );
}

/** In one menu on phones and in narrow panes, including actions that are keyboard shortcuts elsewhere. */
export function TerminalMenu(props: Props) {
  const { preferences, t } = useApp();
  const press = usePress(props.handle);
  const tools = createTools(props.handle);
  let to_search = false;
  function onClosed(): void {
    if (to_search) props.handle.search();
    to_search = false;
  }
  return (
    <div class="terminal-menu">
      <Menu
        label={t('bar_of', { name: props.handle.server_name() })}
        icon={<EllipsisVertical size={17} aria-hidden="true" />}
        class="icon-button"
        onClosed={onClosed}
      >
        <For each={tools()}>
          {(tool) => <MenuItem label={t(tool.label)} why={tool.why()} onSelect={() => press(tool)} />}
        </For>
        <MenuSeparator />
        <MenuItem
          label={t('terminal_search')}
          onSelect={() => {
            to_search = true;
          }}
        />
        <MenuItem label={t('font_larger')} stays onSelect={() => preferences.zoom(1)} />
        <MenuItem label={t('font_smaller')} stays onSelect={() => preferences.zoom(-1)} />
      </Menu>
    </div>
  );
}
