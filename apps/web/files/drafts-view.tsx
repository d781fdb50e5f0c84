import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { formatInstant } from '../lib/format.ts';
import { shownName } from '../lib/hidden-characters.ts';
import { nameOf } from '../lib/paths.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import type { Draft } from '../workspace/unsaved/drafts.ts';
import { useUnsaved } from '../workspace/unsaved/unsaved.ts';
import type { FileTab } from './file-tab.ts';
import './drafts.css';

/** Unsaved texts from before a reload, offered above the list. */
export function FileEditorDrafts(props: { files: FileTab }) {
  const { preferences, t } = useApp();
  const unsaved = useUnsaved();
  const [unwanted, setUnwanted] = createSignal<Draft>();
  const kept = () =>
    unsaved.drafts
      .list()
      .filter((draft) => draft.server_id === props.files.server_id && !unsaved.isOpen(draft));
  return (
    <>
      <For each={kept()}>
        {(draft) => (
          <div class="note note-warning draft" role="status">
            <p class="draft-text" title={shownName(draft.path)}>
              {t('editor_draft', {
                name: nameOf(draft.path),
                time: formatInstant(draft.kept_at, preferences.values.language),
              })}
            </p>
            <button type="button" class="button" onClick={() => props.files.view(draft.path)}>
              {t('editor_draft_open')}
            </button>
            <button type="button" class="button" onClick={() => setUnwanted(draft)}>
              {t('discard')}
            </button>
          </div>
        )}
      </For>
      <Show when={unwanted()}>
        {(draft) => (
          <Confirm
            title={t('discard_title')}
            text={t('editor_draft_discard', { path: draft().path })}
            action={t('discard')}
            danger
            onConfirm={() => unsaved.drafts.drop(draft())}
            onClose={() => setUnwanted(undefined)}
          />
        )}
      </Show>
    </>
  );
}
