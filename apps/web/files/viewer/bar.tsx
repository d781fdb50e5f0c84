import Download from 'lucide-solid/icons/download';
import FolderOpen from 'lucide-solid/icons/folder-open';
import { type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { nameOf, parentOf } from '../../lib/paths.ts';
import type { OpenFile } from '../open-file.ts';

interface Props {
  readonly files: OpenFile;
  readonly path: string;
  /** A note beside the name, such as the size. */
  readonly note?: string | undefined;
  readonly is_new?: boolean;
}

/** The file's name and actions. */
export function FileViewerBar(props: ParentProps<Props>) {
  const { t } = useApp();
  return (
    <div class="pane-bar-place">
      <div class="pane-bar viewer-bar">
        <button
          type="button"
          class="icon-button"
          aria-label={t('back_to_list')}
          title={t('back_to_list')}
          onClick={() => props.files.showList()}
        >
          <FolderOpen size={16} aria-hidden="true" />
        </button>
        <span class="pane-server">{props.files.server()?.name}</span>
        <h2 class="viewer-name" title={props.path}>
          <span class="viewer-directory">{directoryOf(props.path)}</span>
          {nameOf(props.path)}
        </h2>
        <Show when={props.note}>
          <span class="viewer-note">{props.note}</span>
        </Show>
        {props.children}
        <Show when={!props.is_new}>
          <button
            type="button"
            class="icon-button"
            aria-label={t('download')}
            title={t('download')}
            onClick={() => void props.files.download(props.path)}
          >
            <Download size={16} aria-hidden="true" />
          </button>
        </Show>
        {props.files.tools?.()}
      </div>
    </div>
  );
}

/** With its trailing slash. */
function directoryOf(path: string): string {
  const parent = parentOf(path);
  return parent.endsWith('/') ? parent : `${parent}/`;
}
