import ArrowLeft from 'lucide-solid/icons/arrow-left';
import Download from 'lucide-solid/icons/download';
import { type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { nameOf } from '../../lib/paths.ts';
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
    <div class="viewer-bar">
      <button type="button" class="button" onClick={() => props.files.showList()}>
        <ArrowLeft size={16} aria-hidden="true" /> {t('back_to_list')}
      </button>
      <h2 class="viewer-name" title={props.path}>
        {nameOf(props.path)}
      </h2>
      <Show when={props.note}>
        <span class="viewer-note">{props.note}</span>
      </Show>
      {props.children}
      <Show when={!props.is_new}>
        <button type="button" class="button" onClick={() => void props.files.download(props.path)}>
          <Download size={16} aria-hidden="true" /> {t('download')}
        </button>
      </Show>
    </div>
  );
}
