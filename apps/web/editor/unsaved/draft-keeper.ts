import { createEffect, on, onCleanup } from 'solid-js';
import { type DraftKey, type Drafts, MAX_DRAFTS_LENGTH } from '../../workspace/unsaved/drafts.ts';
import type { TextDocument } from '../document.ts';

const PAUSE_MS = 400;

/** Stores unsaved text so that it survives a reload, and removes it once saved. */
export function keepDraft(drafts: Drafts, key: DraftKey, document: TextDocument): void {
  let timer: ReturnType<typeof setTimeout> | undefined;

  function keep(): void {
    clearTimeout(timer);
    timer = undefined;
    const basis = document.basis();
    const etag = basis.kind === 'etag' ? basis.etag : null;
    if (document.is_dirty() && document.version().doc.length <= MAX_DRAFTS_LENGTH)
      drafts.keep({ ...key, etag, content: document.content(), kept_at: new Date().toISOString() });
    else drafts.drop(key);
  }

  createEffect(
    on(
      () => key.path,
      (_path, before) => {
        if (before === undefined) return;
        drafts.drop({ server_id: key.server_id, path: before });
        keep();
      },
    ),
  );
  createEffect(() => {
    // Reading these makes the draft follow them.
    const news = [document.version(), document.basis(), document.is_dirty()];
    if (news.length > 0) timer ??= setTimeout(keep, PAUSE_MS);
  });
  window.addEventListener('pagehide', keep);
  onCleanup(() => {
    window.removeEventListener('pagehide', keep);
    if (timer !== undefined) keep();
  });
}
