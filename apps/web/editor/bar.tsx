import ListOrdered from 'lucide-solid/icons/list-ordered';
import Save from 'lucide-solid/icons/save';
import Search from 'lucide-solid/icons/search';
import WrapText from 'lucide-solid/icons/text-wrap';
import { type JSX, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { FileViewerBar } from '../files/viewer/bar.tsx';
import { isDrawnText } from '../files/viewer/kind.ts';
import type { KindProps } from '../files/viewer/props.ts';
import type { Editing } from './editing.ts';
import { useUnsaved } from './unsaved/unsaved.ts';

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
  const note = () => (document.is_new() ? t('editor_new') : undefined);
  return (
    <FileViewerBar {...props} is_new={document.is_new()} note={note()}>
      <Show when={why()}>
        <span class="viewer-note">
          {t('read_only')}: {why()}
        </span>
      </Show>
      <Show when={!props.is_comparing}>
        <Show when={why() === undefined}>
          <SaveButton editing={props.editing} />
        </Show>
        <EditorTools editing={props.editing} />
        <Show when={isDrawnText(props.path)}>
          <button type="button" class="button" onClick={() => void showPicture()}>
            {t('preview_as_image')}
          </button>
        </Show>
      </Show>
    </FileViewerBar>
  );
}

function SaveButton(props: { editing: Editing }) {
  const { t } = useApp();
  const { document, save } = props.editing;
  const is_idle = () => document.is_saving() || (!document.is_dirty() && !document.is_new());
  return (
    <button
      type="button"
      class="button button-primary"
      title={`${t('save')} (Ctrl+S)`}
      aria-disabled={is_idle()}
      onClick={() => !is_idle() && void save()}
    >
      <Save size={16} aria-hidden="true" /> {t('save')}
    </button>
  );
}

function EditorTools(props: { editing: Editing }) {
  const { t } = useApp();
  const { editing } = props;
  return (
    <>
      <BarButton label={t('editor_find')} keys="Ctrl+F" onPress={() => editing.editor()?.find()}>
        <Search size={17} aria-hidden="true" />
      </BarButton>
      <BarButton label={t('editor_go_to_line')} keys="Ctrl+G" onPress={() => editing.editor()?.goToLine()}>
        <ListOrdered size={17} aria-hidden="true" />
      </BarButton>
      <BarButton
        label={t('wrap_lines')}
        is_pressed={editing.wraps()}
        onPress={() => editing.setWraps(!editing.wraps())}
      >
        <WrapText size={17} aria-hidden="true" />
      </BarButton>
    </>
  );
}

interface BarButtonProps {
  readonly label: string;
  readonly keys?: string;
  readonly is_pressed?: boolean;
  readonly onPress: () => void;
  readonly children: JSX.Element;
}

function BarButton(props: BarButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={props.label}
      title={props.keys ? `${props.label} (${props.keys})` : props.label}
      aria-pressed={props.is_pressed}
      onClick={() => props.onPress()}
    >
      {props.children}
    </button>
  );
}
