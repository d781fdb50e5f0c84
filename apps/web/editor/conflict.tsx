import { onCleanup, onMount, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { isSame, versionOf } from './document.ts';
import type { Editing } from './editing.ts';
import { type Comparison, openComparison } from './open-comparison.ts';
import { isSaveChord } from './save-chord.ts';
import type { TextFile } from './text-file.ts';
import './conflict.css';

interface Props {
  readonly editing: Editing;
  readonly theirs: TextFile;
  readonly onEnd: () => void;
}

/** Compares the saved version with the edited one, which can be changed. */
export function FileConflict(props: Props) {
  const { t } = useApp();
  const { document } = props.editing;
  const theirs = versionOf(props.theirs.content);
  /** Invisible differences: line endings or the byte order mark. */
  const is_unseen = () => document.version().doc.eq(theirs.doc) && !isSame(document.version(), theirs);
  let place: HTMLDivElement | undefined;
  let comparison: Comparison | undefined;

  onMount(() => {
    if (!place) return;
    comparison = openComparison({
      parent: place,
      mine: document.version().doc,
      theirs: theirs.doc,
      labels: { mine: t('editor_mine'), theirs: t('editor_theirs') },
      configuration: props.editing.configuration(),
      onMine: document.setDoc,
    });
    comparison.focus();
  });
  onCleanup(() => comparison?.close());

  async function save(): Promise<void> {
    const { editing, theirs: told } = props;
    props.onEnd();
    await editing.save({ kind: 'etag', etag: told.etag });
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (!isSaveChord(event)) return;
    event.preventDefault();
    void save();
  }

  return (
    <section class="conflict" aria-label={t('editor_compare')} onKeyDown={onKeyDown}>
      <div class="actions conflict-bar">
        <button type="button" class="button" onClick={() => props.onEnd()}>
          {t('editor_back')}
        </button>
        <button type="button" class="button button-primary" title="Ctrl+S" onClick={() => void save()}>
          {t('editor_save_mine')}
        </button>
      </div>
      <div class="conflict-sides" aria-hidden="true">
        <span>{t('editor_theirs')}</span>
        <span>{t('editor_mine')}</span>
      </div>
      <Show when={is_unseen()}>
        <p class="note">{t('editor_same_text')}</p>
      </Show>
      <div class="conflict-host" ref={place} />
    </section>
  );
}
