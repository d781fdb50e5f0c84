import Bot from 'lucide-solid/icons/bot';
import Download from 'lucide-solid/icons/download';
import Ellipsis from 'lucide-solid/icons/ellipsis';
import FolderInput from 'lucide-solid/icons/folder-input';
import Info from 'lucide-solid/icons/info';
import KeyRound from 'lucide-solid/icons/key-round';
import Plus from 'lucide-solid/icons/plus';
import Search from 'lucide-solid/icons/search';
import SquareTerminal from 'lucide-solid/icons/square-terminal';
import TextCursorInput from 'lucide-solid/icons/text-cursor-input';
import Trash from 'lucide-solid/icons/trash';
import Upload from 'lucide-solid/icons/upload';
import { type JSX, Show } from 'solid-js';
import { useAgentPanels } from '../agent/panels.ts';
import { useApp } from '../app/context.ts';
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { useTransfers } from '../transfers/transfers.ts';
import { usePaneHost } from '../workspace/panes/host.ts';
import type { FileTab } from './file-tab.ts';
import { FileMenu } from './list/menu.tsx';
import './toolbar.css';

/** The available actions. Unavailable ones give the reason. */
export function FileToolbar(props: { files: FileTab; tab_id: string; onLeft: () => void }) {
  const { t } = useApp();
  const { workspace } = usePaneHost();
  const agent = workspace && useAgentPanels(); // an element has none
  const askAgent = agent && (() => agent.open({ tab_id: props.tab_id }));
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form fields
    <div
      class="file-toolbar"
      role="group"
      aria-label={t('action')}
      onMouseDown={(event) => event.preventDefault()} // the list keeps the focus
    >
      {/* Their room stays: a click that begins to drag a file to the path selects it, and the path must not move. */}
      <div class="file-toolbar-wide" classList={{ 'file-toolbar-idle': props.files.selected().length === 0 }}>
        <TargetButtons files={props.files} />
        <span class="file-toolbar-gap" />
      </div>
      <MakeMenu files={props.files} />
      <UploadMenu files={props.files} />
      <span class="file-toolbar-rest" />
      <FilterBox files={props.files} onDone={props.onLeft} />
      <div class="file-toolbar-wide">
        <Show when={props.files.terminal}>
          {(terminal) => (
            <ToolButton
              label={t('files_terminal')}
              why={terminal().why(props.files.path())}
              icon={<SquareTerminal size={16} aria-hidden="true" />}
              onPress={() => terminal().open(props.files.path())}
            />
          )}
        </Show>
        <Show when={askAgent}>
          {(ask) => (
            <ToolButton label={t('agent_ask')} icon={<Bot size={16} aria-hidden="true" />} onPress={ask()} />
          )}
        </Show>
        <ToolButton
          label={t('files_search')}
          hint="Ctrl+F"
          icon={<Search size={16} aria-hidden="true" />}
          onPress={props.files.openSearch}
        />
      </div>
      <MoreMenu files={props.files} onAgent={askAgent} />
    </div>
  );
}

/** In narrow panes: what has no room in the row. */
function MoreMenu(props: { files: FileTab; onAgent: (() => void) | undefined }) {
  const { preferences, t } = useApp();
  const hidden = () => preferences.values.hidden_files;
  return (
    <Menu
      label={t('files_more_actions')}
      icon={<Ellipsis size={16} aria-hidden="true" />}
      class="icon-button file-toolbar-more"
    >
      <FileMenu files={props.files} on_row={props.files.targets().length > 0} is_toolbar />
      <MenuSeparator />
      <MenuItem label={t('files_home')} onSelect={() => props.files.goHome()} />
      <MenuItem
        label={t(hidden() ? 'files_hide_hidden' : 'hidden_files')}
        onSelect={() => preferences.set('hidden_files', !hidden())}
      />
      <Show when={props.onAgent}>{(ask) => <MenuItem label={t('agent_ask')} onSelect={ask()} />}</Show>
    </Menu>
  );
}

