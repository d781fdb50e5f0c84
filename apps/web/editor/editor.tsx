import { createEffect, createSignal, Match, on, onCleanup, Switch } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../app/context.ts';
import { isSignInDue } from '../files/sign-in.ts';
import { FileViewerBar } from '../files/viewer/bar.tsx';
import type { KindProps } from '../files/viewer/props.ts';
import { FileViewerTrouble } from '../files/viewer/trouble.tsx';
import type { Draft } from '../workspace/unsaved/drafts.ts';
import { useUnsaved } from '../workspace/unsaved/unsaved.ts';
import { FileExcerpt } from './excerpt/excerpt-view.tsx';
import { FileEditorPane } from './pane.tsx';
import { isMissing, readText, type TextFile } from './text-file.ts';
import './editor.css';

interface Opened {
  readonly file: TextFile | undefined;
  readonly draft: Draft | undefined;
}

/** Reads and edits a text file. Other files are offered as a download. */
export function FileEditor(props: KindProps) {
  const { t } = useApp();
  const { opened, error, open } = createOpening(props);
  createEffect(
    on(
      () => props.files.sign_in_due() === undefined,
      (is_in) => is_in && isSignInDue(error()) && void open(),
      { defer: true },
    ),
  );
  return (
    <Switch
      fallback={
        <>
          <FileViewerBar files={props.files} path={props.path} />
          <p class="file-empty" role="status">
            {t('loading')}
          </p>
        </>
      }
    >
      <Match when={isOtherText(error())}>
        <FileExcerpt {...props} />
      </Match>
      <Match when={error()}>
        {(refusal) => (
          <>
            <FileViewerBar files={props.files} path={props.path} />
            <FileViewerTrouble {...props} error={refusal()} onRetry={() => void open()} />
          </>
        )}
      </Match>
      <Match when={opened()} keyed>
        {(text) => <FileEditorPane {...props} {...text} />}
      </Match>
    </Switch>
  );
}

/** Too large for the editor, or not UTF-8. */
function isOtherText(error: unknown): boolean {
  return error instanceof ClientError && ['file_too_large', 'not_text'].includes(error.code);
}

function createOpening(props: KindProps) {
  const { client } = useApp();
  const unsaved = useUnsaved();
  const [opened, setOpened] = createSignal<Opened>();
  const [error, setError] = createSignal<unknown>();
  const ending = new AbortController();
  onCleanup(() => ending.abort());
  const place = { server_id: props.tab.server_id, path: props.path };
  const draft = unsaved.isOpen(place) ? undefined : unsaved.drafts.find(place);

  function put(file: TextFile | undefined): void {
    setOpened({ file, draft: draft?.content === file?.content ? undefined : draft });
  }
  function fail(refusal: unknown): void {
    if (ending.signal.aborted) return;
    if ((draft || props.is_new) && isMissing(refusal)) return void put(undefined);
    setError(refusal);
    if (isSignInDue(refusal)) void props.files.refresh(); // the list then asks to sign in
  }
  async function open(): Promise<void> {
    setError(undefined);
    try {
      put(await readText(client, place, ending.signal));
    } catch (refusal) {
      fail(refusal);
    }
  }
  void open();
  return { opened, error, open };
}
