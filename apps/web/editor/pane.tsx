import { createEffect, createSignal, on, onMount, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { isSignInDue } from '../files/sign-in.ts';
import type { KindProps } from '../files/viewer/props.ts';
import { isAllowed, isWithin } from '../lib/paths.ts';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { createPaneFocus } from '../workspace/panes/focus.ts';
import { usePaneHost } from '../workspace/panes/host.ts';
import type { Draft } from '../workspace/unsaved/drafts.ts';
import { useUnsaved } from '../workspace/unsaved/unsaved.ts';
import { FileEditorBar } from './bar.tsx';
import { FileConflict } from './conflict.tsx';
import { createEditing, type Editing } from './editing.ts';
import { SaveElsewhere } from './elsewhere/dialog.tsx';
import { LockedFile } from './elsewhere/locked.tsx';
import { FileEditorObstacle } from './obstacle.tsx';
import { isSaveChord } from './save-chord.ts';
import { FileEditorStatus } from './status.tsx';
import type { TextFile } from './text-file.ts';
import { FileEditorLeave } from './unsaved/leave.tsx';

interface Props extends KindProps {
  readonly file: TextFile | undefined;
  readonly draft: Draft | undefined;
}

export function FileEditorPane(props: Props) {
  const editing = createEditingOf(props);
  const pane_host = usePaneHost();
  const [theirs, setTheirs] = createSignal<TextFile>();
  let host: HTMLDivElement | undefined;
  onMount(() => host && editing.attach(host));
  const is_comparing = () => theirs() !== undefined;
  /** Another obstacle, such as a conflict, comes first. */
  const is_refused = () => {
    const { is_locked, is_dirty, obstacle } = editing.document;
    return is_locked() && is_dirty() && obstacle() === undefined;
  };
  const focus = () => !is_comparing() && editing.editor()?.focus();
  createPaneFocus(pane_host, () => props.active, focus);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || !isSaveChord(event)) return;
    event.preventDefault();
    if (!is_comparing()) void editing.save();
  };
  createEffect(() => {
    const obstacle = editing.document.obstacle();
    // The list then asks to sign in, above the text.
    if (obstacle?.kind === 'failed' && isSignInDue(obstacle.error)) void props.files.refresh();
  });
  createEffect(
    on(pane_host.removed, (place) => {
      const is_here = place?.server_id === props.tab.server_id && isWithin(props.path, place.path);
      if (is_here) editing.document.lose();
    }),
  );
  createEffect(() => props.files.sign_in_due() && editing.editor()?.blur()); // the sign-in form takes the focus
  function endComparison(): void {
    if (!is_comparing()) return;
    setTheirs(undefined);
    editing.show(editing.document.version());
    queueMicrotask(focus);
  }
  createEffect(on(editing.document.obstacle, endComparison, { defer: true })); // the comparison is outdated

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles a shortcut for all of its content
    <div class="editor" onKeyDown={onKeyDown}>
      <FileEditorBar {...props} editing={editing} is_comparing={is_comparing()} />
      <Show when={!is_comparing()}>
        <FileEditorObstacle editing={editing} path={props.path} onCompare={setTheirs} />
        <Show when={is_refused()}>
          <LockedFile {...props} editing={editing} />
        </Show>
      </Show>
      <div class="editor-host" hidden={is_comparing()} ref={host} />
      <Show when={theirs()} keyed>
        {(file) => <FileConflict editing={editing} theirs={file} onEnd={endComparison} />}
      </Show>
      <FileEditorStatus editing={editing} />
      <Show when={editing.elsewhere.is_asking()}>
        <SaveElsewhere elsewhere={editing.elsewhere} server={props.files.server()} path={props.path} />
      </Show>
      <Show when={editing.is_asking()}>
        <FileEditorLeave editing={editing} path={props.path} tab_id={props.tab.id} />
      </Show>
    </div>
  );
}

function createEditingOf(props: Props): Editing {
  const app = useApp();
  const unsaved = useUnsaved();
  const why_fixed = useReadOnlyReason();
  const { tab, file, draft } = props;
  const why_read_only = () => {
    const server = props.files.server();
    if (why_fixed() !== undefined) return why_fixed();
    if (server?.sftp_read_only) return app.t('editor_why_read_only');
    return isAllowed(props.path, server?.sftp_allowed_paths ?? []) ? undefined : app.t('editor_why_outside');
  };
  const place = {
    server_id: tab.server_id,
    get path() {
      return props.path; // the tab follows its file
    },
  };
  const onSaved = () => void props.files.refresh(); // updates size and time in the list
  return createEditing({ app, unsaved, tab_id: tab.id, place, file, draft, why_read_only, onSaved });
}