/** Narrows the list by name; Enter and the arrow down return to it. */
function FilterBox(props: { files: FileTab; onDone: () => void }) {
  const { t } = useApp();
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape') props.files.setFilter('');
    else if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    props.onDone();
  }
  return (
    <input
      type="search"
      class="field-input file-filter"
      aria-label={t('files_filter')}
      placeholder={t('files_filter')}
      title={`${t('files_filter')} (/)`}
      spellcheck={false}
      autocomplete="off"
      value={props.files.filter()}
      onMouseDown={(event) => event.stopPropagation()} // takes the focus, unlike the buttons
      onInput={({ currentTarget }) => props.files.setFilter(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function MakeMenu(props: { files: FileTab }) {
  const { t } = useApp();
  return (
    <WriteMenu
      label={t('files_new')}
      icon={<Plus size={16} aria-hidden="true" />}
      why={props.files.hindrance('make')}
      onRefused={props.files.say}
    >
      <MenuItem label={t('files_new_directory')} hint="F7" onSelect={() => props.files.make('directory')} />
      <MenuItem label={t('files_new_file')} onSelect={() => props.files.make('file')} />
    </WriteMenu>
  );
}

function UploadMenu(props: { files: FileTab }) {
  const { t } = useApp();
  const transfers = useTransfers();
  const place = () => ({ server_id: props.files.server_id, directory: props.files.path() });
  return (
    <WriteMenu
      label={t('files_upload')}
      icon={<Upload size={16} aria-hidden="true" />}
      why={props.files.hindrance('upload')}
      onRefused={props.files.say}
    >
      <MenuItem label={t('files_upload_files')} onSelect={() => void transfers.pickFiles(place())} />
      <MenuItem label={t('files_upload_folder')} onSelect={() => void transfers.pickFolder(place())} />
    </WriteMenu>
  );
}

interface WriteMenuProps {
  readonly label: string;
  readonly icon: JSX.Element;
  readonly why: string | undefined;
  readonly onRefused: (why: string) => void;
  readonly children: JSX.Element;
}

/** A menu; a disabled button with the reason where nothing in it can be done. */
function WriteMenu(props: WriteMenuProps) {
  return (
    <Show
      when={props.why}
      fallback={
        <Menu
          label={props.label}
          text={props.label}
          class="button button-quiet file-menu-button"
          icon={props.icon}
        >
          {props.children}
        </Menu>
      }
    >
      {(why) => (
        <ReasonButton
          class="button button-quiet file-menu-button"
          label={props.label}
          title={props.label}
          why={why()}
          onPress={() => undefined}
          onRefused={() => props.onRefused(why())}
        >
          {props.icon}
          <span class="menu-text">{props.label}</span>
        </ReasonButton>
      )}
    </Show>
  );
}

function TargetButtons(props: { files: FileTab }) {
  const { t } = useApp();
  return (
    <>
      <ToolButton
        label={t('download')}
        why={props.files.hindrance('download')}
        icon={<Download size={16} aria-hidden="true" />}
        onPress={() => props.files.act('download', (entries) => void props.files.downloadAll(entries))}
      />
      <ToolButton
        label={t('files_rename')}
        hint="F2"
        why={props.files.hindrance('rename')}
        icon={<TextCursorInput size={16} aria-hidden="true" />}
        onPress={props.files.rename}
      />
      <ToolButton
        label={t('files_send')}
        why={props.files.hindrance('copy')}
        icon={<FolderInput size={16} aria-hidden="true" />}
        onPress={props.files.send}
      />
      <ToolButton
        label={t('files_chmod')}
        why={props.files.hindrance('chmod')}
        icon={<KeyRound size={16} aria-hidden="true" />}
        onPress={() => props.files.ask('chmod')}
      />
      <ToolButton
        label={t('files_properties')}
        hint="Alt+Enter"
        why={props.files.hindrance('properties')}
        icon={<Info size={16} aria-hidden="true" />}
        onPress={() => props.files.ask('properties')}
      />
      <ToolButton
        label={t('delete')}
        hint="Del"
        why={props.files.hindrance('delete')}
        icon={<Trash size={16} aria-hidden="true" />}
        onPress={() => props.files.ask('delete')}
      />
    </>
  );
}

interface ToolProps {
  readonly label: string;
  readonly icon: JSX.Element;
  /** The equivalent keyboard shortcut. */
  readonly hint?: string;
  readonly why?: string | undefined;
  /** Also pressed while unavailable: the action itself then reports the reason. */
  readonly onPress: () => void;
}

function ToolButton(props: ToolProps) {
  return (
    <ReasonButton
      class="icon-button"
      label={props.label}
      title={props.hint ? `${props.label} (${props.hint})` : props.label}
      why={props.why}
      onPress={() => props.onPress()}
      onRefused={() => props.onPress()}
    >
      {props.icon}
    </ReasonButton>
  );
}
