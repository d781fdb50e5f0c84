import ListOrdered from 'lucide-solid/icons/list-ordered';
import Lock from 'lucide-solid/icons/lock';
import Save from 'lucide-solid/icons/save';
import Search from 'lucide-solid/icons/search';
import WrapText from 'lucide-solid/icons/text-wrap';
import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { FileViewerBar, type ViewerTool } from '../files/viewer/bar.tsx';
import { isDrawnText } from '../files/viewer/kind.ts';
import type { KindProps } from '../files/viewer/props.ts';
import type { Translate } from '../i18n/languages.ts';
import { useUnsaved } from '../workspace/unsaved/unsaved.ts';
import type { Editing } from './editing.ts';

interface BarProps extends KindProps {
  readonly editing: Editing;
  /** The comparison has its own buttons to save and leave. */
  readonly is_comparing: boolean;
}

/** The editor's tools. */
export function FileEditorBar(props: BarProps) {
  const { t } = useApp();
  const { document } = props.editing;
  const unsaved = useUnsaved();
  const why = () => props.editing.why_read_only();
  async function showPicture(): Promise<void> {
    if (await unsaved.mayLeave(props.tab.id)) props.onKind('image');
  }
  const is_idle = () => document.is_saving() || (!document.is_dirty() && !document.is_new());
  const can_save = () => !props.is_comparing && why() === undefined && !is_idle();
  props.files.offer?.(() => [
    ...(can_save()
      ? [{ title: t('save'), hint: 'Ctrl+S', run: () => void props.editing.save(), is_late: true }]
      : []),
    ...(props.is_comparing || why() !== undefined
      ? []
      : [{ title: t('editor_elsewhere'), hint: '', run: props.editing.elsewhere.ask, is_late: true }]),
  ]);
  const locked = () => {
    const account = props.files.server()?.username || t('editor_locked_account');
    return why() === undefined && document.is_locked() ? t('editor_locked', { account }) : undefined;
  };
  const note = () => (document.is_new() ? t('editor_new') : undefined);
  return (
    <FileViewerBar
      {...props}
      is_new={document.is_new()}
      note={note()}
      tools={props.is_comparing ? [] : editorTools(t, props.editing)}
    >
      <Show when={why()}>
        <span class="viewer-note">
          {t('read_only')}: {why()}
        </span>
      </Show>
      <Show when={locked()}>
        {(text) => (
          <span class="viewer-note viewer-lock" title={text()}>
            <Lock size={14} aria-hidden="true" /> {text()}
          </span>
        )}
      </Show>
      <Show when={!props.is_comparing}>
        <Show when={why() === undefined && !document.is_locked()}>
          <SaveButton is_idle={is_idle()} onPress={() => void props.editing.save()} />
        </Show>
        <Show when={isDrawnText(props.path)}>
          <button type="button" class="button" onClick={() => void showPicture()}>
            {t('preview_as_image')}
          </button>
        </Show>
      </Show>
    </FileViewerBar>
  );
}

function SaveButton(props: { is_idle: boolean; onPress: () => void }) {
  const { t } = useApp();
  return (
    <button
      type="button"
      class="button button-primary"
      title={`${t('save')} (Ctrl+S)`}
      aria-disabled={props.is_idle}
      onClick={() => !props.is_idle && props.onPress()}
    >
      <Save size={16} aria-hidden="true" /> <span class="viewer-save">{t('save')}</span>
    </button>
  );
}

function editorTools(t: Translate, editing: Editing): readonly ViewerTool[] {
  return [
    { label: t('editor_find'), keys: 'Ctrl+F', icon: Search, run: () => editing.editor()?.find() },
    {
      label: t('editor_go_to_line'),
      keys: 'Ctrl+G',
      icon: ListOrdered,
      run: () => editing.editor()?.goToLine(),
    },
    {
      ...{ label: t('wrap_lines'), icon: WrapText, is_pressed: editing.wraps },
      run: () => editing.setWraps(!editing.wraps()),
    },
  ];
}
