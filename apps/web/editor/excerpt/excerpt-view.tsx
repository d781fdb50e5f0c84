import { Text } from '@codemirror/state';
import { createEffect, For, Match, on, onCleanup, onMount, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { FileViewerBar } from '../../files/viewer/bar.tsx';
import type { KindProps } from '../../files/viewer/props.ts';
import { FileViewerTrouble } from '../../files/viewer/trouble.tsx';
import { formatSize } from '../../lib/format.ts';
import { SelectField } from '../../parts/fields/select.tsx';
import { openEditor, type TextEditor } from '../open-editor.ts';
import { phrasesIn } from '../phrases.ts';
import { BinaryNotice } from './binary-notice.tsx';
import { ENCODINGS } from './encodings.ts';
import { createExcerpt, type Excerpt, type Mode } from './excerpt.ts';
import './excerpt.css';

const MODES: readonly Mode[] = ['first', 'last', 'follow'];

/** Shows parts of a large text, or of one that is not UTF-8. Other files are offered as a download. */
export function FileExcerpt(props: KindProps) {
  const { client } = useApp();
  const excerpt = createExcerpt(client, { server_id: props.tab.server_id, path: props.path });
  return (
    <Switch fallback={<Shown {...props} excerpt={excerpt} />}>
      <Match when={excerpt.error()}>
        {(error) => (
          <>
            <FileViewerBar files={props.files} path={props.path} />
            <FileViewerTrouble {...props} error={error()} onRetry={() => excerpt.show(excerpt.mode())} />
          </>
        )}
      </Match>
      <Match when={excerpt.is_binary()}>
        <FileViewerBar files={props.files} path={props.path} />
        <BinaryNotice files={props.files} path={props.path} size={excerpt.part()?.size} />
      </Match>
    </Switch>
  );
}

function Shown(props: KindProps & { excerpt: Excerpt }) {
  const { preferences, t } = useApp();
  const { excerpt } = props;
  let host: HTMLDivElement | undefined;
  let editor: TextEditor | undefined;
  onMount(() => {
    if (!host) return;
    const configuration = {
      language: [],
      indent: { kind: 'tabs', width: 8 },
      wraps: false,
      read_only: true,
      phrases: phrasesIn(t),
    } as const;
    const ignore = () => undefined;
    const doc = Text.of(['']);
    editor = openEditor({
      parent: host,
      doc,
      label: () => props.path,
      configuration,
      onDoc: ignore,
      onCursor: ignore,
    });
  });
  onCleanup(() => editor?.close());
  createEffect(
    on(excerpt.text, (text) => {
      editor?.replace(Text.of(text.split(/\r\n?|\n/)));
      if (excerpt.mode() !== 'first') editor?.showEnd();
    }),
  );
  const size = (bytes: number) => formatSize(bytes, preferences.values.language);
  const note = () => {
    const part = excerpt.part();
    if (!part) return t('loading');
    if (part.bytes.length >= part.size) return t('excerpt_whole', { size: size(part.size) });
    const key = part.offset === 0 ? 'excerpt_first' : 'excerpt_last';
    return t(key, { part: size(part.bytes.length), size: size(part.size) });
  };
  return (
    <div class="editor excerpt" classList={{ 'excerpt-unnumbered': (excerpt.part()?.offset ?? 0) > 0 }}>
      <FileViewerBar files={props.files} path={props.path}>
        {/* biome-ignore lint/a11y/useSemanticElements: no form fields */}
        <div class="excerpt-modes" role="group" aria-label={t('excerpt_part')}>
          <For each={MODES}>
            {(mode) => (
              <button
                type="button"
                class="button"
                aria-pressed={excerpt.mode() === mode}
                onClick={() => excerpt.show(mode)}
              >
                {t(`excerpt_mode_${mode}`)}
              </button>
            )}
          </For>
        </div>
      </FileViewerBar>
      <div class="editor-host" ref={host} />
      <footer class="editor-status">
        <span role="status">{note()}</span>
        <span>{t('excerpt_read_only')}</span>
        <Show when={excerpt.encoding()}>
          {(encoding) => (
            <SelectField
              is_inline
              label={t('excerpt_encoding')}
              value={encoding()}
              options={ENCODINGS.map((value) => ({ value, label: value }))}
              onChange={excerpt.setEncoding}
            />
          )}
        </Show>
      </footer>
    </div>
  );
}
