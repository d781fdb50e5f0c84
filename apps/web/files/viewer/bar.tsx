import Download from 'lucide-solid/icons/download';
import FolderOpen from 'lucide-solid/icons/folder-open';
import { For, type ParentProps, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../../app/context.ts';
import { copyText } from '../../lib/clipboard.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { nameOf, parentOf } from '../../lib/paths.ts';
import { MenuItem } from '../../parts/menu.tsx';
import { Name } from '../../parts/name.tsx';
import { createFolding } from '../../workspace/panes/fold.ts';
import type { OpenFile } from '../open-file.ts';

/** Also in the menu, for where the row has no room for it. */
export interface ViewerTool {
  readonly label: string;
  readonly keys?: string;
  readonly icon: typeof Download;
  /** Shows its label where there is room. */
  readonly is_labeled?: boolean;
  readonly is_pressed?: () => boolean;
  readonly run: () => void;
}

interface Props {
  readonly files: OpenFile;
  readonly path: string;
  /** A note beside the name, such as the size. */
  readonly note?: string | undefined;
  readonly is_new?: boolean;
  readonly tools?: readonly ViewerTool[];
}

/** The file's name and actions. */
export function FileViewerBar(props: ParentProps<Props>) {
  const { t } = useApp();
  let row: HTMLDivElement | undefined;
  createFolding(() => row);
  const download = (): ViewerTool => ({
    label: t('download'),
    icon: Download,
    run: () => void props.files.download(props.path),
  });
  const tools = () => [...(props.tools ?? []), ...(props.is_new ? [] : [download()])];
  props.files.offer?.(() => [
    ...tools().map(({ label, keys = '', run }) => ({
      title: label,
      hint: keys || nameOf(props.path),
      run,
      is_late: true,
    })),
    { title: t('files_copy_path'), hint: nameOf(props.path), run: () => void copyText(props.path) },
    { title: t('back_to_list'), hint: nameOf(props.path), run: () => props.files.showList() },
  ]);
  return (
    <div class="pane-bar-place">
      <div class="pane-bar viewer-bar" ref={row}>
        <button
          type="button"
          class="icon-button"
          aria-label={t('back_to_list')}
          title={t('back_to_list')}
          onClick={() => props.files.showList()}
        >
          <FolderOpen size={16} aria-hidden="true" />
        </button>
        <span class="pane-server" title={shownName(props.files.server()?.name ?? '')}>
          <Name text={props.files.server()?.name ?? ''} />
        </span>
        <h2 class="viewer-name" data-keeps={160} title={shownName(props.path)}>
          <span class="viewer-directory">
            <Name text={directoryOf(props.path)} />
          </span>
          <Name text={nameOf(props.path)} />
        </h2>
        <Show when={props.note}>
          <span class="viewer-note">{props.note}</span>
        </Show>
        {props.children}
        <For each={tools()}>{(tool) => <ToolButton {...tool} />}</For>
        {props.files.tools?.(() => (
          <For each={tools()}>
            {({ label, keys, run }) => (
              <MenuItem label={label} {...(keys ? { hint: keys } : {})} later onSelect={run} />
            )}
          </For>
        ))}
      </div>
    </div>
  );
}

function ToolButton(props: ViewerTool) {
  return (
    <button
      type="button"
      class="icon-button"
      classList={{ 'viewer-labeled': props.is_labeled ?? false }}
      data-folds
      aria-label={props.label}
      title={props.keys ? `${props.label} (${props.keys})` : props.label}
      aria-pressed={props.is_pressed?.()}
      onClick={() => props.run()}
    >
      <Dynamic component={props.icon} size={16} aria-hidden="true" />
      <Show when={props.is_labeled}>
        <span class="viewer-label">{props.label}</span>
      </Show>
    </button>
  );
}

/** The directory with a slash at its end. */
function directoryOf(path: string): string {
  const parent = parentOf(path);
  return parent.endsWith('/') ? parent : `${parent}/`;
}
